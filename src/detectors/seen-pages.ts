import { codeUnitsOf } from '../core/code-units.ts';
import type { DigestText } from '../core/digest-text.ts';
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
/** A line with no more characters than this is a bracket or a rule. */
const FEW = 3;
const SEED = 0x2545f491;
/** One bit a line, six to a character. */
const BITS = 4098;
const CHARACTERS = BITS / 6;
const EMPTY = /* @__PURE__ */ '0'.repeat(CHARACTERS);
const codes = /* @__PURE__ */ new Uint16Array(CHARACTERS);
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
  create(name, { minLines }, { floor, digestText }): Detector<State> {
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
        const places = placesOf(event.output, digestText);
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
        const fresh: number[] = [];
        for (const place of places) if (!isSet(seen, place)) fresh.push(place);
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

/** One place in the memory for each line that says anything. */
function placesOf(text: string, digestText: DigestText): readonly number[] {
  const units = codeUnitsOf(text, digestText);
  const places: number[] = [];
  for (let from = 0; from <= text.length && places.length < MAX_LINES; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    const place = placeOf(units, from, to);
    if (place >= 0) places.push(place);
    from = to + 1;
  }
  return places;
}

/** Two sums side by side, because a processor can work on both at once; -1 = a line with next to nothing on it. */
function placeOf(units: Uint16Array, from: number, to: number): number {
  let even = SEED;
  let odd = to - from;
  let letters = 0;
  let at = from;
  for (; at + 1 < to; at += 2) {
    const one = units[at] as number;
    const other = units[at + 1] as number;
    even = Math.imul(even ^ one, 0x9b3f5ac5);
    odd = Math.imul(odd ^ other, 0x6d2b79e3);
    even ^= even >>> 13;
    odd ^= odd >>> 15;
    letters += (one > 32 ? 1 : 0) + (other > 32 ? 1 : 0);
  }
  if (at < to) {
    const last = units[at] as number;
    even = Math.imul(even ^ last, 0x9b3f5ac5);
    even ^= even >>> 13;
    if (last > 32) letters += 1;
  }
  return letters > FEW ? (Math.imul(even ^ odd, 0x5bd1e995) >>> 8) % BITS : -1;
}

function isSet(bits: string, place: number): boolean {
  return ((bits.charCodeAt((place / 6) | 0) - 48) & (1 << (place % 6))) !== 0;
}

function withSet(bits: string, places: readonly number[]): string {
  for (let at = 0; at < CHARACTERS; at++) codes[at] = bits.charCodeAt(at);
  for (const place of places) {
    const at = (place / 6) | 0;
    codes[at] = (((codes[at] as number) - 48) | (1 << (place % 6))) + 48;
  }
  return String.fromCharCode.apply(null, codes as unknown as number[]);
}

/** With help and checks, for those who read presets from JSON. */
export const seenPagesDescribed: DescribedKind = /* @__PURE__ */ described(seenPages, {
  about: 'Pages read that show only lines which were shown before.',
  options: {
    minLines: { type: 'integer', min: 1, max: 200, about: 'Lines that a page must have to be judged.' },
  } satisfies OptionSpecs<SeenPagesOptions>,
});
