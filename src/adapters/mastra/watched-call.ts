import type { Run } from '../run.ts';
import type { Cast } from './cast.ts';
import { modelReads, type Reading } from './model-output.ts';
import {
  hasEnded,
  type Invocation,
  invocationsIn,
  isDenied,
  isInBackground,
  type Message,
  modelOutputIn,
  type Processor,
} from './shapes.ts';

/** One call of `generate` or `stream` under a run. */
export type WatchedCall = {
  readonly run: Run;
  /** The agents of the run; null = there can be no other. */
  readonly cast: Cast | null;
  /** Its name in the run; absent for the main agent. */
  readonly agent: string | undefined;
  /** The agents of the run, where it is the main one of them and nobody tells of its end. */
  readonly durableIn: Cast | null;
  /** Ids of calls that need not be looked for in the messages any more. */
  readonly presented: Set<string>;
  /** Calls of the last response that have not come to an end, with their arguments as the model has sent them, where that was heard. */
  readonly open: Map<string, unknown>;
  /** Calls that were begun in the background, and have no other result for us. */
  readonly begun: Set<string>;
  readonly readings: Reading[];
  /** The names of the tools of the step before are its keys; null = there was no step. */
  known: object | null;
  /** Whether the last response was heard. */
  told: boolean;
  /** Whether what its model says is the agent's. Processors that stand before ours may ask the model, too, between two steps. */
  isAsking: boolean;
  /** How many messages the model was sent last. */
  sent: number;
  /** Whether the call ends with this step: the model reports, or the reason stands in its place. */
  isLastStep: boolean;
  /** Tools and models that are under watch. */
  readonly watched: WeakSet<object>;
  /** The id of the person's message that was heard last. */
  heard: string | undefined;
  readonly place: Place;
};
/** Begins a call. `watched` = tools and models that are under watch already. */
export type Begin = (
  options: {
    readonly threadId?: string | undefined;
    readonly agentId?: string | undefined;
    /** Mastra's id of the call, where its end can be heard of. */
    readonly runId?: string | undefined;
  },
  watched: WeakSet<object>,
) => WatchedCall;
/** Where the processor stands when it has something to do: processors cost more in Mastra than all that we do. */
type Place = {
  /** What Mastra reads before each step: the user's own, and ours behind them. */
  processors: Processor[];
  ours: Processor | null;
  /** Others may put in tools and models of their own, which only a processor sees. */
  isAlwaysThere: boolean;
  /** Others may do something after all steps of processors, right before the model is asked. */
  isBeforeRequests: boolean;
};

export function createWatchedCall(
  run: Run,
  cast: Cast | null,
  agent: string | undefined,
  watched: WeakSet<object>,
  isDurable: boolean,
): WatchedCall {
  return {
    run,
    cast,
    agent,
    durableIn: isDurable && agent === undefined ? cast : null,
    presented: new Set(),
    open: new Map(),
    begun: new Set(),
    readings: [],
    known: null,
    told: true,
    isAsking: true,
    sent: 0,
    isLastStep: false,
    watched,
    heard: undefined,
    place: { processors: [], ours: null, isAlwaysThere: true, isBeforeRequests: false },
  };
}

/** Whether the next step must be looked at before it begins. */
export function arrange({ run, agent, open, place }: WatchedCall): void {
  const { processors, ours, isAlwaysThere } = place;
  if (ours === null || isAlwaysThere) return;
  const isNeeded = open.size > 0 || !run.isQuiet(agent);
  const isThere = processors.at(-1) === ours;
  if (isNeeded && !isThere) processors.push(ours);
  else if (isThere && !isNeeded) processors.pop();
}

export function present(call: WatchedCall, id: string | undefined): void {
  // Its model was not heard, because somebody has put another one in its place.
  if (!call.told) call.run.turn({ agent: call.agent });
  call.told = true;
  if (id !== undefined) call.presented.add(id);
}

/** The call has come to an end. */
export function close(call: WatchedCall, id: string | undefined): void {
  if (id !== undefined) call.open.delete(id);
  arrange(call);
}

