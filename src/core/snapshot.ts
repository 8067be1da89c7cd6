import { DeloopError, show } from './errors.ts';
import type { Plan } from './plan.ts';
import { MAX_STRIKES } from './rounds.ts';
import type { AgentState, Finding, GuardState, Json, OpenCall } from './types.ts';
import { MAX_AGENTS, MAX_ALL_OPEN, MAX_FINISHED, MAX_UNDO } from './world.ts';

const VERSION = 1;

/** How a state of each older version becomes one of the next: the index is the version it starts from. */
export type Migrations = readonly ((saved: { readonly [key: string]: unknown }) => {
  readonly [key: string]: unknown;
})[];
const MIGRATIONS: Migrations = [];

/** A sample that data must resemble: `[x]` any number of x, `[x, y]` exactly these, `null` anything. */
export type Shape = null | boolean | number | string | readonly Shape[] | { readonly [key: string]: Shape };

const FINDING: Shape = { detector: '', subject: '', count: 0, evidence: [0] };
const AGENT: Shape = {
  agent: '',
  rounds: 0,
  turns: true,
  open: true,
  held: [null],
  last: null,
  spoke: 0,
  strikes: [['', 0]],
  finished: [['', 0]],
  detectors: [null],
};
const OPEN: Shape = {
  call: 0,
  id: '',
  agent: '',
  round: 0,
  tool: '',
  exact: 0,
  done: true,
  silent: true,
  answer: null,
  noted: null,
};
const LAST: Shape = { rung: 0, subject: '', delivered: true };
const STATE: Shape = {
  version: VERSION,
  detectors: [''],
  calls: 0,
  disabled: true,
  agents: [AGENT],
  open: [OPEN],
  undo: [AGENT],
};

/**
 * A saved state, checked and brought up to date. Throws when it is not one or comes from a newer deloop.
 * Detectors that the plan no longer has are dropped, new ones and those whose state does not fit start anew.
 */
export function parseState(plan: Plan, saved: unknown, migrations: Migrations = MIGRATIONS): GuardState {
  let data = record(saved);
  if (data === null || typeof data['version'] !== 'number')
    throw new DeloopError('state', `state is ${show(saved)}; it must be what guard.state gave`);
  for (let version = data['version']; version !== VERSION; version++) {
    const migrate = migrations[version];
    if (version > VERSION || migrate === undefined)
      throw new DeloopError(
        'state',
        `state has version ${version}; this deloop reads version ${VERSION}: upgrade it, or start without state`,
      );
    data = migrate(data);
  }
  if (!resembles(data, STATE)) throw new DeloopError('state', 'state is damaged: start without it');
  const state = data as GuardState;
  const { agents, open, undo } = state;
  const drafts = [...agents, ...undo];
  const tooLong = drafts.some(
    ({ finished, strikes }) => finished.length > MAX_FINISHED || strikes.length > MAX_STRIKES,
  );
  if (agents.length > MAX_AGENTS || open.length > MAX_ALL_OPEN || undo.length > MAX_UNDO || tooLong)
    throw new DeloopError('state', 'state is larger than any guard makes it: start without it');
  return {
    version: VERSION,
    detectors: plan.names,
    calls: state.calls,
    disabled: state.disabled,
    agents: state.agents.map((agent) => fitted(plan, agent, state.detectors)),
    open: state.open.map((call) => answered(plan, call, state.detectors)),
    undo: state.undo.map((agent) => fitted(plan, agent, state.detectors)),
  };
}

/** Whether a saved state comes from a newer deloop, which may still want it. */
export function isNewer(saved: unknown): boolean {
  const version = record(saved)?.['version'];
  return typeof version === 'number' && version > VERSION;
}

/** Whether data has the form of a sample. */
export function resembles(value: unknown, shape: Shape): boolean {
  if (shape === null) return true;
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return false;
    if (shape.length === 1) return value.every((item) => resembles(item, shape[0] as Shape));
    return (
      value.length === shape.length && value.every((item, index) => resembles(item, shape[index] as Shape))
    );
  }
  if (typeof shape !== 'object') return typeof value === typeof shape && !Number.isNaN(value);
  const fields = record(value);
  if (fields === null) return false;
  return Object.entries(shape).every(
    ([key, sample]) => Object.hasOwn(fields, key) && resembles(fields[key], sample),
  );
}

function fitted(plan: Plan, agent: AgentState, names: readonly string[]): AgentState {
  const rungs = plan.ladder.length;
  const last =
    resembles(agent.last, LAST) && agent.last !== null && agent.last.rung < rungs ? agent.last : null;
  return {
    ...agent,
    held: agent.held.filter((finding) => isFinding(plan, finding)),
    last,
    spoke: Math.min(agent.spoke, rungs),
    detectors: plan.detectors.map(({ name, shape, initial }) => {
      const saved = agent.detectors[names.indexOf(name)];
      return saved !== undefined && resembles(saved, shape) ? saved : initial;
    }),
  };
}

function answered(plan: Plan, call: OpenCall, names: readonly string[]): OpenCall {
  const { rung, finding } = call.answer ?? {};
  const valid =
    typeof rung === 'number' && isFinding(plan, finding) && plan.ladder[rung]?.on === finding.detector;
  return {
    ...call,
    answer: valid ? call.answer : null,
    noted: Array.isArray(call.noted) ? renoted(plan, call.noted, names) : null,
  };
}

/** What was noted, in the order of the plan's detectors, up to the last that noted anything. */
function renoted(plan: Plan, noted: readonly Json[], names: readonly string[]): readonly Json[] {
  const own = plan.names.map((name) => noted[names.indexOf(name)] ?? null);
  return own.slice(0, own.findLastIndex((note) => note !== null) + 1);
}

function isFinding(plan: Plan, value: unknown): value is Finding {
  return resembles(value, FINDING) && plan.names.includes((value as Finding).detector);
}

function record(value: unknown): { readonly [key: string]: unknown } | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: unknown })
    : null;
}
