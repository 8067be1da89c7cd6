import { digestText } from '../../core/digest-text.ts';
import type { Status, Usage } from '../../core/types.ts';
import { isCompacted } from '../compacted.ts';
import { digestWording } from '../digest-wording.ts';
import { forgetPieces } from '../forget-pieces.ts';
import type { HostCall, Run } from '../run.ts';
import { DONE } from '../session-keeper.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Verdict } from '../verdict.ts';
import {
  type AfterToolCall,
  type BeforeToolCall,
  type Event,
  type FinishTurn,
  type Message,
  type Result,
  type Tokens,
  wordsIn,
} from './shapes.ts';

/** One agent under a run. What it does are functions of this module, which an engine compiles once for all agents. */
export type WatchedAgent = {
  run: Run;
  /** The names of sub-agents of the run that are at work. */
  crew: Set<string>;
  /** What the user calls it; absent for the main agent. */
  readonly label: string | undefined;
  /** Its name in the run: with a number, where another one of that name is at work. */
  agent: string | undefined;
  readonly own: Own;
  readonly nudges: WeakSet<Message>;
  /** Digests of what it was told since it was called. */
  readonly heard: Set<number>;
  /** Calls that began and have not ended, with the arguments as the model wrote them. */
  readonly open: Map<string, { readonly args: unknown; presented: boolean }>;
  /** Calls that a hook of the user's is asked about: it may call the one that was there before it, which is ours. */
  readonly asked: Set<string>;
  /** Whether the latest response has had results since. */
  isBehindResults: boolean;
  /** Whether the response of this turn was asked for: a stream function of the user's may call the one before it, which is ours. */
  isAsked: boolean;
  /** Whether pieces of a response were heard that has not come. */
  hasPieces: boolean;
  /** Whether the run ends with this turn, as far as its results say; and what a hook of the user's says, which comes first. */
  isEnding: boolean;
  finish: string | undefined;
  /** How many messages the model was sent last. */
  sent: number;
  /** Whether the report is asked for, until it has come. */
  isLastTurn: boolean;
  isOver: boolean;
};
/** What the agent itself has and does. */
export type Own = {
  /** Where it works now, if a program has given it another session. */
  session(): Pick<WatchedAgent, 'run' | 'crew'> | null;
  hasTool(name: string): boolean;
  /** Adds words to the conversation, before the next response. */
  steer(text: string): Message;
  /** Whether it has words to go on with. */
  hasQueued(): boolean;
};

const HEARD: ReadonlySet<string> = new Set<Event['type']>([
  'agent_start',
  'message_end',
  'tool_execution_start',
  'tool_execution_end',
  'turn_start',
  'turn_end',
  'agent_end',
]);

export function watchAgent(run: Run, crew: Set<string>, label: string | undefined, own: Own): WatchedAgent {
  return {
    run,
    crew,
    label,
    agent: label,
    own,
    nudges: new WeakSet(),
    heard: new Set(),
    open: new Map(),
    asked: new Set(),
    isBehindResults: false,
    isAsked: true,
    hasPieces: false,
    isEnding: true,
    finish: undefined,
    sent: 0,
    isLastTurn: false,
    isOver: false,
  };
}

/**
 * Before the model is called. `end` = it is not, and this is what it would have said; `isEndless` = it was said already, and yet the
 * run goes on.
 */
type Begun = { readonly end?: string; readonly isEndless?: boolean; readonly mayCallTools: boolean };
const GO_ON: Begun = { mayCallTools: true };

/** `messages` = how many the model is sent. Rejects when the signal is aborted while a person is asked: pi ends the run as an aborted one. */
export function beforeResponse(
  watched: WatchedAgent,
  messages: number,
  signal: AbortSignal | undefined,
): Begun | Promise<Begun> {
  const { run, agent } = watched;
  watched.isAsked = true;
  if (isCompacted(watched, messages)) run.tell({ type: 'compaction', agent });
  if (!run.isReady || !run.isQuiet(agent)) return settled(watched, signal);
  watched.isLastTurn = false;
  watched.isOver = false;
  return GO_ON;
}

