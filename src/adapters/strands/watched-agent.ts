import type { Usage } from '../../core/types.ts';
import { forgetPieces } from '../forget-pieces.ts';
import type { Run } from '../run.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Verdict } from '../verdict.ts';
import { whenSaved } from '../when-saved.ts';
import type { Crew } from './crew.ts';
import { say } from './nudging.ts';
import { callOf, notRun, tellHeld, tellUnseen } from './results.ts';
import { addTo } from './running-agents.ts';
import {
  type Agent,
  type Block,
  type CallEvent,
  type Confirm,
  type Guide,
  hasResults,
  type Message,
  type ModelEvent,
  PROCEED,
  type Proceed,
  type ResultEvent,
  STRUCTURED_OUTPUT,
  type Tokens,
  wordsIn,
} from './shapes.ts';
import { isNews, newTask, type Task, type Work } from './work.ts';

/** What the SDK itself says of calls that a person has cancelled. */
const CANCELLED = 'Tool execution cancelled';
/** Others may refuse a report, or the reason in its place, and have the model asked again: so many times, or they might go on without end. */
const MAX_REPORTS = 4;
/** Of a bookmark the adapter needs the nudges alone. */
const NO_BOOKMARK = { read: 0, last: 0, verdicts: [], answered: false, ran: false, shown: 0 };

/** One agent of the SDK under a run. What it does are functions of this module, which an engine compiles once for all agents. */
export type WatchedAgent = {
  readonly agent: Agent;
  readonly run: Run;
  readonly crew: Crew;
  /** Its name in the run; absent for the main agent. */
  readonly name: string | undefined;
  /** Calls that run. */
  readonly open: Map<string, CallEvent>;
  /** Calls that others have cancelled, and calls that were not run on our word. */
  readonly denied: Set<string>;
  readonly refused: Set<string>;
  /** Whether it has called tools since its last structured answer; and such answers, which count only where they are refused: the words may well be the same. */
  hasWorked: boolean;
  readonly answers: Set<string>;
  /** Whether results are heard after all hooks; and one for which that was too late. */
  hearsResults: boolean;
  held: ResultEvent | null;
  /** The latest response; and whether nothing was heard of its calls. */
  turn: readonly Block[];
  isUnseen: boolean;
  /** Whether there is a question about one of them that did not run on another's word. */
  isMoot: boolean;
  /** The model that is listened to; and whether pieces of a response were heard of which nobody knows yet what becomes. */
  model: object | undefined;
  hasPieces: boolean;
  /** Whether it waits for a response of its model; at other times it is others who ask the model. */
  isAsking: boolean;
  /** Of its latest invocation: what it belongs to, and the signal that the SDK has for it. */
  work: Work | null;
  task: Task;
  signal: AbortSignal | undefined;
  /** The agent within whose call it runs: there nobody is who could be asked. */
  caller: WatchedAgent | null;
  /** Whether another node of a graph has sent it its words. */
  isNode: boolean;
  /** The digest of what it was asked, without what other nodes say to that. */
  prompt: number | undefined;
  /** Whether a person has ever spoken to it. */
  isSpokenTo: boolean;
  /** Whether calls of the agent are heard; and whether there was one since its latest invocation began. */
  tellsCalls: boolean;
  isSent: boolean;
  /** How many times it has gone on by itself since it was called. */
  resumes: number;
  /** Whether an invocation has begun of which nothing was heard yet. */
  isFresh: boolean;
  /** Whether it was invoked with nothing new. */
  isAgain: boolean;
  /** The last message when the model was last called. */
  asked: Message | undefined;
  /** How many messages the model was sent last in this invocation. */
  sent: number;
  /** `hasReported` = a response of the last turn has come; whether it stays, others decide after us. `reports` = how many responses after a stop have come since the agent was called. */
  isLastTurn: boolean;
  hasReported: boolean;
  reports: number;
  isOver: boolean;
};

export function watchAgent(agent: Agent, run: Run, crew: Crew, name: string | undefined): WatchedAgent {
  return {
    agent,
    run,
    crew,
    name,
    open: new Map(),
    denied: new Set(),
    refused: new Set(),
    hasWorked: false,
    answers: new Set(),
    hearsResults: false,
    held: null,
    turn: [],
    isUnseen: false,
    isMoot: false,
    model: undefined,
    hasPieces: false,
    isAsking: false,
    work: null,
    task: newTask(),
    signal: undefined,
    caller: null,
    isNode: false,
    prompt: undefined,
    isSpokenTo: false,
    tellsCalls: false,
    isSent: true,
    resumes: 0,
    isFresh: true,
    isAgain: false,
    asked: undefined,
    sent: 0,
    isLastTurn: false,
    hasReported: false,
    reports: 0,
    isOver: false,
  };
}

