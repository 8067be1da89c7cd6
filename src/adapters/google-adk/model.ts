import type { Usage } from '../../core/types.ts';
import { forgetPieces } from '../forget-pieces.ts';
import { jsonStart, numbered } from '../json-laps.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { tellRest } from './results.ts';
import {
  append,
  type Config,
  type Content,
  type Context,
  isReport,
  type LlmRequest,
  type LlmResponse,
  type SeenEvent,
  said,
  type Tokens,
  type Tools,
  wordsIn,
  wordsOf,
} from './shapes.ts';
import { isNews, isTakenUp } from './tasks.ts';
import { hasUnknown, tellUnknown } from './unknown-calls.ts';
import { NO_USAGE, NOTHING, toolsOf, type WatchedAgent, whenSaved } from './watched-agent.ts';

/** The code of the error that a stopped node fails with. */
const HALTED = 'LOOP_HALTED';
/** Of the answer to an `outputSchema`. */
const JSON_TYPE = 'application/json';

/** A response = the model is not called. */
export function beforeModel(
  agent: WatchedAgent,
  context: Context,
  request: LlmRequest,
): Promise<LlmResponse | undefined> {
  const { run, name } = agent;
  forgetBroken(agent);
  agent.isCut = false;
  agent.isAnswered = false;
  agent.spent = NO_USAGE;
  agent.json = request.config?.responseMimeType === JSON_TYPE ? jsonStart() : null;
  agent.awaited = context.actions.stateDelta ?? null;
  if (agent.open.size > 0) tellRest(agent);
  if (agent.doubtful !== null) tellUnknown(agent, agent.doubtful);
  agent.offered = request.toolsDict ?? {};
  const isEntry = agent.isFresh;
  if (isEntry) enter(agent, context, request);
  return run.isReady && run.isQuiet(name) ? NOTHING : settledBefore(agent, context, request, isEntry);
}

/** What was heard of a stream without a response, as one that breaks off, is none. */
export function forgetBroken(agent: WatchedAgent): void {
  const { run, name, text, thought, isCut } = agent;
  if (text === '' && thought === '') return;
  agent.text = '';
  agent.thought = '';
  if (!isCut) forgetPieces(run, name);
}

/** The agent is run anew. */
function enter(agent: WatchedAgent, { invocationContext }: Context, request: LlmRequest): void {
  const { run, name, tasks } = agent;
  agent.isFresh = false;
  const isOther = isNews(agent, invocationContext, request);
  agent.hasCalled = false;
  if (!isOther) return;
  if (isTakenUp(tasks, run.stoppedFor(name) !== null)) run.user(undefined, { agent: name });
}

/** Something waits for the agent. */
async function settledBefore(
  agent: WatchedAgent,
  { invocationContext, actions }: Context,
  request: LlmRequest,
  isEntry: boolean,
): Promise<LlmResponse | undefined> {
  const { run, name, fail } = agent;
  const { abortSignal: signal } = invocationContext;
  await run.ready();
  try {
    await unlessAborted(run.settle(name), signal);
  } catch {
    // ADK looks at the signal next, and ends.
    return undefined;
  }
  const isLast = run.takeLastTurn(name);
  const isOver = !isLast && run.isOver(name);
  const nudge = isOver ? null : run.takeNudge(name);
  if (nudge !== null) {
    // Into this request, and into the session, so that they stay there.
    request.contents.push(said(nudge.text));
    agent.shared.nudges.add(nudge.text);
    await append(invocationContext, wordsOf(invocationContext, nudge.text)).catch(fail);
  }
  await run.saved();
  // A `LoopAgent` would begin the next round.
  if (isLast || isOver) actions.escalate = true;
  if (isLast && request.config !== undefined) leaveReports(request.config);
  if (!isOver) return undefined;
  agent.awaited = null;
  const text = run.stoppedFor(name)?.message ?? '';
  if (!isEntry || !agent.isNode) return { content: { role: 'model', parts: [{ text }] } };
  // A workflow would go round without end, and hears only of errors.
  agent.scope = null;
  return { errorCode: HALTED, errorMessage: text };
}

/** All that is left are the tools by which a model gives its answer in the form that the user wants. */
function leaveReports(config: Config): void {
  const tools = (config.tools ?? []) as readonly Tools[];
  const left = tools.flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.filter(({ name }) => isReport(name)),
  );
  delete config.tools;
  delete config.toolConfig;
  if (left.length === 0) return;
  config.tools = [{ functionDeclarations: left }];
  config.toolConfig = { functionCallingConfig: { mode: 'ANY' } };
}

