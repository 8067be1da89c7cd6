import { fieldsOf } from '../fields.ts';
import { findLoopHalted, isLoopHalted, LoopHalted } from '../loop-halted.ts';
import type { Invocation } from './invocation.ts';
import { idIn } from './items.ts';
import { type Agent, approvalOf, type Context, type State } from './shapes.ts';

/** The last response has no calls, or they wait for a person: nobody has told it yet. */
export function conclude(now: Invocation, result: unknown): void {
  const { idOf, current, voiceOf, turn } = now;
  concludeInside(now);
  if (current === null) return;
  const { state, interruptions, cancelled } = fieldsOf(result);
  const isWhole = cancelled !== true && Array.isArray(interruptions) && interruptions.length === 0;
  const text = isWhole && fieldsOf(result)['finalOutput'];
  if (typeof text === 'string') voiceOf(idOf(current)).late = { text, reasoning: '' };
  turn(idOf(current), fieldsOf(state));
}

/** Of an agent inside of a tool that waits for a person, the SDK does not say that it has ended; and it may go on in another process. */
function concludeInside({ calls }: Invocation): void {
  for (const { inner } of calls.values()) {
    if (inner === null) continue;
    concludeInside(inner);
    if (inner.current !== null) inner.turn(inner.idOf(inner.current));
  }
}

/** What the SDK throws where a model calls a tool that it does not have, or must call one and has none. */
const WITHOUT_TOOLS: readonly unknown[] = ['ModelBehaviorError', 'UserError'];

/** What has ended a stopped run; in a stream the SDK's own error is read, so that has it as its cause. */
export function haltedBy({ run, idOf, current, partial }: Invocation, error: unknown): LoopHalted | null {
  if (isLoopHalted(error)) return error;
  const reason = current && run.stoppedFor(idOf(current));
  const thrown = findLoopHalted(error);
  if (thrown !== null && thrown.reason === reason) return thrown;
  if (!reason || !partial || !(error instanceof Error) || !WITHOUT_TOOLS.includes(error.name)) return null;
  const halted = new LoopHalted(reason, partial);
  error.cause ??= halted;
  return halted;
}

/** Whoever reads a stream gets its error before `completed` does: what has ended the run must be known by then. */
export function tellReaders(now: Invocation, result: unknown): void {
  const { _raiseError: raise } = fieldsOf(result);
  if (typeof raise !== 'function') return;
  const raiseError = (error: unknown, ...rest: readonly unknown[]): unknown => {
    haltedBy(now, error);
    return raise.call(result, error, ...rest);
  };
  Object.defineProperty(result, '_raiseError', { value: raiseError, configurable: true, writable: true });
}

/**
 * Questions that a person has said no to: known before the run goes on, so that tools can be taken away in time. Those of agents
 * that are tools are left for later: where theirs goes on, the SDK must still find the tool that was asked about.
 */
export async function refuseRejected(now: Invocation, state: State): Promise<void> {
  const { run, idOf, waited } = now;
  if (now.around === null) waited.clear();
  const waiting = state.getInterruptions?.() ?? [];
  if (waiting.length === 0) return;
  if (!run.isReady) await run.ready();
  for (const { agent, rawItem } of waiting) {
    // Shells, editors and computers wait, too, but are asked for in another way, and not by the guard.
    const isRejected =
      rawItem.type === 'function_call' && approvalOf(state._context, agent, rawItem) === false;
    waited.set(idIn(rawItem), isRejected);
    if (!isRejected || agent.name !== state._currentAgent?.name) continue;
    if (run.questionFor(idOf(agent))?.held?.includes(rawItem.callId)) run.answer(false, idOf(agent));
  }
}

/** What was left for later, once the agent goes on; and in a run that is not guarded, all of them. */
export function refuseLate({ run, idOf, calls, waited }: Invocation, agent: Agent, context: Context): void {
  const held = run.questionFor(idOf(agent))?.held ?? [];
  const isRejected = (callId: string) => {
    const { tool: name } = calls.get(callId)?.judged ?? {};
    if (waited.get(callId) === true) return true;
    return name !== undefined && approvalOf(context, agent, { callId, name, arguments: '' }) === false;
  };
  if (held.some(isRejected)) run.answer(false, idOf(agent));
}
