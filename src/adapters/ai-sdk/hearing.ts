import { safely } from '../../core/safely.ts';
import { fieldsOf } from '../fields.ts';
import { forgetPieces } from '../forget-pieces.ts';
import type { HostCall, Run } from '../run.ts';
import { argumentsOf } from './arguments-of.ts';
import { rawResult, resultOf } from './model-output.ts';
import { leave, sitAgain } from './seats.ts';
import { type Session, SILENCE, tellCall, turn } from './session.ts';
import { type Message, type Part, partsOf } from './shapes.ts';
import type { Hearing } from './watched-model.ts';

/** How the session hears its model. */
export const HEARING: Hearing<Session> = {
  turn(session, said) {
    session.heard = true;
    if (session.hasPieces) endPieces(session);
    if (isStep(session)) turn(session, said);
    else if (said.usage !== undefined) session.run.spent(said.usage, session.agent);
  },
  delta(session, channel, text) {
    const { run, agent } = session;
    if (!isStep(session)) return true;
    if (!session.hasPieces) beginPieces(session);
    return run.delta(channel, text, agent);
  },
  spent: ({ run, agent }, usage) => run.spent(usage, agent),
  asked(session, signal) {
    sitAgain(session);
    const { run, agent } = session;
    if (endPieces(session)) forgetPieces(run, agent);
    session.stepSignal = signal;
    session.isAsking = true;
    session.preparing = 0;
  },
  streams(session, stream) {
    session.stream = stream;
  },
  failed: leave,
  forgives,
  broke,
  ended,
};

/** A report that the provider refuses must not cost what there is: the run is over anyway. What the SDK tries again is no refusal yet. */
function forgives({ run, isLast, onError, signal, stepSignal = signal }: Session, error: unknown): boolean {
  if (!isLast || stepSignal?.aborted === true || fieldsOf(error)['isRetryable'] === true) return false;
  safely(() => onError?.(error, run.session));
  return true;
}

/** A call that prepares no step is no agent's, but one answer (`generateObject`), which may be the same to many questions: only what it costs counts. */
function isStep({ run, seat }: Session): boolean {
  return run.session === undefined || seat !== null;
}

/** Agents of whose response only pieces were heard. Where it was aborted, or nobody reads on, nobody hears how it ends. */
const piecemeal = new WeakMap<Run, Set<string | undefined>>();

function beginPieces(session: Session): void {
  const { run, agent } = session;
  session.hasPieces = true;
  const agents = piecemeal.get(run);
  if (agents === undefined) piecemeal.set(run, new Set([agent]));
  else agents.add(agent);
}

/** Whether there were any, of this call or of one before. */
function endPieces(session: Session): boolean {
  session.hasPieces = false;
  return piecemeal.get(session.run)?.delete(session.agent) === true;
}

/** Nothing counts but calls that were begun already. Pieces of a stream belong to no round before there is a turn. */
function broke(session: Session, isTold: boolean): void {
  const { run, agent, presented } = session;
  if (presented.size > 0) return;
  endPieces(session);
  if (!isTold) turn(session, SILENCE);
  run.tell({ type: 'rewind', agent });
}

/**
 * Calls that the SDK does not run are told as the model tells them: after a step that ends with them, the SDK asks nobody.
 * Whatever else comes after the response waits by itself until all is saved.
 */
function ended(session: Session, parts: readonly Part[]): Promise<void> | undefined {
  const { run, agent } = session;
  // Words behind a call are no turn of their own.
  if (session.hasPieces) endPieces(session);
  let goesOn = false;
  let hasOthers = false;
  for (const part of parts) {
    const isHere = part.type === 'tool-call' && isRunHere(session, part);
    if (isHere) goesOn = true;
    else hasOthers = true;
  }
  if (hasOthers) hearOthers(session, parts, session.asked && !goesOn);
  if (goesOn) session.isAsking = false;
  else leave(session);
  return goesOn || run.isIdle(agent) ? undefined : run.saved();
}

function hearOthers(session: Session, parts: readonly Part[], unasked: boolean): void {
  for (const part of parts) {
    if (part.type === 'tool-call') hearCall(session, part, unasked);
    else if (part.type === 'tool-result') hearProvider(session, part);
  }
}

function isRunHere({ tools }: Session, { toolName, providerExecuted }: Part): boolean {
  return providerExecuted !== true && typeof tools[String(toolName)]?.execute === 'function';
}

/** Whether the user's own client runs it, or the user. */
function isRunElsewhere({ tools }: Session, { toolName }: Part): boolean {
  const tool = tools[String(toolName)];
  return tool !== undefined && typeof tool.execute !== 'function';
}

function hearCall(session: Session, part: Part, unasked: boolean): void {
  const { toolCallId, providerExecuted } = part;
  if (providerExecuted === true) session.presented.add(String(toolCallId));
  else if (!isRunElsewhere(session, part)) return;
  tellCall(session, { ...callOf(session, part), args: argumentsOf(part['input']) }, unasked);
}

/** A result of the provider's own tool. */
function hearProvider(session: Session, part: Part): void {
  const { result, isError, preliminary } = part;
  if (preliminary === true) return;
  const given = rawResult(result);
  session.run.after(callOf(session, part), isError === true ? { ...given, status: 'error' } : given);
}

/** What came of the calls of the last response that were run elsewhere, or that a person was asked about. */
export function hearResults(session: Session, messages: readonly Message[]): void {
  const last = messages.findLastIndex(isResponse);
  for (const { content } of messages.slice(last + 1))
    for (const part of partsOf(content)) {
      if (part.type === 'tool-result') hearResult(session, part);
      else if (part.type === 'tool-approval-response' && part['approved'] === false)
        hearDenial(session, part, partsOf(messages[last]?.content));
    }
}

function hearResult(session: Session, part: Part): void {
  const { run } = session;
  const result = resultOf(part['output']);
  if (isRunElsewhere(session, part) || (result.status === 'denied' && !isHeld(session, part)))
    run.after(callOf(session, part), result);
}

/** The request and its call stand in the response. */
function hearDenial(session: Session, { approvalId }: Part, response: readonly Part[]): void {
  const request = response.find(
    (part) => part.type === 'tool-approval-request' && part['approvalId'] === approvalId,
  );
  const call = response.find(
    (part) => part.type === 'tool-call' && part['toolCallId'] === request?.['toolCallId'],
  );
  if (request === undefined || call === undefined || isHeld(session, call)) return;
  session.run.after(callOf(session, call), { output: '', status: 'denied' });
}

/** Whether the guard's own question waits for what is said to the call. */
function isHeld({ run, agent, canHold }: Session, { toolCallId }: Part): boolean {
  return canHold && run.questionFor(agent)?.held?.includes(String(toolCallId)) === true;
}

function isResponse({ role }: Message): boolean {
  return role === 'assistant';
}

function callOf({ agent }: Session, { toolCallId, toolName }: Part): HostCall {
  return { id: String(toolCallId), tool: String(toolName), agent };
}
