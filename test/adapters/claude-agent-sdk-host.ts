import { deloop } from '../../src/adapters/claude-agent-sdk/index.ts';
import type { AdapterHost, Ending, HostSetup, ScriptedCall, ScriptedTool } from '../../src/testing/index.ts';

type Fields = { readonly [name: string]: unknown };
type Output = {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly decision?: 'block';
  readonly reason?: string;
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
    readonly additionalContext?: string;
  };
};
type Hook = (input: Fields, id?: string, options?: object) => Promise<Output>;
export type QueryOptions = {
  readonly hooks?: { readonly [event: string]: readonly { readonly hooks: readonly Hook[] }[] };
  readonly canUseTool?: (tool: string, input: unknown) => Promise<{ readonly behavior: 'allow' | 'deny' }>;
};
export type Script = {
  readonly session: string;
  readonly model: HostSetup['model'];
  readonly tools: { readonly [name: string]: ScriptedTool };
  /** The conversation, which goes on. */
  readonly messages: Fields[];
  readonly prompt?: string;
  readonly agent?: string;
  /** An SDK of before there were batches. */
  readonly isOld?: boolean;
  /** Calls of one response run one after another, as those do that may change something. */
  readonly isSerial?: boolean;
};

/**
 * Plays what the SDK documents of its hooks: matching hooks run side by side, deny counts more than ask, those of one batch run
 * at once, `continue: false` ends the run after the batch but does not keep a tool from running, denied calls have no Post event, and
 * a Stop hook that blocks sends the agent on with its reason unless another one ends the run.
 */
export async function* playQuery(script: Script, options: QueryOptions): AsyncGenerator<Fields, void> {
  const { session, model, tools, messages, agent, isOld = false, isSerial = false } = script;
  const common = {
    session_id: session,
    transcript_path: `/home/me/.claude/projects/x/${session}.jsonl`,
    cwd: '/home/me/x',
    permission_mode: 'default',
    ...(agent !== undefined && { agent_id: agent, agent_type: 'general-purpose' }),
  };

  async function hear(hook_event_name: string, more: Fields): Promise<readonly Output[]> {
    const hooks = options.hooks?.[hook_event_name]?.flatMap((matcher) => matcher.hooks) ?? [];
    const outputs = await Promise.all(
      hooks.map((hook) => hook({ ...common, hook_event_name, ...more }, undefined, {})),
    );
    for (const { hookSpecificOutput } of outputs)
      if (hookSpecificOutput?.additionalContext !== undefined)
        reminders.push(hookSpecificOutput.additionalContext);
    return outputs;
  }

  let reminders: string[] = [];
  let stopped = false;
  let isSentOn = false;

  async function decided(call: ScriptedCall, input: Fields): Promise<string | null> {
    const outputs = await hear('PreToolUse', input);
    if (outputs.some((output) => output.continue === false)) stopped = true;
    const said = outputs.flatMap(({ hookSpecificOutput }) => hookSpecificOutput ?? []);
    const denied = said.find(({ permissionDecision }) => permissionDecision === 'deny');
    if (denied !== undefined) return `PreToolUse:${call.tool} hook error: ${denied.permissionDecisionReason}`;
    if (!said.some(({ permissionDecision }) => permissionDecision === 'ask')) return null;
    const answer = await options.canUseTool?.(call.tool, call.args);
    return answer?.behavior === 'allow' ? null : "The user doesn't want to proceed with this tool use.";
  }

  async function use(call: ScriptedCall): Promise<Fields> {
    const input = { tool_name: call.tool, tool_input: call.args, tool_use_id: call.id };
    const ended = (tool_response: string) => ({ ...input, tool_response });
    const execute = tools[call.tool];
    if (execute === undefined)
      return ended(`<tool_use_error>Error: No such tool available: ${call.tool}</tool_use_error>`);
    const refusal = await decided(call, input);
    if (refusal !== null) return ended(refusal);
    try {
      const result = await execute(call.args);
      const text = typeof result === 'string' ? result : JSON.stringify(result);
      const tool_response = typeof result === 'string' ? { stdout: result, stderr: '' } : result;
      stop(await hear('PostToolUse', { ...input, tool_response, duration_ms: 1 }));
      return ended(text);
    } catch (error) {
      const { message } = error as Error;
      stop(await hear('PostToolUseFailure', { ...input, error: message, is_interrupt: false }));
      return ended(message);
    }
  }

  async function oneByOne(calls: readonly ScriptedCall[]): Promise<readonly Fields[]> {
    const ended: Fields[] = [];
    for (const call of calls) ended.push(await use(call));
    return ended;
  }

  function stop(outputs: readonly Output[]): void {
    if (outputs.some((output) => output.continue === false)) stopped = true;
  }

  if (script.prompt !== undefined) {
    messages.push({ role: 'user', content: script.prompt });
    await hear('UserPromptSubmit', { prompt: script.prompt });
  }
  for (;;) {
    const { text = '', calls = [], usage } = model({ sent: JSON.stringify(messages), tools: true });
    const content = [
      { type: 'text', text },
      ...calls.map(({ id, tool, args }) => ({ type: 'tool_use', id, name: tool, input: args })),
    ];
    messages.push({ role: 'assistant', content });
    // One message for each block, and each has the tokens of all.
    for (const block of content)
      yield {
        type: 'assistant',
        session_id: session,
        parent_tool_use_id: null,
        message: {
          id: `msg-${messages.length}`,
          content: [block],
          ...(usage && { usage: { input_tokens: usage.input, output_tokens: usage.output } }),
        },
      };
    if (calls.length === 0) {
      const outputs = await hear(agent === undefined ? 'Stop' : 'SubagentStop', {
        stop_hook_active: isSentOn,
        last_assistant_message: text,
      });
      stop(outputs);
      const blocked = outputs.find(({ decision }) => decision === 'block');
      if (stopped || blocked === undefined) return;
      isSentOn = true;
      messages.push({ role: 'user', content: blocked.reason });
      continue;
    }
    const tool_calls = isSerial ? await oneByOne(calls) : await Promise.all(calls.map(use));
    if (!isOld) stop(await hear('PostToolBatch', { tool_calls }));
    messages.push({
      role: 'user',
      content: [
        ...tool_calls,
        ...reminders.map((reminder) => `<system-reminder>${reminder}</system-reminder>`),
      ],
    });
    reminders = [];
    if (stopped) return;
  }
}

