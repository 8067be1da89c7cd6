import { isCompacted } from '../compacted.ts';
import { fieldsOf } from '../fields.ts';
import type { HostCall, Run } from '../run.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { OnError } from '../unless-broken.ts';
import type { Verdict } from '../verdict.ts';
import { answerIn } from './approvals-in.ts';
import { isKeptByProvider } from './kept-by-provider.ts';
import { rawResult } from './model-output.ts';
import { leave, mustWait, othersAsk, type Seat, sit } from './seats.ts';
import {
  isBoundAnew,
  type Message,
  type Part,
  type Settings,
  type Step,
  type Tool,
  type ToolOptions,
  type Tools,
} from './shapes.ts';
import { usageOf } from './usage.ts';
import type { HeardStream, Said } from './watched-model.ts';

/** One call of `generateText`, `streamText` or an agent, under a run. */
export type Session = {
  readonly run: Run;
  /** The agent as the user has named it, and as the run knows it: of those that run at the same time, each has a name of its own. */
  readonly name: string | undefined;
  agent: string | undefined;
  seat: Seat | null;
  /** Whether it has given its seat up, as far as one can see for good. */
  hasLeft: boolean;
  readonly tools: Tools;
  /** Whether a person is asked by requests for approval. */
  readonly canHold: boolean;
  /** Hears what broke. */
  readonly onError: OnError;
  /** Calls of this step that the run knows all of. */
  readonly presented: Set<string>;
  /** Calls of this step that were refused before they came to run: a question that comes up in between must not free them. */
  readonly refused: Map<string, Refusal>;
  /** Calls that were held and have been answered since this call of the SDK began, until its first step. */
  readonly held: Set<string>;
  /** What the model reads of the results of this step, by the ids of their calls. */
  readonly read: Map<string, ReadResult>;
  /** Ends the waiting for a person: that of the settings, and what the SDK makes of it in a step. */
  readonly signal: AbortSignal | undefined;
  stepSignal: AbortSignal | undefined;
  /** The model that is asked where nothing else is said. */
  readonly model: unknown;
  /** Whether one hears when this step's model has answered; whether it was asked and has not; the stream that it answers with. */
  isHeard: boolean;
  isAsking: boolean;
  /** Which step is about to ask its model; 0 = none, or it was asked: in between the SDK may throw, and nobody hears of it. */
  preparing: number;
  prepared: number;
  stream: HeardStream | null;
  /** Whether pieces of it were heard, and nothing else yet. */
  hasPieces: boolean;
  /** Tools that run now, or wait for it. */
  running: number;
  /** How many messages the model was sent last, without nudges. */
  sent: number;
  /** Steps that were looked at. */
  seen: number;
  /** Whether the run knows of this step's response, and whether it was heard from the model itself. */
  told: boolean;
  heard: boolean;
  /** Whether a question was open when this step began. */
  asked: boolean;
  /** Whether it has no other use than a report. */
  isLast: boolean;
  /** What the step before said, where its model was not heard. */
  late: Said;
};

/** What a result is to the model, or why it cannot be told; and which result it was. */
type ReadResult = { readonly output: unknown } & ({ readonly given: unknown } | { readonly error: unknown });

type Refusal = Extract<Verdict, { readonly do: 'answer' }>;

export const SILENCE: Said = { text: '', reasoning: '' };

export function createSession(
  run: Run,
  name: string | undefined,
  { model, tools = {}, abortSignal }: Pick<Settings, 'model' | 'tools' | 'abortSignal'>,
  canHold: boolean,
  onError: OnError,
): Session {
  return {
    run,
    name,
    agent: name,
    seat: null,
    hasLeft: false,
    tools,
    canHold,
    onError,
    presented: new Set(),
    refused: new Map(),
    held: new Set(),
    read: new Map(),
    signal: abortSignal,
    stepSignal: undefined,
    model,
    // The SDK finds a model by its name, and tells which.
    isHeard: true,
    isAsking: false,
    preparing: 0,
    prepared: 0,
    stream: null,
    hasPieces: false,
    running: 0,
    sent: 0,
    seen: 0,
    // Calls that a person has approved run before the first step: they are of an earlier response.
    told: true,
    heard: false,
    asked: false,
    isLast: false,
    late: SILENCE,
  };
}