/** Whether an invocation, with the work of its `invocationState`, is one that the agent goes on with by itself. */
export function isResumed(agent: WatchedAgent, known: Work): boolean {
  return agent.tellsCalls && !agent.isSent && known === agent.work;
}

export function beforeInvocation(agent: WatchedAgent, work: Work, caller: WatchedAgent | null): void {
  agent.work = work;
  agent.caller = caller;
  agent.resumes = 0;
  agent.reports = 0;
  if (agent.hasReported) agent.isLastTurn = false;
  begin(agent, work);
}

export function resumeInvocation(agent: WatchedAgent, work: Work): void {
  agent.resumes += 1;
  begin(agent, work);
}

function begin(agent: WatchedAgent, work: Work): void {
  tellHeld(agent);
  if (agent.signal?.aborted === true) agent.isUnseen = false;
  addTo(work.running, agent);
  addTo(agent.crew.running, agent);
  agent.signal = agent.agent.cancelSignal;
  agent.open.clear();
  agent.isAsking = false;
  agent.isSent = false;
  agent.isFresh = true;
  agent.isAgain = false;
  agent.sent = 0;
}

export function beforeModelCall(
  agent: WatchedAgent,
  event: ModelEvent,
): Proceed | Guide | Promise<Proceed | Guide> {
  const { run } = agent;
  return run.isReady ? asked(agent, event) : run.ready().then(() => asked(agent, event));
}

function asked(agent: WatchedAgent, event: ModelEvent): Proceed | Promise<Proceed | Guide> {
  const { run, name, isFresh, asked: before } = agent;
  const last = event.agent.messages.at(-1);
  tellHeld(agent);
  if (agent.isUnseen) tellUnseen(agent, last);
  if (isFresh) hear(agent, last);
  agent.asked = last;
  agent.isAsking = true;
  agent.isOver = false;
  if (run.isQuiet(name)) {
    agent.isLastTurn = false;
    return PROCEED;
  }
  // The model has called tools all the same; a report that is not taken leaves no results. Where the agent goes on by itself, results are
  // those of tasks in the background, which it must hear of: there anything else is the end.
  if (agent.hasReported && last !== before && hasResults(last) !== isFresh) agent.isLastTurn = false;
  agent.hasReported = false;
  return settled(agent, event);
}

/** Something waits for the agent. */
async function settled(agent: WatchedAgent, event: ModelEvent): Promise<Proceed | Guide> {
  const { run, name, signal } = agent;
  try {
    await unlessAborted(run.settle(name), signal);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return PROCEED;
  }
  // There is no call that could wait for the answer.
  if (agent.isMoot && run.questionFor(name) !== null) run.answer(false, name);
  const isRefused = agent.reports >= MAX_REPORTS;
  // It stays the last turn until there is a response: the SDK may have to try again.
  agent.isLastTurn = !isRefused && (agent.isLastTurn || run.takeLastTurn(name));
  agent.isOver = !agent.isLastTurn && run.isOver(name);
  await run.saved();
  if (agent.isOver) {
    // A graph, or a hook that sends the agent on, would go round without end; only an error ends it, and that must come from the model.
    const goesRound = isRefused || (agent.isAgain && (agent.isNode || agent.resumes > 0));
    const throws = goesRound && event.model !== undefined && event.model === agent.model;
    if (!throws) event.cancel = run.stoppedFor(name)?.message ?? '';
    return PROCEED;
  }
  const nudge = run.takeNudge(name);
  if (nudge === null) return PROCEED;
  run.keepBookmark({ ...NO_BOOKMARK, agent: name ?? '', nudges: [nudge.text] });
  const said = say(event.agent, nudge.text);
  agent.asked = event.agent.messages.at(-1);
  return said;
}

/** A person speaks at the beginning of an invocation, or not at all; another agent or a graph may speak there as well. */
function hear(agent: WatchedAgent, last: Message | undefined): void {
  const { run, name } = agent;
  agent.isFresh = false;
  if (last?.role !== 'user' || hasResults(last)) return;
  const text = wordsIn(last.content);
  // A response that was lost, or left for a checkpoint, is asked for again with our own words last.
  if (run.bookmarkFor(name)?.nudges.some((nudge) => text.includes(nudge)) === true) return;
  agent.isAgain = !isNews(agent, last.content, text);
  agent.isSpokenTo ||= agent.caller === null && !agent.isNode;
  run.user(text, { by: agent.isAgain ? 'host' : 'person', agent: name });
}

