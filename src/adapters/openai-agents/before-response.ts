import { isCompacted } from '../compacted.ts';
import { LoopHalted } from '../loop-halted.ts';
import type { HostResult } from '../run.ts';
import {
  type Circumstances,
  type Invocation,
  NONE,
  ORDINARY,
  type ToolCall,
  type Voice,
} from './invocation.ts';
import { callIn, idIn, isCall, isResult, outcomeOf } from './items.ts';
import { give, hear } from './message.ts';
import {
  type Agent,
  approvalOf,
  type Item,
  isForced,
  isHandoff,
  saidIn,
  type ToolCall as ToolCallItem,
} from './shapes.ts';

/** What to send the model: the items with nudges in their places; `isLast` = without tools, `isAsked` = a question is open. */
type Prepared = { readonly items: readonly Item[] } & Circumstances;
/** `items` = the conversation; `sent` = what a filter of the user's has made of it. */
type Asked = {
  readonly agent: Agent;
  readonly items: readonly Item[];
  readonly sent: readonly Item[];
  /** The agent has tools that are taken away only before a request is made. */
  readonly hasOwnTools: boolean;
  /** The request has none at all: it is a report, or something else that a program asks a model which is watched. */
  readonly isAside: boolean;
};

/** Before each model call: what no guardrail was asked about is told, nudges are added, and a stopped run ends here. */
export async function beforeResponse(now: Invocation, asked: Asked): Promise<Prepared> {
  const { run } = now;
  const { agent, items, sent, hasOwnTools } = asked;
  const id = now.idOf(agent);
  if (!run.isReady) await run.ready();
  observe(now, items, agent);
  const voice = now.voiceOf(id);
  if (forgets(now, voice, asked)) run.tell({ type: 'compaction', agent: id });
  if (run.isQuiet(id)) return { items: withNudges(now, id, sent, untoldBy(voice)), ...ORDINARY };
  await now.settle(id);
  const reason = run.stoppedFor(id);
  // Where the tools were given out before the stop, the last turn is the next one: until then no call is let through.
  const isBare = voice.isLive || voice.isBare || !hasOwnTools;
  voice.isBare = false;
  // A model that must call a tool cannot report.
  const isLast = isBare && reason !== null && !run.isOver(id) && (voice.isLive || !isForced(agent));
  if (reason !== null && !isLast && (isBare || run.isOver(id))) {
    await run.saved();
    throw new LoopHalted(reason, items);
  }
  if (isLast) now.partial = items;
  const { text = untoldBy(voice) } = run.takeNudge(id) ?? {
    text: voice.isUnasked ? reason?.message : undefined,
  };
  voice.isUnasked = false;
  const circumstances = { isLast, isAsked: run.questionFor(id) !== null };
  // A request to a model that is watched may fail and be made again.
  if (!voice.isLive) now.answered(id, circumstances);
  await run.saved();
  return { items: withNudges(now, id, sent, text), ...circumstances };
}

/** Whether the model has lost what it had seen; where the provider keeps the conversation nobody knows. */
function forgets({ isManaged }: Invocation, voice: Voice, { sent, isAside }: Asked): boolean {
  return !isManaged && !isAside && isCompacted(voice, sent.length);
}

function untoldBy(voice: Voice): string | undefined {
  const { untold } = voice;
  if (untold === '') return undefined;
  voice.untold = '';
  return untold;
}

/** Where the provider keeps the conversation it keeps nudges, too. */
function withNudges(
  { isManaged, nudgesOf }: Invocation,
  id: string | undefined,
  sent: readonly Item[],
  nudge: string | undefined,
): readonly Item[] {
  if (!isManaged) return nudgesOf(id).into(sent, nudge);
  return nudge === undefined ? sent : [...sent, { role: 'user', content: nudge }];
}

function observe(now: Invocation, items: readonly Item[], agent: Agent): void {
  const { current } = now;
  now.seats.clear();
  now.paused = NONE;
  now.reader = null;
  if (current === null) begin(now, items, agent);
  refuse(now, items, agent);
  if (current !== null) hearLast(now, items, current);
  tellSaid(now, items);
  tellEnds(now, items, current ?? agent);
  now.calls.clear();
  if (current !== null && current.name !== agent.name)
    now.run.tell({ type: 'handoff', to: now.idOf(agent) ?? '', agent: now.idOf(current) });
  now.current = agent;
  now.items = items;
}

/** What was there before the first response is nobody's doing, but for calls that have waited for a person in another process. */
function begin(now: Invocation, items: readonly Item[], agent: Agent): void {
  const { known, waited } = now;
  for (const item of items.filter(isDone)) {
    if (waited.has(idIn(item))) now.say(item, agent);
    else known.add(idIn(item));
  }
  spawn(now, agent);
  if (!now.isTold) hear(now, agent, items);
  now.isTold = true;
  if (!items.some((item) => isDone(item) || item.role === 'assistant')) now.renew(agent);
}