/** Settings may be used for more than one call of the SDK. */
export function nextCall(session: Session): void {
  session.sent = 0;
  session.seen = 0;
  session.late = SILENCE;
  session.stepSignal = undefined;
}

type NextStep = { readonly asked?: boolean; readonly isLast?: boolean; readonly model: unknown };

/** A model is about to be called. */
export function nextStep(
  session: Session,
  { asked = false, isLast = false, model = session.model }: NextStep,
): void {
  session.isHeard = typeof model !== 'string';
  session.told = false;
  session.heard = false;
  session.asked = asked;
  session.isLast = isLast;
  session.isAsking = session.isHeard;
  session.prepared += 1;
  session.preparing = session.isHeard ? session.prepared : 0;
  session.stream = null;
  session.stepSignal = undefined;
  if (session.presented.size > 0) session.presented.clear();
  if (session.refused.size > 0) session.refused.clear();
  if (session.held.size > 0) session.held.clear();
  if (session.read.size > 0) session.read.clear();
}

/** `options` = those for providers. */
export function sends(session: Session, messages: number, ...options: readonly unknown[]): void {
  const { run, agent } = session;
  if (isCompacted(session, messages) && !options.some(isKeptByProvider))
    run.tell({ type: 'compaction', agent });
}

export function turn(session: Session, { text, reasoning, usage }: Said): void {
  session.told = true;
  session.run.turn({ text, reasoning, usage, agent: session.agent });
}

function present(session: Session, { id }: HostCall): void {
  if (!session.told) turn(session, session.late);
  if (id !== undefined) session.presented.add(id);
}

/** Before a call runs, where nothing has to be waited for. */
export function before(
  session: Session,
  call: HostCall,
  { toolCallId, messages }: Pick<ToolOptions, 'toolCallId' | 'messages'>,
): Verdict {
  const refusal = session.refused.get(toolCallId);
  if (refusal !== undefined) return refusal;
  hear(session, messages);
  present(session, call);
  return session.run.before(call);
}

/** Before a call runs. Throws when it is aborted while a person is asked. */
export async function check(
  session: Session,
  tool: string,
  args: unknown,
  options: ToolOptions,
): Promise<Verdict> {
  session.running += 1;
  try {
    return await unlessAborted(checked(session, tool, args, options), options.abortSignal);
  } finally {
    session.running -= 1;
  }
}

async function checked(
  session: Session,
  tool: string,
  args: unknown,
  { toolCallId: id, messages }: ToolOptions,
): Promise<Verdict> {
  const { run } = session;
  await run.ready();
  if (mustWait(session)) await othersAsk(session);
  sit(session, messages);
  const refusal = session.refused.get(id);
  if (refusal !== undefined) return refusal;
  hear(session, messages);
  const call = { id, tool, args, agent: session.agent };
  present(session, call);
  return run.check(call);
}

/** Asks the person, if there is a question; not for longer than the signal allows, which then is the SDK's to act on. */
export function settle({ run, agent, signal, stepSignal = signal }: Session): Promise<void> {
  return unlessAborted(run.settle(agent), stepSignal).catch(() => {});
}

/** The question that the call is held for, once the store knows of it: the answer may come to another process. */
export async function holds(
  session: Session,
  tool: string,
  args: unknown,
  options: ToolOptions,
): Promise<string | null> {
  const verdict = await check(session, tool, args, options);
  if (verdict.do === 'answer') session.refused.set(options.toolCallId, verdict);
  if (verdict.do !== 'hold') return null;
  await session.run.saved();
  return verdict.text;
}

/**
 * The user's own rule asks a person about the call: it counts now, and how it ended will stand in the messages. Gives the question that the
 * person answers by the way.
 */
export async function waits(
  session: Session,
  tool: string,
  args: unknown,
  options: ToolOptions,
): Promise<string | null> {
  const { run } = session;
  if (!run.isReady) await run.ready();
  if (mustWait(session)) await othersAsk(session);
  sit(session, options.messages);
  const verdict = before(session, { id: options.toolCallId, tool, args, agent: session.agent }, options);
  await run.saved();
  return verdict.do === 'hold' ? verdict.text : null;
}

/** Whether a person can be asked about a call of this tool by a request for approval. */
export function canHold(session: Session, tool: Tool): boolean {
  return session.canHold && !isBoundAnew(tool);
}

