import { fieldsOf } from '../fields.ts';
import type { HostCall, Run } from '../run.ts';
import type { Verdict } from '../verdict.ts';
import { answerIn } from './approvals.ts';
import type { Message, Part, Step, ToolOptions } from './shapes.ts';
import { usageOf } from './usage.ts';
import type { Listener } from './watched-model.ts';

/** One call of `generateText`, `streamText` or an agent, under a run. */
export type Session = {
  readonly run: Run;
  readonly agent: string | undefined;
  readonly listener: Listener;
  callOf(tool: string, args: unknown, id: string): HostCall;
  /** Before a call runs, where nothing has to be waited for. */
  before(call: HostCall, options: Pick<ToolOptions, 'messages'>): Verdict;
  /** Before a call runs. */
  check(tool: string, input: unknown, options: ToolOptions): Promise<Verdict>;
  /** A call that was held has been answered since this call of the SDK began: it had to be approved. */
  wasHeld(id: string): boolean;
  /** What the messages say of a question that is open. */
  hear(messages: readonly Message[]): void;
  /** What the steps so far tell that nobody was asked about: invalid calls, unknown tools, tools of the provider. */
  observe(steps: readonly Step[]): void;
  /** The model is about to be called. */
  nextStep(): void;
};

type Said = Parameters<Listener['turn']>[0];

const SILENCE: Said = { text: '', reasoning: '' };

export function createSession(run: Run, agent: string | undefined): Session {
  const presented = new Set<string>();
  const held = new Set<string>();
  let seen = 0;
  /** Whether the run knows of this step's response, and whether it was heard from the model itself. */
  let told = false;
  let heard = false;
  /** What the step before said, where its model was not heard. */
  let late: Said = SILENCE;

  function turn(said: Said): void {
    told = true;
    run.turn({ ...said, agent });
  }

  function present(call: HostCall): void {
    if (!told) turn(late);
    if (call.id !== undefined) presented.add(call.id);
  }

  function callOf(tool: string, args: unknown, id: string): HostCall {
    return { id, tool, args, agent };
  }

  function hear(messages: readonly Message[]): void {
    const ids = run.questionFor(agent)?.held ?? [];
    for (const id of ids) {
      const answer = answerIn(messages, id);
      if (answer === null) continue;
      run.answer(answer, agent);
      for (const other of ids) held.add(other);
    }
  }

  function observePart(part: Part, content: readonly Part[]): void {
    const { toolCallId, toolName, input, invalid } = part;
    if (typeof toolCallId !== 'string' || typeof toolName !== 'string') return;
    if (presented.has(toolCallId)) return;
    const call = callOf(toolName, input, toolCallId);
    present(call);
    if (run.before(call).do !== 'run') return;
    const result = content.find((other) => isEnding(other, toolCallId));
    if (result === undefined) return;
    const { type: ending, output, error } = result;
    if (ending === 'tool-result') run.after(call, { output });
    else if (ending === 'tool-error') {
      const status = invalid !== true ? 'error' : isUnknownTool(part['error']) ? 'unknown-tool' : 'invalid';
      run.after(call, { output: messageOf(error), status });
    } else run.after(call, { output: '', status: 'denied' });
  }

  return {
    run,
    agent,
    listener: {
      turn(said) {
        heard = true;
        turn(said);
      },
      delta: (channel, text) => run.delta(channel, text, agent),
      spent: (usage) => run.spent(usage, agent),
    },
    callOf,
    before(call, { messages }) {
      hear(messages);
      present(call);
      return run.before(call);
    },
    async check(tool, input, { toolCallId, messages }) {
      await run.ready();
      hear(messages);
      const call = callOf(tool, input, toolCallId);
      present(call);
      return run.check(call);
    },
    wasHeld: (id) => held.has(id),
    hear,
    observe(steps) {
      if (steps.length === seen) return;
      for (const step of steps.slice(seen)) {
        for (const part of step.content) if (part.type === 'tool-call') observePart(part, step.content);
        if (!told) turn(late);
        late = heard ? SILENCE : saidIn(step);
      }
      seen = steps.length;
    },
    nextStep() {
      told = false;
      heard = false;
    },
  };
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
