import { fieldsOf } from '../fields.ts';
import type { HostCall, Run } from '../run.ts';
import type { Answer } from '../stop-reason.ts';
import type { Verdict } from '../verdict.ts';
import { type Message, type Part, partsOf, type Step, type ToolOptions } from './shapes.ts';
import { usageOf } from './usage.ts';
import type { Hearing, Said } from './watched-model.ts';

/** One call of `generateText`, `streamText` or an agent, under a run. */
export type Session = {
  readonly run: Run;
  readonly agent: string | undefined;
  /** Calls that the run knows of. */
  readonly presented: Set<string>;
  /** Calls that were held and have been answered since this call of the SDK began. */
  readonly held: Set<string>;
  /** Steps that were looked at. */
  seen: number;
  /** Whether the run knows of this step's response, and whether it was heard from the model itself. */
  told: boolean;
  heard: boolean;
  /** What the step before said, where its model was not heard. */
  late: Said;
};

const SILENCE: Said = { text: '', reasoning: '' };

export function createSession(run: Run, agent: string | undefined): Session {
  return {
    run,
    agent,
    presented: new Set(),
    held: new Set(),
    seen: 0,
    told: false,
    heard: false,
    late: SILENCE,
  };
}

/** How the session hears its model. */
export const HEARING: Hearing<Session> = {
  turn(session, said) {
    session.heard = true;
    turn(session, said);
  },
  delta: ({ run, agent }, channel, text) => run.delta(channel, text, agent),
  spent: ({ run, agent }, usage) => run.spent(usage, agent),
};

function turn(session: Session, { text, reasoning, usage }: Said): void {
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
  { messages }: Pick<ToolOptions, 'messages'>,
): Verdict {
  hear(session, messages);
  present(session, call);
  return session.run.before(call);
}

/** Before a call runs. */
export async function check(
  session: Session,
  tool: string,
  args: unknown,
  { toolCallId: id, messages }: ToolOptions,
): Promise<Verdict> {
  const { run, agent } = session;
  await run.ready();
  hear(session, messages);
  const call = { id, tool, args, agent };
  present(session, call);
  return run.check(call);
}

/** What the messages say of a question that is open. */
export function hear({ run, agent, held }: Session, messages: readonly Message[]): void {
  const question = run.questionFor(agent);
  if (question === null) return;
  const { held: ids = [] } = question;
  for (const id of ids) {
    const answer = answerIn(messages, id);
    if (answer === null) continue;
    run.answer(answer, agent);
    for (const other of ids) held.add(other);
  }
}

/** What a person has said to the request for this call, as the messages tell it; null = nothing yet. */
function answerIn(messages: readonly Message[], toolCallId: string): Answer | null {
  const parts = messages.flatMap(({ content }) => partsOf(content));
  const asked = parts.filter(
    (part) => part.type === 'tool-approval-request' && part['toolCallId'] === toolCallId,
  );
  const said = parts.findLast(
    ({ type, approvalId }) =>
      type === 'tool-approval-response' && asked.some((request) => request['approvalId'] === approvalId),
  );
  return said === undefined ? null : said['approved'] === true;
}

/** What the steps so far tell that nobody was asked about: invalid calls, unknown tools, tools of the provider. */
export function observe(session: Session, steps: readonly Step[]): void {
  for (; session.seen < steps.length; session.seen += 1) {
    const step = steps[session.seen] as Step;
    for (const part of step.content) if (part.type === 'tool-call') observePart(session, part, step.content);
    if (!session.told) turn(session, session.late);
    session.late = session.heard ? SILENCE : saidIn(step);
  }
}

function observePart(session: Session, part: Part, content: readonly Part[]): void {
  const { run, agent, presented } = session;
  const { toolCallId: id, toolName: tool, input: args, invalid } = part;
  if (typeof id !== 'string' || typeof tool !== 'string' || presented.has(id)) return;
  const call = { id, tool, args, agent };
  present(session, call);
  if (run.before(call).do !== 'run') return;
  const result = content.find((other) => isEnding(other, id));
  if (result === undefined) return;
  const { type: ending, output, error } = result;
  if (ending === 'tool-result') run.after(call, { output });
  else if (ending === 'tool-error') {
    const status = invalid !== true ? 'error' : isUnknownTool(part['error']) ? 'unknown-tool' : 'invalid';
    run.after(call, { output: messageOf(error), status });
  } else run.after(call, { output: '', status: 'denied' });
}

/** The model is about to be called. */
export function nextStep(session: Session): void {
  session.told = false;
  session.heard = false;
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
