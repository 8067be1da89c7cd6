import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { Detector } from '../core/types.ts';
import { UNBOUNDED } from './streak.ts';

export type UnknownToolStreakOptions = {
  /** Whether an error that says so in words counts, too. */
  readonly words: 'read' | 'ignored';
};

/** Call numbers shown. */
const SHOWN = 4;
/** Where an error says that there is no such tool, it says so at once. */
export const MAX_TEXT = 400;
const MISSING = [
  /unknown tool[:\s]\s*["']?([\w.-]{1,64})/i,
  /tool\s+["']?([\w.-]{1,64})["']?\s+(?:not found|is not available)/i,
];

/** `missing` = digest of the tool that is not there, which may be another than the one called. */
type State = {
  readonly tool: string;
  readonly missing: number;
  readonly count: number;
  readonly calls: readonly number[];
};
const INITIAL: State = { tool: '', missing: 0, count: 0, calls: [] };

/** A tool that does not exist, called again and again, whatever the arguments. */
export const unknownToolStreak: DetectorKind<'unknown-tool-streak', UnknownToolStreakOptions> = {
  kind: 'unknown-tool-streak',
  defaults: { words: 'read' },
  create(name, { words }, { floor, digestText }): Detector<State> {
    return {
      name,
      events: ['tool-call', 'tool-result'],
      needs: [],
      initial: INITIAL,
      shape: { tool: '', missing: 0, count: 0, calls: [0] },
      maxCount: UNBOUNDED,
      blocks: true,
      failures: true,
      observe(event, _noted, { tool }) {
        if (event.type !== 'tool-result') return null;
        const { status, output } = event;
        if (status !== 'unknown-tool' && status !== 'error') return null;
        const said = words === 'read' && typeof output === 'string' ? missingTool(output) : null;
        const missing = said ?? (status === 'unknown-tool' ? tool.toLowerCase() : null);
        return missing === null ? null : digestText(missing);
      },
      reduce(state, { event, tool, status, call }, missing) {
        if (event === 'tool-call') {
          const { count, calls } = state;
          if (tool !== state.tool || count < floor) return null;
          return [
            state,
            { detector: name, subject: tool, count, evidence: [...calls, call], facts: { tool } },
          ];
        }
        if (status === 'blocked') return null;
        if (missing === null) return [INITIAL, null];
        const again = tool === state.tool && missing === state.missing;
        const count = again ? state.count + 1 : 1;
        const calls = [...(again ? state.calls : []), call].slice(-SHOWN);
        return [{ tool, missing: missing as number, count, calls }, null];
      },
    };
  },
};

function missingTool(error: string): string | null {
  const text = error.slice(0, MAX_TEXT);
  for (const pattern of MISSING) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found.toLowerCase();
  }
  return null;
}

/** With help and checks, for those who read presets from JSON. */
export const unknownToolStreakDescribed: DescribedKind = /* @__PURE__ */ described(unknownToolStreak, {
  about: 'A tool that does not exist, called again and again, whatever the arguments.',
  options: {
    words: {
      type: 'choice',
      of: ['read', 'ignored'],
      about: 'Whether an error that says so in words counts as an unknown tool.',
    },
  } satisfies OptionSpecs<UnknownToolStreakOptions>,
});