/** What the messages tell that came to nobody else; and a step begins, with these tools. */
export function hear(call: WatchedCall, messages: readonly Message[], tools: object): void {
  const { run, agent, presented, open } = call;
  const invocations = invocationsIn(messages);
  if (run.questionFor(agent) !== null) hearAnswer(call, messages, invocations);
  for (const [toolCallId, invocation] of new Map(invocations.map((one) => [one.toolCallId, one]))) {
    if (open.has(toolCallId) && isInBackground(invocation)) hearBegun(call, invocation);
    else if (!presented.has(toolCallId)) hearMissing(call, invocation, call.known ?? tools);
  }
  if (!call.told) run.turn({ agent });
  call.told = false;
  call.known = tools;
}

/** What became of calls that wait for a person: Mastra runs them, or not, without a word to us. */
function hearAnswer(
  { run, agent }: WatchedCall,
  messages: readonly Message[],
  invocations: readonly Invocation[],
): void {
  for (const id of run.questionFor(agent)?.held ?? []) {
    const ended = invocations.findLast((one) => one.toolCallId === id);
    if (ended === undefined || !hasEnded(ended) || isInBackground(ended)) continue;
    const { toolName, args, result } = ended;
    run.answer(!isDenied(ended), agent);
    if (isDenied(ended)) continue;
    run.after({ id, tool: toolName, args, agent }, modelReads(modelOutputIn(messages, id), result));
  }
}

/** A call that runs in the background, or will: what the model has of it in this step is that it was begun. */
function hearBegun(call: WatchedCall, { toolCallId, toolName: tool, args }: Invocation): void {
  const { run, agent, presented, begun } = call;
  // It waits for a person, and is asked for again.
  if (run.questionFor(agent)?.held?.includes(toolCallId)) return;
  begun.add(toolCallId);
  const isKnown = presented.has(toolCallId);
  // Without its id it cannot be held: it has been begun.
  const same = { id: isKnown ? toolCallId : undefined, tool, args, agent };
  if (!isKnown) {
    present(call, toolCallId);
    run.before(same);
  }
  run.after(same, { output: 'Background task started.' });
}

/** Calls of tools that do not exist come to no tool, nor do those of hidden ones, those with arguments that are no JSON, or those that a person has declined. */
function hearMissing(call: WatchedCall, invocation: Invocation, tools: object): void {
  if (!hasEnded(invocation)) return;
  const { run, agent, presented, open, known } = call;
  const { toolCallId, toolName, args, result, errorText, approval } = invocation;
  // What was there when the call began is history.
  if (known === null && !open.has(toolCallId)) {
    presented.add(toolCallId);
    return;
  }
  present(call, toolCallId);
  // Mastra keeps nothing of arguments that are no JSON, and those of the first call where ids come again.
  const missing = { id: toolCallId, tool: toolName, args: open.get(toolCallId) ?? args, agent };
  if (isDenied(invocation)) {
    run.before(missing);
    run.after(missing, { output: approval?.reason, status: 'denied' });
  } else if (isNotFound(invocation) && !(call.isLastStep && Object.hasOwn(tools, toolName))) {
    run.before(missing);
    run.after(missing, { output: errorText ?? result, status: 'unknown-tool' });
  } else if (isUnreadable(invocation)) {
    run.before(missing);
    run.after(missing, { output: errorText, status: 'invalid' });
  }
}

/**
 * Mastra's word for it is what counts: tools may be put in that we do not see, and the provider may run some under other names. One that
 * is not among the `activeTools` is not there for Mastra; in the last step it is we who hide them.
 */
function isNotFound({ toolName, errorText }: Invocation): boolean {
  return typeof errorText === 'string' && errorText.startsWith(`Tool "${toolName}" not found.`);
}

function isUnreadable({ toolName, errorText }: Invocation): boolean {
  return (
    typeof errorText === 'string' && errorText.startsWith(`Tool "${toolName}" received invalid arguments`)
  );
}