/** Something waits for the agent. */
async function settled(watched: WatchedAgent, signal: AbortSignal | undefined): Promise<Begun> {
  const { run, agent } = watched;
  await run.ready();
  await unlessAborted(run.settle(agent), signal);
  const isLast = run.takeLastTurn(agent) || (watched.isLastTurn && run.isOver(agent));
  const isEndless = watched.isOver;
  watched.isLastTurn = isLast;
  watched.isOver = !isLast && run.isOver(agent);
  await run.saved();
  return watched.isOver
    ? { end: run.stoppedFor(agent)?.message ?? '', isEndless, mayCallTools: false }
    : { mayCallTools: !isLast };
}

export async function beforeToolCall(
  { run, agent, open, asked }: WatchedAgent,
  own: BeforeToolCall | undefined,
  ...[context, signal]: Parameters<BeforeToolCall>
): ReturnType<BeforeToolCall> {
  const { toolCall, args } = context;
  if (asked.has(toolCall.id)) return own?.(context, signal);
  const call: HostCall = { id: toolCall.id, tool: toolCall.name, args, agent };
  const known = open.get(toolCall.id);
  if (known !== undefined) known.presented = true;
  const said =
    own &&
    (await saidBy(asked, toolCall.id, () => own(context, signal)).catch((error) => {
      // pi makes a result of it.
      run.before(call);
      run.failed(call, error, signal);
      throw error;
    }));
  if (said?.block === true) {
    run.before(call);
    run.after(call, { output: said.reason ?? '', status: unlessCancelled('denied', signal) });
    return said;
  }
  let verdict = run.judge(call);
  if (verdict instanceof Promise) verdict = await awaited(run, call, verdict, signal);
  if (verdict.do === 'run') return said;
  // pi has no way of its own to ask, so nobody will answer.
  if (verdict.do === 'hold') run.answer(false, agent);
  return { block: true, reason: verdict.text };
}

/** Rejects when nobody waits for the verdict any more: pi makes a result of it, and the tool is not run. */
async function awaited(
  run: Run,
  call: HostCall,
  verdict: Promise<Verdict>,
  signal: AbortSignal | undefined,
): Promise<Verdict> {
  try {
    return await unlessAborted(verdict, signal);
  } catch (aborted) {
    run.after(call, { output: '', status: 'cancelled' });
    throw aborted;
  }
}

/** What does not succeed after an abort was cancelled by it. */
function unlessCancelled(status: Status, signal: AbortSignal | undefined): Status {
  return signal?.aborted === true ? 'cancelled' : status;
}

export async function afterToolCall(
  { run, agent, open, asked }: WatchedAgent,
  own: AfterToolCall | undefined,
  ...[context, signal]: Parameters<AfterToolCall>
): ReturnType<AfterToolCall> {
  const { toolCall, args, result, isError } = context;
  if (asked.has(toolCall.id)) return own?.(context, signal);
  const call: HostCall = { id: toolCall.id, tool: toolCall.name, args, agent };
  const said =
    own &&
    (await saidBy(asked, toolCall.id, () => own(context, signal)).catch((error) => {
      run.failed(call, error, signal);
      throw error;
    }));
  const content = (said?.content ?? result.content ?? []) as Result['content'];
  const output = content.every(({ type }) => type === 'text') ? wordsIn({ content }) : content;
  const status = (said?.isError ?? isError) ? unlessCancelled('error', signal) : 'ok';
  // What one tool asks of another goes to that tool, not to the model.
  const isForModel = open.has(toolCall.id);
  const stub = run.after(call, { output, status }, { replaceable: isForModel && typeof output === 'string' });
  if (stub === null) return said;
  // The data for programs would go with the text that is replaced.
  const { structuredContent } = said?.content === undefined ? { ...result, ...said } : said;
  return { ...said, structuredContent, content: [{ type: 'text', text: stub }] };
}

export function finishTurn(watched: WatchedAgent, own: FinishTurn): FinishTurn {
  return async (...given) => {
    const said = await own(...given);
    watched.finish = said?.action;
    return said;
  };
}

/** What a hook of the user's says to a call; meanwhile the one that was there before it only passes on. */
async function saidBy<Said>(asked: Set<string>, id: string, own: () => Promise<Said>): Promise<Said> {
  asked.add(id);
  try {
    return await own();
  } finally {
    asked.delete(id);
  }
}