export const claudeAgentSdk: AdapterHost = {
  name: 'Claude Agent SDK, played',
  cannot: {
    'last-turn': 'the SDK cannot take the tools away for one response',
    text: 'hooks are told the text of a response only where it ends the run',
    reasoning: 'hooks are never told what the model thinks',
    'tool-errors': 'tools run in another process, so their errors reach nobody as objects',
  },
  open({ model, tools, options, onOwnHook }: HostSetup) {
    const guard = options && deloop(options);
    const session = options?.session ?? 'one';
    const messages: Fields[] = [];
    let running: Promise<void> = Promise.resolve();
    let text = '';
    let asked: ((answer: { behavior: 'allow' | 'deny' }) => void) | null = null;
    let hold: () => void = () => {};

    const own = (event: string) => ({
      hooks: [
        async () => {
          onOwnHook?.(event);
          return {};
        },
      ],
    });
    const given: QueryOptions = {
      canUseTool: () =>
        new Promise((resolve) => {
          asked = resolve;
          hold();
        }),
      ...(onOwnHook && {
        hooks: {
          PreToolUse: [own('PreToolUse')],
          PostToolUse: [own('PostToolUse'), own('PostToolUse again')],
          PostToolUseFailure: [own('PostToolUseFailure')],
          SessionEnd: [own('SessionEnd')],
          Stop: [own('Stop')],
        },
      }),
    };

    /** Until the run ends, or until a person is asked. */
    async function go(prompt?: string): Promise<Ending> {
      const held = new Promise<void>((resolve) => {
        hold = resolve;
      });
      if (asked === null) {
        const query = playQuery(
          { session, model, tools, messages, ...(prompt !== undefined && { prompt }) },
          guard === null ? given : guard(given),
        );
        running = consumed(guard === null ? query : guard.watch(query));
      }
      asked = null;
      await Promise.race([running, held]);
      const reason = guard?.run(session).stopped ?? null;
      return { ended: asked !== null ? 'held' : reason === null ? 'done' : 'stopped', text, reason };
    }

    async function consumed(query: AsyncIterable<Fields>): Promise<void> {
      for await (const { message } of query) {
        const { content } = message as { content: readonly { text?: string }[] };
        text = content[0]?.text ?? text;
      }
    }

    return {
      send: go,
      answer(yes) {
        const answered = asked;
        const next = go();
        answered?.({ behavior: yes ? 'allow' : 'deny' });
        return next;
      },
      async resume() {
        guard?.run(session).resume();
        return go();
      },
      state: () => guard?.run(session).state,
    };
  },
};
