import type { Usage } from '../../core/types.ts';
import type { HostCall, Run } from '../run.ts';
import {
  type CallEvent,
  type Confirm,
  type Guide,
  type Message,
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
import type { Listener } from './watched-model.ts';

/** One agent of the SDK under a run; each function belongs to the hook of its name. */
export type WatchedAgent = {
  readonly run: Run;
  readonly listener: Listener;
  beforeInvocation(): void;
  /** A text = the model is not called, and this is the end. */
  beforeModelCall(messages: readonly Message[]): Promise<{ readonly end?: string; readonly guide?: Guide }>;
  afterModelCall(message: Message): Promise<void>;
  beforeToolCall(event: CallEvent): Promise<Proceed | Confirm>;
  afterToolCall(event: ResultEvent): Promise<void>;
};

/** `agent` = its name in the run; absent for the main agent. */
export function watchAgent(run: Run, agent: string | undefined): WatchedAgent {
  /** Calls that others have cancelled, and calls that were not run on our word. */
  const denied = new Set<string>();
  const refused = new Set<string>();
  let isFresh = true;
  let isLastTurn = false;
  let isOver = false;

  const callOf = ({ name, toolUseId, input }: ToolUse): HostCall => ({
    id: toolUseId,
    tool: name,
    args: input,
    agent,
  });

  /** A person speaks at the beginning of an invocation, or not at all. */
  function hear(last: Message | undefined): void {
    if (!isFresh) return;
    isFresh = false;
    const isPerson = last?.role === 'user' && last.content.every(({ type }) => type !== 'toolResultBlock');
    if (isPerson) run.user(wordsIn(last.content), { agent });
  }

  return {
    run,
    listener: {
      delta: (channel, text) => run.delta(channel, text, agent),
      mayCallTools: () => !isLastTurn,
    },
    beforeInvocation() {
      isFresh = true;
      // Not waited for here: whatever needs it waits until it is ready.
      run.begin();
    },
    async beforeModelCall(messages) {
      if (!run.isReady) await run.ready();
      hear(messages.at(-1));
      if (!run.isIdle(agent)) await run.settle(agent);
      // It stays the last turn until there is a response: the SDK may have to try again.
      isLastTurn ||= run.takeLastTurn(agent);
      isOver = !isLastTurn && run.isOver(agent);
      if (!run.isIdle(agent)) await run.saved();
      if (isOver) return { end: run.stoppedFor(agent)?.message ?? '' };
      const nudge = run.takeNudge(agent);
      return nudge === null ? {} : { guide: { type: 'guide', feedback: nudge.text } };
    },
    async afterModelCall({ content, metadata }) {
      if (isOver) return;
      isLastTurn = false;
      run.turn({
        text: wordsIn(content),
        reasoning: wordsIn(content, 'reasoningBlock'),
        usage: usageOf(metadata?.usage),
        agent,
      });
      if (!run.isIdle(agent)) await run.saved();
    },
    async beforeToolCall(event) {
      if (!run.isReady) await run.ready();
      const { toolUse, cancel } = event;
      const call = callOf(toolUse);
      if (cancel !== false) {
        run.before(call);
        denied.add(toolUse.toolUseId);
        return PROCEED;
      }
      // It is the report.
      if (toolUse.name === STRUCTURED_OUTPUT && run.stoppedFor(agent) !== null) return PROCEED;
      const verdict = await run.judge(call);
      if (verdict.do === 'run') return PROCEED;
      const { text } = verdict;
      if (verdict.do === 'hold') {
        const evaluate = (response: unknown) => {
          const yes = isYes(response);
          run.answer(yes, agent);
          if (!yes) refused.add(toolUse.toolUseId);
          return yes;
        };
        return { type: 'confirm', prompt: text, evaluate };
      }
      refused.add(toolUse.toolUseId);
      event.cancel = text;
      return PROCEED;
    },
    async afterToolCall(event) {
      const { toolUse, tool, result, error } = event;
      if (refused.delete(toolUse.toolUseId)) return;
      const call = callOf(toolUse);
      const output = outputOf(result.content);
      if (denied.delete(toolUse.toolUseId)) run.after(call, { output, status: 'denied' });
      else if (tool === undefined) run.after(call, { output, status: 'unknown-tool' });
      else if (error !== undefined) run.failed(call, error);
      else if (result.status === 'error') run.after(call, { output, status: 'error' });
      else {
        const stub = run.after(call, { output }, { replaceable: typeof output === 'string' });
        if (stub !== null) event.result = withText(result, stub);
      }
      if (!run.isIdle(agent)) await run.saved();
    },
  };
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