/** Most events are pieces of a response, which its stream has told already. */
export function hear(watched: WatchedAgent, event: Event): Promise<void> {
  if (!HEARD.has(event.type)) return DONE;
  if (event.type === 'agent_start') {
    const moved = watched.own.session();
    if (moved !== null) Object.assign(watched, moved, { agent: watched.label, sent: 0, isLastTurn: false });
    takeName(watched);
    watched.heard.clear();
    watched.isBehindResults = false;
    watched.isOver = false;
    return watched.run.begin();
  }
  const { run, agent, open } = watched;
  if (event.type === 'message_end') {
    if (!run.isReady) return run.ready().then(() => hearMessage(watched, event.message));
    hearMessage(watched, event.message);
  } else if (event.type === 'tool_execution_start')
    open.set(event.toolCallId, { args: event.args, presented: false });
  else if (event.type === 'tool_execution_end') hearResult(watched, event);
  else if (event.type === 'turn_start') {
    watched.isEnding = true;
    watched.finish = undefined;
    watched.isAsked = false;
  } else if (event.type === 'turn_end') {
    // What is said after the last turn would begin another one.
    const nudge = goesOn(watched, event.message) ? run.takeNudge(agent) : null;
    if (nudge !== null) watched.nudges.add(watched.own.steer(nudge.text));
    return run.isIdle(agent) ? DONE : run.saved();
  } else {
    if (agent !== undefined) watched.crew.delete(agent);
    open.clear();
    return run.saved();
  }
  return DONE;
}

function goesOn({ isEnding, finish, own }: WatchedAgent, message: Message): boolean {
  if (isBroken(message) || finish === 'end') return false;
  return !isEnding || finish === 'continue' || own.hasQueued();
}

function isBroken({ stopReason }: Message): boolean {
  return stopReason === 'error' || stopReason === 'aborted';
}

/** Agents of one name that are at work at once must not be held against each other. */
function takeName(watched: WatchedAgent): void {
  const { crew, label } = watched;
  if (watched.agent === undefined) return;
  for (let n = 2; crew.has(watched.agent); n++) watched.agent = `${label} ${n}`;
  crew.add(watched.agent);
}

function hearMessage(watched: WatchedAgent, message: Message): void {
  const { run, agent, nudges, isOver } = watched;
  const { role, usage } = message;
  if (isUser(message) && !nudges.has(message))
    run.user(wordsIn(message), { by: isNews(watched, message) ? 'person' : 'host', agent });
  if (role === 'toolResult') watched.isBehindResults = true;
  if (role === 'assistant') watched.isBehindResults = false;
  if (role !== 'assistant' || isOver) return;
  if (isBroken(message) && watched.hasPieces) forgetPieces(run, agent);
  watched.hasPieces = false;
  if (isBroken(message)) return;
  watched.isLastTurn = false;
  run.turn({
    text: wordsIn(message),
    reasoning: wordsIn(message, 'thinking'),
    usage: usage && usageOf(usage),
    agent,
  });
}

/** pi's web UI tells what comes with files by a role of its own, `user-with-attachments`. */
function isUser({ role }: Message): boolean {
  return role === 'user' || role.startsWith('user-');
}

/** Words that come again while the agent runs are a program's, which reminds it after every turn (`Step 3 of 20.`). */
function isNews({ heard, isBehindResults }: WatchedAgent, message: Message): boolean {
  const { role, content } = message;
  if (role !== 'user') return true;
  if (typeof content !== 'string' && content.some(({ type }) => type !== 'text')) return true;
  const text = wordsIn(message);
  const exact = digestText(text);
  const shape = digestWording(text);
  if (heard.has(exact) || heard.has(shape)) return false;
  // Tasks that wait for their turn come behind answers, and may differ by a number alone.
  heard.add(isBehindResults ? shape : exact);
  return true;
}

/** Calls of tools that do not exist, and arguments that are refused, come to nobody else. */
function hearResult(
  watched: WatchedAgent,
  { toolCallId: id, toolName: tool, result }: Event & { readonly type: 'tool_execution_end' },
): void {
  const { run, agent, open, own } = watched;
  const known = open.get(id);
  open.delete(id);
  if (result.terminate !== true) watched.isEnding = false;
  if (known === undefined || known.presented) return;
  const call: HostCall = { id, tool, args: known.args, agent };
  run.before(call);
  run.after(call, { output: wordsIn(result), status: own.hasTool(tool) ? 'invalid' : 'unknown-tool' });
}

function usageOf({ input, output, cacheRead, cacheWrite }: Tokens): Usage {
  return { input: input + cacheWrite, output, cachedInput: cacheRead };
}
