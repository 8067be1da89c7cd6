import type { Status } from '../../core/types.ts';
import type { LastingNudges } from '../lasting-nudges.ts';
import { LoopHalted } from '../loop-halted.ts';
import { type Invocation, SILENCE } from './invocation.ts';
import { type Agent, type InputFilter, type Item, textOf } from './shapes.ts';

/** What the SDK itself answers calls with, where no tool has. */
const ANSWERS: readonly (readonly [beginning: RegExp, status: Status])[] = [
  [/^Tool '.{1,200}' not found/, 'unknown-tool'],
  [/^An error occurred while parsing tool arguments/, 'invalid'],
  [/^Tool execution was not approved/, 'denied'],
  [/^An error occurred while running the tool/, 'error'],
];

/** Before each model call: what no guardrail was asked about is told, nudges are added, and a stopped run ends here. */
export function inputFilter(
  invocation: () => Invocation | undefined,
  nudgesOf: (invocation: Invocation, agent: string | undefined) => LastingNudges,
  own: InputFilter | undefined,
): InputFilter {
  return async (args) => {
    const { modelData, agent } = args;
    const mine = own === undefined ? modelData : await own(args);
    const now = invocation();
    if (now === undefined) return mine;
    const { run } = now;
    const id = now.idOf(agent);
    await run.ready();
    observe(now, modelData.input, agent);
    await run.settle(id);
    const reason = run.stoppedFor(id);
    if (reason !== null && !run.takeLastTurn(id)) {
      await run.saved();
      throw new LoopHalted(reason, modelData.input);
    }
    const nudge = run.takeNudge(id);
    const input = nudgesOf(now, id).into(mine.input, nudge?.text);
    now.nextTurn();
    await run.saved();
    return input === mine.input ? mine : { ...mine, input };
  };
}

function observe(now: Invocation, items: readonly Item[], agent: Agent): void {
  const { run, known, open } = now;
  const isFirst = now.current === null;
  const from = now.current;
  refuse(now, items, agent);
  if (isFirst) for (const { type, callId } of items) if (type === 'function_call') known.add(String(callId));
  for (const item of items) {
    const { type, callId, name, arguments: args } = item;
    if (type !== 'function_call' || known.has(String(callId))) continue;
    const call = now.callOf(from ?? agent, String(callId), String(name), args);
    now.turn(call.agent);
    known.add(String(callId));
    const result = items.find((other) => other.type === 'function_call_result' && other.callId === callId);
    if (run.before(call).do !== 'run' || result === undefined) continue;
    const output = textOf(result.output);
    const [, status] = ANSWERS.find(([beginning]) => beginning.test(output)) ?? ['', 'ok' as const];
    run.after(call, { output, status });
  }
  if (!isFirst) {
    now.turn(now.idOf(from ?? agent));
    now.late = lastSaid(items);
  }
  // While a tool runs, another agent is inside that tool.
  if (from !== null && from.name !== agent.name)
    run.tell({ type: open.size > 0 ? 'spawn' : 'handoff', to: agent.name, agent: now.idOf(from) });
  if (open.size === 0) now.current = agent;
}

/** A call that was held and has a result now, although no guardrail was asked, was not approved. */
function refuse({ run, idOf, known }: Invocation, items: readonly Item[], agent: Agent): void {
  const held = run.questionFor(idOf(agent))?.held ?? [];
  const isAnswered = ({ type, callId }: Item) =>
    type === 'function_call_result' && held.includes(String(callId));
  if (held.length > 0 && items.some(isAnswered)) run.answer(false, idOf(agent));
  for (const id of held) known.add(id);
}

/** What stands before the calls of the last response. */
function lastSaid(items: readonly Item[]): { readonly text: string; readonly reasoning: string } {
  const isCall = ({ type }: Item) => type === 'function_call' || type === 'function_call_result';
  const end = items.findLastIndex((item) => !isCall(item)) + 1;
  const begin = items.slice(0, end).findLastIndex((item) => isCall(item) || item.role === 'user') + 1;
  if (begin >= end) return SILENCE;
  const said = items.slice(begin, end);
  return {
    text: said.map(({ role, content }) => (role === 'assistant' ? textOf(content) : '')).join(''),
    reasoning: said.map(({ type, content }) => (type === 'reasoning' ? textOf(content) : '')).join(''),
  };
}
