import type { Usage } from '../../core/types.ts';
import type { HostCall, Run } from '../run.ts';
import {
  append,
  type Context,
  eventOf,
  type InvocationContext,
  type LlmRequest,
  type LlmResponse,
  said,
  type Tokens,
  type ToolParams,
  wordsIn,
} from './shapes.ts';

/** One agent of a session under a run; each function belongs to the callback of its name. */
export type WatchedAgent = {
  readonly run: Run;
  readonly name: string | undefined;
  /** A response = the model is not called. */
  beforeModel(context: InvocationContext, request: LlmRequest): Promise<LlmResponse | undefined>;
  /** A response = this instead of what the model said. */
  afterModel(response: LlmResponse): Promise<LlmResponse | undefined>;
  /** A result = the tool is not run. */
  beforeTool(params: ToolParams): Promise<{ readonly error: string } | undefined>;
  afterTool(params: ToolParams, result: unknown): Promise<{ readonly result: string } | undefined>;
  onToolError(params: ToolParams, error: Error): void;
};

/** `name` = the agent's in the run; absent for the root agent, whose own name is `root`. */
export function watchAgent(
  run: Run,
  name: string | undefined,
  root: string | undefined,
  fail: (error: unknown) => void,
): WatchedAgent {
  /** Calls of which the run knows all already: they were not run, or they threw. */
  const settled = new Set<string>();
  const presented = new Set<string>();
  const heard = { text: '', thought: '' };
  let isCut = false;
  let tools: object = {};

  const callOf = ({ tool, toolArgs, toolContext }: ToolParams): HostCall => ({
    id: toolContext.functionCallId,
    tool: tool.name,
    args: toolArgs,
    agent: name,
  });

  function settle(id: string | undefined): void {
    if (id !== undefined) settled.add(id);
  }

  /** ADK never answers calls of tools that it does not have, and goes on. */
  function tellUnknown({ content }: LlmResponse): void {
    for (const { functionCall } of content?.parts ?? []) {
      if (functionCall?.name === undefined || Object.hasOwn(tools, functionCall.name)) continue;
      const call = { id: functionCall.id, tool: functionCall.name, args: functionCall.args, agent: name };
      run.before(call);
      run.after(call, { output: `There is no tool ${call.tool}.`, status: 'unknown-tool' });
    }
  }

  /** Adds words to this request, and to the session, so that they stay there. */
  async function tell(context: InvocationContext, request: LlmRequest, text: string): Promise<void> {
    request.contents.push(said(text));
    await append(context, eventOf(context, said(text))).catch(fail);
  }

  /** A confirmation that a plugin asked for counts only where the history has a response that asks for it. */
  async function hold({ tool, toolContext }: ToolParams, text: string): Promise<{ readonly error: string }> {
    const { invocationContext, functionCallId: id = '' } = toolContext;
    toolContext.requestConfirmation({ hint: text });
    const response = { error: text };
    const part = { functionResponse: { id, name: tool.name, response } };
    const requestedToolConfirmations = { [id]: { hint: text, confirmed: false } };
    const asked = eventOf(invocationContext, { role: 'user', parts: [part] }, { requestedToolConfirmations });
    await append(invocationContext, asked).catch(fail);
    settle(id);
    return response;
  }

  function answer({ toolConfirmation, functionCallId: id }: Context): void {
    const isHeld = id !== undefined && run.questionFor(name)?.held?.includes(id) === true;
    if (isHeld && toolConfirmation !== undefined) run.answer(toolConfirmation.confirmed, name);
  }

  return {
    run,
    name,
    async beforeModel(context, request) {
      if (!run.isReady) await run.ready();
      if (!run.isIdle(name)) await run.settle(name);
      const isLast = run.takeLastTurn(name);
      const isOver = !isLast && run.isOver(name);
      Object.assign(heard, { text: '', thought: '' });
      isCut = false;
      tools = request.toolsDict ?? {};
      const nudge = isOver ? null : run.takeNudge(name);
      if (nudge !== null) await tell(context, request, nudge.text);
      if (!run.isIdle(name)) await run.saved();
      if (isLast && request.config !== undefined) {
        delete request.config.tools;
        delete request.config.toolConfig;
      }
      if (!isOver) return undefined;
      return { content: { role: 'model', parts: [{ text: run.stoppedFor(name)?.message ?? '' }] } };
    },
    async afterModel(response) {
      const { content, partial, usageMetadata } = response;
      const usage = usageOf(usageMetadata);
      if (isCut) {
        if (usage !== undefined) run.spent(usage, name);
        return {};
      }
      const text = wordsIn(content);
      const reasoning = wordsIn(content, true);
      if (partial === true) {
        heard.text += text;
        heard.thought += reasoning;
        const goesOn =
          (text === '' || run.delta('content', text, name)) &&
          (reasoning === '' || run.delta('reasoning', reasoning, name));
        if (goesOn) return undefined;
        isCut = true;
        run.turn({ text: heard.text, reasoning: heard.thought, agent: name });
        await run.saved();
        return { content: { role: 'model', parts: cutParts(heard) } };
      }
      if (content?.parts?.length) {
        run.turn({ text, reasoning, usage, agent: name });
        tellUnknown(response);
      } else if (usage !== undefined) run.spent(usage, name);
      if (!run.isIdle(name)) await run.saved();
      return undefined;
    },
    async beforeTool(params) {
      if (!run.isReady) await run.ready();
      const { functionCallId: id } = params.toolContext;
      answer(params.toolContext);
      const verdict = await run.judge(callOf(params));
      if (id !== undefined) presented.add(id);
      if (verdict.do === 'run') {
        if (id !== undefined) settled.delete(id);
        const to = transferIn(params);
        if (to !== undefined) run.tell({ type: 'handoff', to: to === root ? '' : to, agent: name });
        return undefined;
      }
      if (verdict.do === 'hold') return hold(params, verdict.text);
      settle(id);
      return { error: verdict.text };
    },
    async afterTool(params, result) {
      const { functionCallId: id = '' } = params.toolContext;
      const isKnown = presented.delete(id);
      if (settled.delete(id)) return undefined;
      const call = callOf(params);
      // Another plugin has answered before it came to us.
      if (!isKnown) run.before(call);
      const stub = run.after(call, { output: result }, { replaceable: typeof result === 'string' });
      if (!run.isIdle(name)) await run.saved();
      return stub === null ? undefined : { result: stub };
    },
    onToolError(params, error) {
      run.failed(callOf(params), error);
      settle(params.toolContext.functionCallId);
    },
  };
}

/** The agent that ADK's own tool hands over to. */
function transferIn({ tool, toolArgs }: ToolParams): string | undefined {
  const { agentName } = toolArgs as { readonly agentName?: unknown };
  return tool.name === 'transfer_to_agent' && typeof agentName === 'string' ? agentName : undefined;
}

function cutParts({ text, thought }: { readonly text: string; readonly thought: string }): object[] {
  return [...(thought === '' ? [] : [{ text: thought, thought: true }]), ...(text === '' ? [] : [{ text }])];
}

function usageOf(tokens: Tokens | undefined): Usage | undefined {
  if (tokens === undefined) return undefined;
  const { promptTokenCount: prompt = 0, cachedContentTokenCount: cachedInput = 0 } = tokens;
  const output = (tokens.candidatesTokenCount ?? 0) + (tokens.thoughtsTokenCount ?? 0);
  return { input: Math.max(0, prompt - cachedInput), output, cachedInput };
}