/** A response = this instead of what the model said. */
export function afterModel(agent: WatchedAgent, response: LlmResponse): Promise<LlmResponse | undefined> {
  const { run, name } = agent;
  const { content, partial, usageMetadata } = response;
  agent.awaited = null;
  if (partial === true && !agent.isCut) return heard(agent, wordsIn(content), wordsIn(content, true));
  const usage = usageOf(agent, usageMetadata);
  if (agent.isCut) {
    if (usage !== undefined) run.spent(usage, name);
    return Promise.resolve({});
  }
  if (content?.parts?.length) {
    tellTurn(agent, content, usage);
    if (isWhole(response) && callsIn(content).length === 0) agent.scope = null;
    if (hasUnknown(agent, content)) agent.doubtful = content;
  } else if (usage !== undefined) run.spent(usage, name);
  return whenSaved(agent);
}

/** An event that was given in the model's place: no callback tells of it. `true` = it is one. */
export function tellGiven(agent: WatchedAgent, { content, usageMetadata, actions }: SeenEvent): boolean {
  if (agent.awaited === null || agent.awaited !== actions.stateDelta || !content?.parts?.length) return false;
  agent.awaited = null;
  tellTurn(agent, content, usageOf(agent, usageMetadata));
  if (callsIn(content).length === 0) agent.scope = null;
  tellUnknown(agent, content);
  return true;
}

/** In a stream ADK gives words and calls of one response apart, and each call when it comes: the first of these is the turn. */
function tellTurn(agent: WatchedAgent, content: Content, usage: Usage | undefined): void {
  const { run, name, exits } = agent;
  const text = wordsIn(content);
  agent.hasCalled ||= callsIn(content).some((tool) => !exits.has(tool) && !isReport(tool));
  if (agent.isAnswered) {
    if (usage !== undefined) run.spent(usage, name);
    return;
  }
  agent.isAnswered = true;
  agent.text = '';
  agent.thought = '';
  run.turn({
    text: agent.json === null ? text : numbered(jsonStart(), text),
    reasoning: wordsIn(content, true),
    usage,
    tools: toolsOf(agent).length > 0,
    agent: name,
  });
}

/** Words that ADK gives apart have no reason why they ended: calls may follow. */
function isWhole({ partial, finishReason }: LlmResponse): boolean {
  return partial === undefined || finishReason !== undefined;
}

/** A piece of a stream. */
function heard(agent: WatchedAgent, text: string, reasoning: string): Promise<LlmResponse | undefined> {
  const { run, name } = agent;
  agent.text += text;
  agent.thought += reasoning;
  const goesOn =
    (text === '' || run.delta('content', agent.json === null ? text : numbered(agent.json, text), name)) &&
    (reasoning === '' || run.delta('reasoning', reasoning, name));
  if (goesOn) return NOTHING;
  agent.isCut = true;
  run.turn({ text: agent.text, reasoning: agent.thought, tools: toolsOf(agent).length > 0, agent: name });
  return run.saved().then(() => ({ content: { role: 'model', parts: cutParts(agent) } }));
}

/** Names of tools. */
function callsIn({ parts = [] }: Content): string[] {
  return parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.name ?? '']));
}

function cutParts({ text, thought }: WatchedAgent): object[] {
  return [...(thought === '' ? [] : [{ text: thought, thought: true }]), ...(text === '' ? [] : [{ text }])];
}

/** What is new in it: every piece of a stream tells what the response has come to so far. */
function usageOf(agent: WatchedAgent, tokens: Tokens | undefined): Usage | undefined {
  if (tokens === undefined) return undefined;
  const { promptTokenCount: prompt = 0, cachedContentTokenCount: cachedInput = 0 } = tokens;
  const output = (tokens.candidatesTokenCount ?? 0) + (tokens.thoughtsTokenCount ?? 0);
  const { spent } = agent;
  const now = {
    input: Math.max(spent.input, prompt - cachedInput),
    output: Math.max(spent.output, output),
    cachedInput: Math.max(spent.cachedInput, cachedInput),
  };
  agent.spent = now;
  const more = {
    input: now.input - spent.input,
    output: now.output - spent.output,
    cachedInput: now.cachedInput - spent.cachedInput,
  };
  return more.input + more.output + more.cachedInput === 0 ? undefined : more;
}