export function afterModelCall(
  agent: WatchedAgent,
  { content, metadata }: Message,
): Proceed | Promise<Proceed> {
  const { run, name } = agent;
  agent.isAsking = false;
  if (agent.isLastTurn || agent.isOver) agent.reports += 1;
  if (agent.isOver) return PROCEED;
  agent.hasPieces = false;
  agent.hasReported = agent.isLastTurn;
  agent.turn = content;
  agent.isUnseen = true;
  agent.isMoot = false;
  run.turn({
    text: wordsIn(content),
    reasoning: wordsIn(content, 'reasoningBlock'),
    usage: usageOf(metadata?.usage),
    tools: agent.agent.tools?.length !== 0,
    agent: name,
  });
  return whenSaved(run, name, PROCEED);
}

/** No response has come of what was heard so far, or the model is asked again before there is one. */
export function forgetBroken(agent: WatchedAgent): Proceed {
  if (agent.hasPieces) forgetPieces(agent.run, agent.name);
  agent.hasPieces = false;
  return PROCEED;
}

/** No response has come at all. */
export function afterBrokenCall(agent: WatchedAgent): Proceed {
  agent.isAsking = false;
  return forgetBroken(agent);
}

export function beforeToolCall(
  agent: WatchedAgent,
  event: CallEvent,
): Proceed | Confirm | Promise<Proceed | Confirm> {
  const { run } = agent;
  return run.isReady ? judged(agent, event) : run.ready().then(() => judged(agent, event));
}

function judged(agent: WatchedAgent, event: CallEvent): Proceed | Confirm | Promise<Proceed | Confirm> {
  const { run, name, open, denied } = agent;
  const { toolUse, cancel } = event;
  const call = callOf(toolUse, name);
  agent.isUnseen = false;
  tellHeld(agent);
  if (cancel) {
    notRun(agent, call);
    denied.add(toolUse.toolUseId);
    return PROCEED;
  }
  const isAnswer = toolUse.name === STRUCTURED_OUTPUT;
  // It is the report.
  if (isAnswer && run.stoppedFor(name) !== null) return PROCEED;
  const isWorkedFor = isAnswer && agent.hasWorked;
  agent.hasWorked = !isAnswer;
  if (isWorkedFor) {
    agent.answers.add(toolUse.toolUseId);
    open.set(toolUse.toolUseId, event);
    return PROCEED;
  }
  const verdict = run.judge(call);
  return verdict instanceof Promise ? heededLater(agent, event, verdict) : heeded(agent, event, verdict);
}

async function heededLater(
  agent: WatchedAgent,
  event: CallEvent,
  verdict: Promise<Verdict>,
): Promise<Proceed | Confirm> {
  const { signal, denied } = agent;
  try {
    return heeded(agent, event, await unlessAborted(verdict, signal));
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    denied.add(event.toolUse.toolUseId);
    event.cancel = CANCELLED;
    return PROCEED;
  }
}

function heeded(agent: WatchedAgent, event: CallEvent, verdict: Verdict): Proceed | Confirm {
  const { run, name, open, refused } = agent;
  const { toolUseId } = event.toolUse;
  if (verdict.do === 'run') {
    open.set(toolUseId, event);
    return PROCEED;
  }
  if (verdict.do === 'hold' && agent.caller === null) {
    const evaluate = (response: unknown) => {
      const yes = isYes(response);
      run.answer(yes, name);
      if (yes) open.set(toolUseId, event);
      else refused.add(toolUseId);
      return yes;
    };
    return { type: 'confirm', prompt: verdict.text, evaluate };
  }
  // The SDK would hand the question to the model that called the agent, as its result.
  if (verdict.do === 'hold') run.answer(false, name);
  refused.add(toolUseId);
  event.cancel = verdict.text;
  return PROCEED;
}

/** The words that the SDK itself takes for a yes. */
function isYes(response: unknown): boolean {
  return response === true || (typeof response === 'string' && /^(y|yes|true)$/i.test(response.trim()));
}

/** Providers differ in whether what a cache gave or took is part of the input; the total tells, where it is not more than the input. */
function usageOf(tokens: Tokens | undefined): Usage | undefined {
  if (tokens === undefined) return undefined;
  const { inputTokens: given, outputTokens: output, totalTokens } = tokens;
  const { cacheReadInputTokens: cachedInput = 0, cacheWriteInputTokens: written = 0 } = tokens;
  const isPart = given + output === totalTokens && cachedInput + written <= given;
  const input = isPart ? given - cachedInput : given + written;
  return { input, output, cachedInput };
}
