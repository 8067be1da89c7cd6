import { createLedger } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import { TOPIC } from '../core/topics.ts';
import type { AgentEvent, Detector, Entry, Json } from '../core/types.ts';
import { extended, MAX_EVIDENCE } from './trail.ts';

export type SeenPagesOptions = {
  /** Shorter pages are not judged. */
  readonly minLines: number;
};

const MAX_LINES = 400;
const NEWLINE = 10;
/** A line with no more characters than this is a bracket or a rule. */
const FEW = 3;
const SEED = 0x2545f491;
/** One bit a line, six to a character. */
const BITS = 4098;
const EMPTY = '0'.repeat(BITS / 6);
/** Fuller than this, lines would seem known that are not; the memory starts anew. */
const FULL = BITS / 2;
/** A page of which so much is known shows nothing new, in percent. */
const KNOWN = 95;

type State = readonly [seen: string, filled: number, epoch: number, calls: readonly number[]];
const INITIAL: State = [EMPTY, 0, 0, []];

/** Pages read again: each shows only lines that were shown before, while nothing has changed. */
export const seenPages: DetectorKind<'seen-pages', SeenPagesOptions> = {
  kind: 'seen-pages',
  defaults: { minLines: 5 },
  create(name, { minLines }, { floor }): Detector<State> {
    return {
      name,
      events: ['tool-result', 'compaction'],
      needs: [],
      initial: INITIAL,
      shape: ['', 0, 0, [0]],
      maxCount: MAX_EVIDENCE,
      wakes: TOPIC.page,
      ledger: createLedger,
      observe(event: AgentEvent, _noted: Json, entry: Entry): Json {
        if (event.type !== 'tool-result' || event.status !== 'ok' || typeof event.output !== 'string')
          return null;
        if (entry.kind !== 'read') return null;
        const places = placesOf(event.output);
        return places.length < minLines ? null : places;
      },
      reduce(state, { event, call, tool, sight }, fact) {
        // What was shown before is lost to the model.
        if (event === 'compaction') return [INITIAL, null];
        if (sight === null || fact === null) return null;
        const { epoch } = sight;
        // In another world every page is worth reading again.
        const [seen, filled, , calls] = state[2] === epoch ? state : INITIAL;
        const places = fact as readonly number[];
        const fresh = places.filter((place) => !isSet(seen, place));
        const known = (100 * (places.length - fresh.length)) / places.length;
        if (known >= KNOWN) {
          const next = extended(calls, call);
          if (next.length < floor) return [[seen, filled, epoch, next], null];
          const facts = { tool };
          return [
            [seen, filled, epoch, next],
            { detector: name, subject: `${tool} ${epoch}`, count: next.length, evidence: next, facts },
          ];
        }
        const full = filled + fresh.length > FULL;
        const kept = full ? EMPTY : seen;
        return [[withSet(kept, full ? places : fresh), (full ? 0 : filled) + fresh.length, epoch, []], null];
      },
    };
  },
};

/** One place in the memory for each line that says anything, in one pass. */
function placesOf(text: string): readonly number[] {
  const places: number[] = [];
  let hash = SEED;
  let letters = 0;
  for (let i = 0; i <= text.length && places.length < MAX_LINES; i++) {
    const code = i === text.length ? NEWLINE : text.charCodeAt(i);
    if (code === NEWLINE) {
      if (letters > FEW) places.push(((hash ^ (hash >>> 15)) >>> 0) % BITS);
      hash = SEED;
      letters = 0;
    } else {
      hash = Math.imul(hash ^ code, 0x9b3f5ac5);
      hash ^= hash >>> 13;
      if (code > 32) letters += 1;
    }
  }
  return places;
}

function isSet(bits: string, place: number): boolean {
  return ((bits.charCodeAt((place / 6) | 0) - 48) & (1 << (place % 6))) !== 0;
}

function withSet(bits: string, places: readonly number[]): string {
  const codes = Array.from(bits, (char) => char.charCodeAt(0) - 48);
  for (const place of places)
    codes[(place / 6) | 0] = (codes[(place / 6) | 0] as number) | (1 << (place % 6));
  return String.fromCharCode(...codes.map((code) => code + 48));
}

/** With help and checks, for those who read presets from JSON. */
export const seenPagesDescribed: DescribedKind = /* @__PURE__ */ described(seenPages, {
  about: 'Pages read that show only lines which were shown before.',
  options: {
    minLines: { type: 'integer', min: 1, max: 200, about: 'Lines that a page must have to be judged.' },
  } satisfies OptionSpecs<SeenPagesOptions>,
});