/** As `begin`, where nobody shows the conversation: whoever is run anew has a new task, unless it waits for an answer. */
export function beginUnheard(now: Invocation, agent: Agent): void {
  now.isTold = true;
  spawn(now, agent);
  if (now.run.questionFor(now.idOf(agent)) === null) give(now, agent, { text: undefined }, true);
}

/** An agent is run inside of another: told once for each name. */
function spawn({ run, around, idOf }: Invocation, agent: Agent): void {
  if (around === null) return;
  const id = idOf(agent);
  const voice = around.voiceOf(id);
  if (!voice.isHeard) run.tell({ type: 'spawn', to: id ?? agent.name, agent: around.idOf(around.asked) });
  voice.isHeard = true;
}

/** What the last response has said, and which calls it has made. */
function hearLast(now: Invocation, items: readonly Item[], speaker: Agent): void {
  const voice = now.voiceOf(now.idOf(speaker));
  now.turn(now.idOf(speaker));
  if (voice.isAsked) refuseUnasked(now, voice, now.idOf(speaker));
  if (!voice.isLive) {
    voice.late = lastSaid(items);
    listen(now, items, speaker);
  }
}

/** Where no response was heard, the calls are those among the items; of some there may be no more than the result. */
function listen(now: Invocation, items: readonly Item[], agent: Agent): void {
  for (const item of items.filter(isDone)) if (now.say(item, agent) && isResult(item)) now.isManaged = true;
}

/** The calls that no guardrail was asked about. */
function tellSaid(now: Invocation, items: readonly Item[]): void {
  const { run, known, calls, unheld } = now;
  for (const [id, { said }] of calls) {
    if (said === null || known.has(id)) continue;
    const { item, agent } = said;
    known.add(id);
    const given = { id, ...callIn(item), agent: now.idOf(agent) };
    const hands = isHandoff(agent, given.tool);
    const call = hands ? handoffOf(now, given) : given;
    const result = resultOf(id, items) ?? (item.type === 'function_call' ? undefined : item);
    const verdict = run.before(call);
    if (verdict.do === 'hold') unheld.add(id);
    if (verdict.do !== 'run' || (result === undefined && !hands)) continue;
    if (!hands) now.work.calls += 1;
    run.after(call, result === undefined ? { output: '' } : endOf(now, agent, result));
  }
}

/** All handoffs to one agent look alike: what tells them apart is what was done since the last by the same agent, by whomever. */
function handoffOf({ work }: Invocation, call: ToolCall): ToolCall {
  const { calls, handedOver } = work;
  const isIdle = calls === (handedOver.get(call.agent) ?? calls);
  handedOver.set(call.agent, calls);
  return isIdle ? call : { ...call, args: [call.args, calls] };
}

/** Calls whose results no guardrail of ours was shown: a guardrail of the user's has put another in its place, or a person has said no. */
function tellEnds(now: Invocation, items: readonly Item[], agent: Agent): void {
  for (const [id, { judged, isOpen }] of now.calls) {
    const result = isOpen ? resultOf(id, items) : undefined;
    if (judged !== null && result !== undefined) now.run.after(judged, endOf(now, agent, result));
  }
}

/** What the model gets for a call that a person has said no to may be any text. */
function endOf({ context }: Invocation, agent: Agent, result: Item): HostResult {
  const outcome = outcomeOf(result);
  const isRejected =
    result.type === 'function_call_result' && approvalOf(context, agent, result as ToolCallItem) === false;
  return isRejected ? { ...outcome, status: 'denied' } : outcome;
}

function resultOf(id: string, items: readonly Item[]): Item | undefined {
  return items.findLast((item) => isResult(item) && idIn(item) === id);
}

/** A call that was held and has a result now, although it did not run, was not approved. */
function refuse({ run, idOf, known, unheld }: Invocation, items: readonly Item[], agent: Agent): void {
  const held = run.questionFor(idOf(agent))?.held ?? [];
  if (held.some((id) => !unheld.has(id) && resultOf(id, items) !== undefined)) run.answer(false, idOf(agent));
  for (const id of held) known.add(id);
}

/** A question waits for a call that it can be asked with, but no longer than one response. */
function refuseUnasked({ run }: Invocation, voice: Voice, id: string | undefined): void {
  voice.isAsked = false;
  if (run.questionFor(id) === null) return;
  voice.isUnasked = true;
  run.answer(false, id);
}

/** What stands before the calls of the last response. */
function lastSaid(items: readonly Item[]): { readonly text: string; readonly reasoning: string } {
  const end = items.findLastIndex((item) => !isDone(item)) + 1;
  const begin = items.slice(0, end).findLastIndex((item) => isDone(item) || item.role === 'user') + 1;
  return saidIn(items.slice(begin, Math.max(begin, end)));
}

function isDone(item: Item): boolean {
  return isCall(item) || isResult(item);
}
