import { fieldsOf, parsedArgs } from '../core/arguments.ts';
import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Entry, Finding, Json } from '../core/types.ts';

export type ExplorationOptions = {
  readonly readTools: readonly string[];
  /** One call of these ends the exploring. */
  readonly editTools: readonly string[];
  /** So many iterations with fewer than two new files are stale. */
  readonly staleRounds: number;
};

const MAX_FILES = 32;
const FEW_FILES = 2;
const PATH_FIELDS = ['path', 'file_path', 'filename'];

/** `found` = the rounds in which the last two new files were read. */
type State = {
  readonly files: readonly number[];
  readonly edited: boolean;
  readonly rounds: number;
  readonly found: readonly number[];
};
const INITIAL: State = { files: [], edited: false, rounds: 0, found: [] };

/** Reading file after file without changing one, or looking around without finding new ones. */
export const exploration: DetectorKind<'exploration', ExplorationOptions> = {
  kind: 'exploration',
  defaults: { readTools: ['read_file'], editTools: ['write_file', 'edit_file'], staleRounds: 15 },
  create(name, { readTools, editTools, staleRounds }, { floor, digestText }): Detector<State> {
    const finding = (count: number, call: number, why: string): Finding => ({
      detector: name,
      subject: why,
      count,
      evidence: call > 0 ? [call] : [],
      facts: { why },
    });
    function read(state: State, file: number, call: number): readonly [State, Finding | null] {
      if (state.files.includes(file)) return [state, null];
      const files = [...state.files, file].slice(-MAX_FILES);
      const found = [...state.found, state.rounds].slice(-FEW_FILES);
      const next = { files, edited: false, rounds: state.rounds, found };
      return [next, files.length < floor ? null : finding(files.length, call, 'files')];
    }
    function rested(state: State, { call }: Entry): readonly [State, Finding | null] {
      const next = { files: state.files, edited: false, rounds: state.rounds + 1, found: state.found };
      const since = next.rounds - staleRounds;
      if (since < 0) return [next, null];
      const recent = state.found.filter((round) => round >= since).length;
      return [next, recent >= FEW_FILES ? null : finding(next.rounds, call, 'iterations')];
    }
    return {
      name,
      events: ['tool-call', 'round-done'],
      needs: [],
      initial: INITIAL,
      shape: { files: [0], edited: true, rounds: 0, found: [0] },
      maxCount: MAX_FILES,
      observe(event: AgentEvent): Json {
        if (event.type !== 'tool-call' || !readTools.includes(event.tool)) return null;
        const fields = fieldsOf(parsedArgs(event.args).value);
        const path = PATH_FIELDS.map((field) => fields[field]).find((value) => typeof value === 'string');
        return path === undefined ? null : digestText(path as string);
      },
      reduce(state, entry, file) {
        if (state.edited) return null;
        if (entry.event === 'round-done') return rested(state, entry);
        if (editTools.includes(entry.tool) || entry.effect === 'write')
          return [{ ...INITIAL, edited: true }, null];
        return file === null ? null : read(state, file as number, entry.call);
      },
    };
  },
};

/** With help and checks, for those who read presets from JSON. */
export const explorationDescribed: DescribedKind = /* @__PURE__ */ described(exploration, {
  about: 'Reading file after file without changing one, or looking around without reaching new ones.',
  options: {
    readTools: { type: 'names', about: 'Tools that read a file.' },
    editTools: { type: 'names', about: 'Tools that change one.' },
    staleRounds: {
      type: 'integer',
      min: 2,
      max: 1000,
      about: 'So many iterations with fewer than two new files count as saturated.',
    },
  } satisfies OptionSpecs<ExplorationOptions>,
});
