import { fieldsOf, parsedArgs } from '../core/arguments.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Entry, Finding, Json } from '../core/types.ts';
import { keyOf, outcomeOf, READINGS, type Reading, reads } from './result-reading.ts';
import { shortDigest } from './short-digest.ts';
import { callSubject } from './trail.ts';

export type RecentRepeatOptions = {
  /** So many equal outcomes in a row are what is counted; with fewer, the calls are. */
  readonly stable: number;
  /** Tools whose calls are never counted as such, only their equal outcomes: `tool`, or `tool:action`. */
  readonly pollers: readonly string[];
  /** How often each variant must have been called when one tool does nothing but go round a few of them. */
  readonly variants: number | 'off';
  readonly results: Reading;
  /** Calls remembered. */
  readonly window: number;
};

/** A call: `outcome` 0 = none yet; `most` = the highest number of calls like it that was counted so far. */
type Row = readonly [key: number, outcome: number, call: number, most: number];
/** `run` = how many of the last calls were of `tool`. */
type State = { readonly tool: string; readonly run: number; readonly rows: readonly Row[] };
const INITIAL: State = { tool: '', run: 0, rows: [] };
/** Call numbers shown, the one at hand aside. */
const SHOWN = 4;
/** The share of calls that may be new and still not hide that the others go round. */
const PROBES = 0.2;

type Seen = {
  readonly calls: number;
  readonly equal: number;
  readonly most: number;
  readonly evidence: readonly number[];
};

/** Earlier calls like this one, and how many of them have ended the same way in a row. */
function seenOf(rows: readonly Row[], key: number): Seen {
  const evidence: number[] = [];
  let equal = 0;
  let latest = 0;
  let calls = 0;
  let most = 0;
  let running = true;
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index] as Row;
    if (row[0] !== key) continue;
    calls += 1;
    if (calls === 1) most = row[3];
    if (evidence.length < SHOWN) evidence.push(row[2]);
    if (row[1] === 0 || !running) continue;
    if (equal === 0) latest = row[1];
    if (row[1] === latest) equal += 1;
    else running = false;
  }
  return { calls, equal, most, evidence: evidence.reverse() };
}

/** Among how many calls a tool goes round, each ending the same way every time; 0 = it does not. */
function variantsOf(rows: readonly Row[], least: number): number {
  const outcomes = new Map<number, [outcome: number, count: number]>();
  for (const [key, outcome] of rows) {
    const known = outcomes.get(key);
    if (outcome === 0 || (known !== undefined && known[0] !== outcome)) return 0;
    if (known === undefined) outcomes.set(key, [outcome, 1]);
    else known[1] += 1;
  }
  let variants = 0;
  let probes = 0;
  for (const [, count] of outcomes.values()) {
    if (count >= least) variants += 1;
    else probes += count;
  }
  return variants > 1 && probes <= Math.max(1, Math.floor(rows.length * PROBES)) ? variants : 0;
}

/** A call about to be made again, counted among the latest calls: by its equal outcomes, by its variants, or as such. */
export const recentRepeat: DetectorKind<'recent-repeat', RecentRepeatOptions> = {
  kind: 'recent-repeat',
  defaults: { stable: 3, pollers: [], variants: 'off', results: 'whole', window: 30 },
  create(name, options, { floor, digestText }): Detector<State> {
    const { stable, pollers, variants, results, window } = options;
    const hooks = reads(results, digestText);

    function isPoller({ tool, args }: { readonly tool: string; readonly args: Json }): boolean {
      if (pollers.includes(tool)) return true;
      if (!pollers.some((poller) => poller.startsWith(`${tool}:`))) return false;
      const { action } = fieldsOf(parsedArgs(args).value);
      return typeof action === 'string' && pollers.includes(`${tool}:${action}`);
    }

    function called(state: State, entry: Entry, fact: Json): readonly [State, Finding | null] {
      const [poller, read] = fact as readonly [boolean, Json];
      const { tool, call } = entry;
      const key = keyOf(entry, read);
      const rows = state.rows.slice(-window);
      const short = shortDigest(key);
      const { calls, equal, most, evidence } = seenOf(rows, short);
      const run = tool === state.tool ? Math.min(state.run + 1, window + 1) : 1;
      const row: Row = [short, 0, call, Math.max(most, calls)];
      // The oldest stays until the next call: if this one is blocked, nothing has changed.
      const next: State = { tool, run, rows: [...rows, row] };
      const byOutcome = poller || equal >= stable;
      const round =
        !byOutcome && variants !== 'off' && run > window && rows.length === window
          ? variantsOf(rows, variants)
          : 0;
      const count = byOutcome ? equal : round > 0 ? window : calls;
      // A number of calls that was counted before, at an earlier call like this, is no news.
      const known = !byOutcome && round === 0 && count <= most;
      if (count < floor || known) return [next, null];
      const why = byOutcome ? 'outcomes' : round > 0 ? 'variants' : 'calls';
      const shown = why === 'variants' ? rows.slice(-SHOWN).map((other) => other[2]) : evidence;
      return [
        next,
        {
          detector: name,
          subject: why === 'variants' ? tool : callSubject(tool, key),
          count,
          evidence: [...shown, call],
          facts: { tool, why, poller, variants: round },
        },
      ];
    }

    function ended(state: State, entry: Entry, fact: Json): State | null {
      const { tool, run, rows } = state;
      const place = rows.findLastIndex((row) => row[2] === entry.call);
      const row = rows[place];
      if (row === undefined) return null;
      const next = rows.slice();
      // What the guard itself kept from running was no call.
      if (entry.status === 'blocked') next.splice(place, 1);
      else next[place] = [row[0], shortDigest(outcomeOf(entry, fact)), row[2], row[3]];
      return { tool, run, rows: next };
    }

    return {
      name,
      events: ['tool-call', 'tool-result'],
      needs: ['exact', 'outcome'],
      initial: INITIAL,
      shape: { tool: '', run: 0, rows: [[0, 0, 0, 0]] },
      maxCount: window,
      blocks: true,
      ...hooks,
      observe(event: AgentEvent, noted: Json, entry: Entry): Json {
        const read = hooks.observe?.(event, noted, entry) ?? null;
        return event.type === 'tool-call' ? [isPoller(event), read] : read;
      },
      reduce(state, entry, fact) {
        if (entry.poll) return null;
        if (entry.event === 'tool-call') return called(state, entry, fact);
        const next = ended(state, entry, fact);
        return next === null ? null : [next, null];
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const recentRepeatDescribed: DescribedKind = /* @__PURE__ */ described(recentRepeat, {
  about: 'A call about to be made again, counted among the latest calls.',
  options: {
    stable: {
      type: 'integer',
      min: 1,
      max: 64,
      about: 'From so many equal outcomes in a row on, they are what is counted; before, calls are.',
    },
    pollers: {
      type: 'names',
      about: 'Tools of which only equal outcomes count: `tool`, or `tool:action`.',
    },
    variants: {
      type: 'integer',
      min: 2,
      max: 64,
      offable: true,
      about: 'How often each call must stand in the window when one tool only goes round a few.',
    },
    results: { type: 'choice', of: READINGS, about: 'Whose list says what means nothing in a result.' },
    window: { type: 'integer', min: 2, max: 64, about: 'How many calls are remembered.' },
  } satisfies OptionSpecs<RecentRepeatOptions>,
});
