import type { Usage } from '../../core/types.ts';
import type { HostCall, Run } from '../run.ts';
import type { Verdict } from '../verdict.ts';
import { whenSaved } from '../when-saved.ts';
import {
  type CallEvent,
  type Confirm,
  type Guide,
  type Message,
  type ModelEvent,
  outputOf,
  PROCEED,
  type Proceed,
  type ResultEvent,
  STRUCTURED_OUTPUT,
  type Tokens,
  type ToolUse,
  withText,
  wordsIn,
} from './shapes.ts';

/** One agent of the SDK under a run. What it does are functions of this module, which an engine compiles once for all agents. */
export type WatchedAgent = {
  readonly run: Run;
  /** Its name in the run; absent for the main agent. */
  readonly name: string | undefined;
  /** Calls that others have cancelled, and calls that were not run on our word. */
  readonly denied: Set<string>;
  readonly refused: Set<string>;
  /** Whether an invocation has begun of which nothing was heard yet. */
  isFresh: boolean;
  isLastTurn: boolean;
  isOver: boolean;
};

export function watchAgent(run: Run, name: string | undefined): WatchedAgent {
  return {
    run,
    name,
    denied: new Set(),
    refused: new Set(),
    isFresh: true,
    isLastTurn: false,
    isOver: false,
  };
}

export function beforeModelCall(
  agent: WatchedAgent,
  event: ModelEvent,
): Proceed | Guide | Promise<Proceed | Guide> {
  const { run } = agent;
  return run.isReady ? asked(agent, event) : run.ready().then(() => asked(agent, event));
}

function asked(agent: WatchedAgent, event: ModelEvent): Proceed | Promise<Proceed | Guide> {
  const { run, name, isFresh } = agent;
  if (isFresh) hear(agent, event.agent.messages.at(-1));
  agent.isOver = false;
  return run.isQuiet(name) ? PROCEED : settled(agent, event);
}

/** Something waits for the agent. */
async function settled(agent: WatchedAgent, event: ModelEvent): Promise<Proceed | Guide> {
  const { run, name } = agent;
  await run.settle(name);
  // It stays the last turn until there is a response: the SDK may have to try again.
  agent.isLastTurn ||= run.takeLastTurn(name);
  agent.isOver = !agent.isLastTurn && run.isOver(name);
  await run.saved();
  if (agent.isOver) {
    event.cancel = run.stoppedFor(name)?.message ?? '';
    return PROCEED;
  }
  const nudge = run.takeNudge(name);
  return nudge === null ? PROCEED : { type: 'guide', feedback: nudge.text };
}

/** A person speaks at the beginning of an invocation, or not at all. */
function hear(agent: WatchedAgent, last: Message | undefined): void {
  const { run, name } = agent;
  agent.isFresh = false;
  const isPerson = last?.role === 'user' && last.content.every(({ type }) => type !== 'toolResultBlock');
  if (isPerson) run.user(wordsIn(last.content), { agent: name });
}

export function afterModelCall(
  agent: WatchedAgent,
  { content, metadata }: Message,
): Proceed | Promise<Proceed> {
  const { run, name } = agent;
  if (agent.isOver) return PROCEED;
  agent.isLastTurn = false;
  run.turn({
    text: wordsIn(content),
    reasoning: wordsIn(content, 'reasoningBlock'),
    usage: usageOf(metadata?.usage),
    agent: name,
  });
  return whenSaved(run, name, PROCEED);
}

export function beforeToolCall(
  agent: WatchedAgent,
  event: CallEvent,
): Proceed | Confirm | Promise<Proceed | Confirm> {
  const { run } = agent;
  return run.isReady ? judged(agent, event) : run.ready().then(() => judged(agent, event));
}

function judged(agent: WatchedAgent, event: CallEvent): Proceed | Confirm | Promise<Proceed | Confirm> {
  const { run, name, denied } = agent;
  const { toolUse, cancel } = event;
  const call = callOf(toolUse, name);
  if (cancel !== false) {
    run.before(call);
    denied.add(toolUse.toolUseId);
    return PROCEED;
  }
  // It is the report.
  if (toolUse.name === STRUCTURED_OUTPUT && run.stoppedFor(name) !== null) return PROCEED;
  const verdict = run.judge(call);
  return verdict instanceof Promise
    ? verdict.then((later) => heeded(agent, event, later))
    : heeded(agent, event, verdict);
}

function heeded({ run, name, refused }: WatchedAgent, event: CallEvent, verdict: Verdict): Proceed | Confirm {
  if (verdict.do === 'run') return PROCEED;
  const { toolUseId } = event.toolUse;
  if (verdict.do === 'hold') {
    const evaluate = (response: unknown) => {
      const yes = isYes(response);
      run.answer(yes, name);
      if (!yes) refused.add(toolUseId);
      return yes;
    };
    return { type: 'confirm', prompt: verdict.text, evaluate };
  }
  refused.add(toolUseId);
  event.cancel = verdict.text;
  return PROCEED;
}

export function afterToolCall(agent: WatchedAgent, event: ResultEvent): Proceed | Promise<Proceed> {
  const { run, name, refused, denied } = agent;
  const { toolUse, tool, result, error } = event;
  if (refused.delete(toolUse.toolUseId)) return PROCEED;
  const call = callOf(toolUse, name);
  const output = outputOf(result.content);
  if (denied.delete(toolUse.toolUseId)) run.after(call, { output, status: 'denied' });
  else if (tool === undefined) run.after(call, { output, status: 'unknown-tool' });
  else if (error !== undefined) run.failed(call, error);
  else if (result.status === 'error') run.after(call, { output, status: 'error' });
  else {
    const stub = run.after(call, { output }, { replaceable: typeof output === 'string' });
    if (stub !== null) event.result = withText(result, stub);
  }
  return whenSaved(run, name, PROCEED);
}

function callOf({ name: tool, toolUseId: id, input: args }: ToolUse, agent: string | undefined): HostCall {
  return { id, tool, args, agent };
}

/** The words that the SDK itself takes for a yes. */
function isYes(response: unknown): boolean {
  return response === true || (typeof response === 'string' && /^(y|yes|true)$/i.test(response.trim()));
}

/** Providers differ in whether what came from a cache is part of the input; the total tells. */
function usageOf(tokens: Tokens | undefined): Usage | undefined {
  if (tokens === undefined) return undefined;
  const { inputTokens: given, outputTokens: output, totalTokens } = tokens;
  const { cacheReadInputTokens: cachedInput = 0, cacheWriteInputTokens: written = 0 } = tokens;
  const input = given + output === totalTokens ? Math.max(0, given - cachedInput) : given + written;
  return { input, output, cachedInput };
}
