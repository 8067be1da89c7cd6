import { checkedPlan } from './check-preset.ts';
import { outcomeOf, toEvent } from './events.ts';
import { type Guard, type GuardOptions, guardOn, type Mode, type Tally } from './guard.ts';
import { checkFunctions, type DescribedKind, wrong } from './options.ts';
import type { Plan, RulesFor } from './plan.ts';
import { parseState } from './snapshot.ts';
import type { ToolTable } from './tools.ts';
import {
  type AgentEvent,
  STATUSES,
  type SwarmTallyEvent,
  type ToolCallEvent,
  type TurnEvent,
} from './types.ts';

/** Counts this guard's calls together with those of other workers. */
export type Swarm = { readonly tally: Tally; readonly worker: string };

export type CheckedOptions = Omit<GuardOptions, 'state' | 'followUp' | 'parse' | 'outcomeOf' | 'rulesFor'> & {
  readonly tools?: ToolTable | undefined;
  /** What can be checked of the options of detectors. */
  readonly described?: readonly DescribedKind[] | undefined;
  /** What `guard.state` gave before. */
  readonly state?: unknown;
  readonly swarm?: Swarm | undefined;
  /** The plan of the preset, where it is known already. */
  readonly plan?: Plan | undefined;
};

const MODES: readonly unknown[] = ['enforce', 'shadow', 'off'] satisfies Mode[];

/** What one of many guards starts from, and what it tells its host. */
export type Hooks = Pick<GuardOptions, 'onDecision' | 'onError'> & {
  /** Hears every finding, whether or not a rung answers it. */
  readonly onFindings?: Plan['onFindings'];
  /** Where this one goes on from, as `guard.state` gave it; throws when it cannot be read. */
  readonly state?: unknown;
  /** Rules for tools in place of what the user declared, for hosts that learn more about them while they run. */
  readonly rulesOver?: ((declared: RulesFor) => RulesFor) | undefined;
};

/** The options checked once, for any number of guards that trust nothing they are given. Throws when an option can never work. */
export function checkedGuards({
  swarm,
  tools,
  described,
  plan: known,
  ...options
}: CheckedOptions): (hooks: Hooks) => Guard {
  const { preset, detectors: kinds, messages, digestText, mode, attended } = options;
  if (mode !== undefined && !MODES.includes(mode)) throw wrong('mode', mode, `one of ${MODES.join(', ')}`);
  if (attended !== undefined && typeof attended !== 'boolean')
    throw wrong('attended', attended, 'true or false');
  if (swarm !== undefined && (typeof swarm?.tally?.record !== 'function' || typeof swarm.worker !== 'string'))
    throw wrong('swarm', swarm, 'an object with a tally and the name of this worker');
  checkFunctions(options, ['onDecision', 'onError']);
  const plan = known ?? checkedPlan(preset, { kinds, described, tools, messages, digestText, attended });
  return ({ onDecision, onError, onFindings, state, rulesOver }) => {
    // One plan for all guards wherever that goes: a copy is of another shape each time, and an engine looks everything up in it anew.
    const isShared = onFindings === undefined && rulesOver === undefined;
    const rulesFor = rulesOver?.(plan.rulesFor) ?? plan.rulesFor;
    return guardOn(isShared ? plan : { ...plan, onFindings, rulesFor }, {
      ...options,
      onDecision,
      onError,
      outcomeOf,
      parse: parsed,
      state: state === undefined ? undefined : parseState(plan, state),
      followUp: swarm === undefined ? undefined : (call) => tallied(plan, call, swarm),
    });
  };
}

function parsed(raw: AgentEvent): AgentEvent | null {
  return isPlain(raw) ? raw : toEvent(raw);
}

/** What the swarm has made of this call; nothing where the user declared that repeating it means nothing. */
function tallied(
  plan: Plan,
  { tool, args, agent }: ToolCallEvent,
  { tally, worker }: Swarm,
): SwarmTallyEvent | null {
  const rules = plan.rulesFor(tool);
  if (rules?.poll === true || rules?.exempt === true || rules?.unique === true) return null;
  const seen = rules?.args?.(args, 0) ?? args;
  const counted = tally.record(worker, tool, seen);
  return counted === null ? null : { type: 'swarm-tally', agent, ...counted };
}

/** A turn, a call, a result or a tally that needs no second look, as nearly all do. */
function isPlain(event: AgentEvent): boolean {
  if (event?.type === 'swarm-tally') return isTally(event);
  if (event?.type === 'turn') return isTurn(event);
  if (event?.type !== 'tool-call' && event?.type !== 'tool-result') return false;
  const { id, tool, agent } = event;
  return (
    typeof tool === 'string' &&
    (id === undefined || typeof id === 'string') &&
    (agent === undefined || typeof agent === 'string') &&
    (event.type === 'tool-call'
      ? event.args !== undefined
      : STATUSES.includes(event.status) && event.output !== undefined)
  );
}

function isTurn({ text, agent }: TurnEvent): boolean {
  return (
    (text === undefined || typeof text === 'string') && (agent === undefined || typeof agent === 'string')
  );
}

function isTally({ key, calls, workers, tool, agent }: SwarmTallyEvent): boolean {
  return (
    typeof key === 'string' &&
    Number.isFinite(calls) &&
    calls >= 0 &&
    Number.isFinite(workers) &&
    workers >= 0 &&
    (tool === undefined || typeof tool === 'string') &&
    (agent === undefined || typeof agent === 'string')
  );
}