/** What the messages say of a question that is open. */
export function hear({ run, agent, held, canHold }: Session, messages: readonly Message[]): void {
  const question = canHold ? run.questionFor(agent) : null;
  if (question === null) return;
  const { held: ids = [] } = question;
  for (const id of ids) {
    const answer = answerIn(messages, id);
    if (answer === null) continue;
    run.answer(answer, agent);
    for (const other of ids) held.add(other);
  }
}

/** The model is called again after it only talked, and no call was held that the question could be asked with. */
export function refuseUnasked({ run, agent, canHold }: Session): void {
  const question = run.questionFor(agent);
  if (canHold && question !== null && (question.held ?? []).length === 0) run.answer(false, agent);
}

/** Whether the agent was stopped by a question that could not be asked: then the model has not heard of it yet. */
export function isUnasked({ run, agent, canHold, held }: Session): boolean {
  return canHold && held.size === 0 && run.stoppedFor(agent)?.action === 'ask';
}

/** What the steps so far tell that nobody was asked about: invalid calls, unknown tools, tools of the provider. */
export function observe(session: Session, steps: readonly Step[]): void {
  while (session.seen < steps.length) {
    const step = steps[session.seen] as Step;
    observeCalls(session, step);
    if (!session.told) turn(session, session.late);
    session.late = session.heard ? SILENCE : saidIn(step);
  }
}

/** As `observe`, when a step has ended that nobody may come after: what is known of it is told now. */
export function observeEnd(session: Session, step: Step): void {
  const { run, agent, heard } = session;
  observeCalls(session, step);
  if (!step.content.some(({ type }) => type === 'tool-call')) leave(session);
  if (heard) return;
  const said = saidIn(step);
  session.late = SILENCE;
  if (!session.told) turn(session, said);
  else {
    session.late = { ...said, usage: undefined };
    if (said.usage !== undefined) run.spent(said.usage, agent);
  }
}

function observeCalls(session: Session, { content }: Step): void {
  const unasked = session.asked && !content.some(({ type }) => type === 'tool-approval-request');
  for (const part of content) if (part.type === 'tool-call') observePart(session, part, content, unasked);
  session.seen += 1;
}

/**
 * A call that nobody was asked about, and that no request for approval can stand for. An open question waits for one that it can be asked
 * with, but not for ever: `unasked` = this is the second step in which there is none. Whether the result of the call counts.
 */
export function tellCall(session: Session, call: HostCall, unasked: boolean): boolean {
  const { run, agent, canHold } = session;
  if (!session.told) turn(session, session.late);
  const verdict = run.before(call);
  if (verdict.do === 'hold' && canHold && unasked) run.answer(false, agent);
  return verdict.do === 'run';
}

function observePart(session: Session, part: Part, content: readonly Part[], unasked: boolean): void {
  const { run, agent, presented } = session;
  const { toolCallId: id, toolName: tool, input: args, invalid } = part;
  if (typeof id !== 'string' || typeof tool !== 'string' || presented.has(id)) return;
  const call = { id, tool, args, agent };
  if (!tellCall(session, call, unasked)) return;
  const result = content.find((other) => isEnding(other, id));
  if (result === undefined) return;
  const { type: ending, output, error } = result;
  if (ending === 'tool-result') run.after(call, rawResult(output));
  else if (ending === 'tool-error') {
    const status = invalid !== true ? 'error' : isUnknownTool(part['error']) ? 'unknown-tool' : 'invalid';
    run.after(call, { output: messageOf(error), status });
  } else run.after(call, { output: '', status: 'denied' });
}

function saidIn({ text = '', reasoningText = '', usage }: Step): Said {
  return { text, reasoning: reasoningText, usage: usageOf(usage) };
}

/** Whether the part tells how the call ended; a denial by a rule of AI SDK 7 stands in its approval. */
function isEnding({ type, toolCallId, toolCall, approved }: Part, id: string): boolean {
  if (type === 'tool-approval-response') return approved === false && fieldsOf(toolCall)['toolCallId'] === id;
  return (
    toolCallId === id && (type === 'tool-result' || type === 'tool-error' || type === 'tool-output-denied')
  );
}

function isUnknownTool(error: unknown): boolean {
  return error instanceof Error && error.name === 'AI_NoSuchToolError';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
