import { codeUnitsOf } from '../core/code-units.ts';
import type { DigestText } from '../core/digest-text.ts';
import { createLedger } from '../core/ledger.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import { outputRead } from '../core/output-text.ts';
import type { DetectorKind } from '../core/preset.ts';
import { asksInWords } from '../core/questions.ts';
import { toolKinds } from '../core/tool-kinds.ts';
import { TOPIC } from '../core/topics.ts';
import type { AgentEvent, Detector, Entry, Json, Sight } from '../core/types.ts';
import { hitsOf, MIN_HITS } from './hits.ts';
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
const CHARACTERS = 683;
const BITS: number = 6 * CHARACTERS;
/** No bit is set: the lowest character of 64 in a row that can all be written. */
const EMPTY = /* @__PURE__ */ '@'.repeat(CHARACTERS);
/** The memory that was read last, as it is written and as its characters: one session is read for a while. */
let written = '';
const codes = /* @__PURE__ */ Array.from(EMPTY, (char) => char.charCodeAt(0));
/** Fuller than this, lines would seem known that are not; the memory starts anew. */
const FULL = BITS / 2;
/** A page of which so much is known shows nothing new, in percent. */
const KNOWN = 95;

/** The places of its lines; `ranked` = one for all its hits, without how well they fit. */
type Page = { readonly places: readonly number[]; readonly ranked: boolean };
type State = readonly [seen: string, filled: number, epoch: number, calls: readonly number[]];
const INITIAL: State = [EMPTY, 0, 0, []];

/** Pages read again: each shows only lines that were shown before, while nothing has changed. */
export const seenPages: DetectorKind<'seen-pages', SeenPagesOptions> = {
  kind: 'seen-pages',
  defaults: { minLines: 5 },
  create(name, { minLines }, { floor, digestText }): Detector<State> {
    const kindOf = toolKinds();
    return {
      name,
      events: ['tool-result', 'compaction'],
      needs: [],
      initial: INITIAL,
      shape: ['', 0, 0, [0]],
      maxCount: MAX_EVIDENCE,
      wakes: TOPIC.page,
      ledger: createLedger,
      note: ({ tool, args }) => (kindOf(tool) === 'read' && asksInWords(tool, args) ? true : null),
      observe(event: AgentEvent, noted: Json, entry: Entry): Json {
        if (event.type !== 'tool-result' || event.status !== 'ok' || entry.kind !== 'read') return null;
        const text = outputRead(event);
        // Where nothing was asked in words, how well it fits is what was asked for.
        const hits = noted === true ? hitsOf(text) : null;
        const places = placesOf(hits ?? text, digestText);
        if (hits === null) return places.length < minLines ? null : { places, ranked: false };
        // Other questions may well find some of the same.
        return places.length < MIN_HITS ? null : { places: [placeOfAll(places)], ranked: true };
      },
      reduce(state, { event, call, tool, sight }, fact) {
        // What was shown before is lost to the model.
        if (event === 'compaction') return [INITIAL, null];
        if (sight === null) return null;
        // Too short to be a page, and yet something new: what was looked at in between is no row.
        if (fact === null)
          return state[3].length > 0 && isNews(sight) ? [[state[0], state[1], state[2], []], null] : null;
        const { epoch } = sight;
        // In another world every page is worth reading again.
        const [seen, filled, , calls] = state[2] === epoch ? state : INITIAL;
        const { places, ranked } = fact as Page;
        load(seen);
        let fresh = 0;
        for (const place of places) if (!isSet(place)) fresh += 1;
        const known = (100 * (places.length - fresh)) / places.length;
        // The same question whose hits fit better or worse than before is no rewording of it: somebody works on them.
        if (known >= KNOWN && !(ranked && sight.moved)) {
          const next = extended(calls, call);
          if (next.length < floor) return [[seen, filled, epoch, next], null];
          const facts = { tool };
          return [
            [seen, filled, epoch, next],
            { detector: name, subject: `${tool} ${epoch}`, count: next.length, evidence: next, facts },
          ];
        }
        const full = filled + fresh > FULL;
        if (full) load(EMPTY);
        return [[withSet(places), (full ? 0 : filled) + fresh, epoch, []], null];
      },
    };
  },
};

function isNews({ status, repeats, alike, stale, empty }: Sight): boolean {
  return status === 'ok' && repeats.length === 0 && alike.length === 0 && !stale && !empty;
}

/** One place in the memory for each line that says anything: a character of it, and in its lowest three bits which of six. */
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
  let letters = 0;
  for (let at = from; at < to && letters <= FEW; at++) if ((units[at] as number) > 32) letters += 1;
  if (letters <= FEW) return -1;
  let even = SEED;
  let odd = to - from;
  let at = from;
  for (; at + 3 < to; at += 4) {
    even = Math.imul(even ^ ((units[at] as number) | ((units[at + 1] as number) << 16)), 0x9b3f5ac5);
    odd = Math.imul(odd ^ ((units[at + 2] as number) | ((units[at + 3] as number) << 16)), 0x6d2b79e3);
    even ^= even >>> 13;
    odd ^= odd >>> 15;
  }
  for (; at < to; at++) {
    even = Math.imul(even ^ (units[at] as number), 0x9b3f5ac5);
    even ^= even >>> 13;
  }
  return placeAt(even ^ odd);
}

/** One place for all of them together, in whatever order. */
function placeOfAll(places: readonly number[]): number {
  let sum = SEED;
  for (const place of places) sum = (sum + Math.imul(place + 1, 0x6d2b79e3)) | 0;
  return placeAt(sum);
}

function placeAt(digest: number): number {
  const mixed = Math.imul(digest, 0x5bd1e995) >>> 8;
  return ((mixed % CHARACTERS) << 3) | ((Math.imul(mixed, 0x9b3f5ac5) >>> 8) % 6);
}

function load(memory: string): void {
  if (memory === written) return;
  for (let at = 0; at < CHARACTERS; at++) codes[at] = memory.charCodeAt(at);
  written = memory;
}

function isSet(place: number): boolean {
  return ((codes[place >>> 3] as number) & (1 << (place & 7))) !== 0;
}

/** The memory that was read last, with these places in it. */
function withSet(places: readonly number[]): string {
  for (const place of places) codes[place >>> 3] = (codes[place >>> 3] as number) | (1 << (place & 7));
  // A list, for typed memory would take four times as long here.
  written = String.fromCharCode(...codes);
  return written;
}

/** With help and checks, for those who read presets from JSON. */
export const seenPagesDescribed: DescribedKind = /* @__PURE__ */ described(seenPages, {
  about: 'Pages read that show only lines which were shown before.',
  options: {
    minLines: { type: 'integer', min: 1, max: 200, about: 'Lines that a page must have to be judged.' },
  } satisfies OptionSpecs<SeenPagesOptions>,
});
