import type { Status } from '../../core/types.ts';
import { LoopHalted } from '../loop-halted.ts';
import type { Invocation } from './invocation.ts';
import { type Agent, type Item, saidIn, textOf } from './shapes.ts';

/** What the SDK itself answers calls with, where no tool has. */
const ANSWERS: readonly (readonly [beginning: RegExp, status: Status])[] = [
  [/^Tool '.{1,200}' not found/, 'unknown-tool'],
  [/^An error occurred while parsing tool arguments/, 'invalid'],
  [/^Tool execution was not approved/, 'denied'],
  [/^An error occurred while running the tool/, 'error'],
];

/** What to send the model: the items with nudges in their places; `isLast` = without tools. */
type Prepared<Kind> = { readonly items: readonly Kind[]; readonly isLast: boolean };

/**
 * Before each model call: what no guardrail was asked about is told, nudges are added, and a stopped run ends here. `items` = the
 * conversation; `sent` = what a filter of the user's has made of it.
 */
export async function beforeResponse<Kind extends object>(
  now: Invocation,
  agent: Agent,
  items: readonly Item[],
  sent: readonly Kind[],
): Promise<Prepared<Kind>> {
  const { run } = now;
  const id = now.idOf(agent);
  if (!run.isReady) await run.ready();
  observe(now, items, agent);
  if (run.isQuiet(id)) return { items: now.nudgesOf(id).into(sent, undefined), isLast: false };
  await run.settle(id);
  const reason = run.stoppedFor(id);
  const isLast = run.takeLastTurn(id);
  if (reason !== null && !isLast) {
    await run.saved();
    throw new LoopHalted(reason, items);
  }
  const nudge = run.takeNudge(id);
  await run.saved();
  return { items: now.nudgesOf(id).into(sent, nudge?.text), isLast };
}

function observe(now: Invocation, items: readonly Item[], agent: Agent): void {
  const { run, known, open, current } = now;
  const voice = now.voiceOf(now.idOf(agent));
  // While a tool runs, another agent is inside that tool.
  const isInside = open.size > 0 && current !== null && current.name !== agent.name;
  const speaker = isInside ? agent : (current ?? agent);
  refuse(now, items, agent);
  if (isInside ? voice.isHeard : current !== null) tellRest(now, items, speaker);
  else for (const { type, callId } of items) if (type === 'function_call') known.add(String(callId));
  if (speaker.name !== agent.name)
    run.tell({ type: 'handoff', to: now.idOf(agent) ?? '', agent: now.idOf(speaker) });
  if (isInside && !voice.isHeard) run.tell({ type: 'spawn', to: agent.name, agent: now.idOf(current) });
  if (!isInside) now.current = agent;
  voice.isHeard = true;
}

/** The calls that no guardrail was asked about, and what was said before them. */
function tellRest(now: Invocation, items: readonly Item[], speaker: Agent): void {
  const { run, known } = now;
  const voice = now.voiceOf(now.idOf(speaker));
  now.turn(now.idOf(speaker));
  if (!voice.isLive) voice.late = lastSaid(items);
  for (const { type, callId, name, arguments: args } of items) {
    if (type !== 'function_call' || known.has(String(callId))) continue;
    known.add(String(callId));
    const call = now.callOf(speaker, String(callId), String(name), args);
    const result = items.find((other) => other.type === 'function_call_result' && other.callId === callId);
    if (run.before(call).do !== 'run' || result === undefined) continue;
    const output = textOf(result.output);
    const [, status] = ANSWERS.find(([beginning]) => beginning.test(output)) ?? ['', 'ok' as const];
    run.after(call, { output, status });
  }
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
  return saidIn(items.slice(begin, Math.max(begin, end)));
}
