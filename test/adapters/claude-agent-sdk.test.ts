import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ClaudeAgentSdkOptions, deloop } from '../../src/adapters/claude-agent-sdk/index.ts';
import { toolOutput } from '../../src/adapters/claude-agent-sdk/tool-output.ts';
import type { AgentEvent, Intervention, Preset } from '../../src/index.ts';
import { presets } from '../../src/index.ts';
import { createMemoryStore } from '../../src/stores/index.ts';
import { testAdapter } from '../../src/testing/index.ts';
import { claudeAgentSdk, playQuery, type QueryOptions, type Script } from './claude-agent-sdk-host.ts';

testAdapter(claudeAgentSdk, { describe, it });

type Heard = { readonly decision: Intervention; readonly event: AgentEvent };

function listening(options: ClaudeAgentSdkOptions = {}) {
  const heard: Heard[] = [];
  const guard = deloop({
    now: () => 0,
    ...options,
    onDecision: (decision, event) => heard.push({ decision, event }),
  });
  return { guard, heard };
}

/** The hook of an event, called as the SDK calls it. */
function hookOf(guard: ReturnType<typeof deloop>, hook_event_name: keyof typeof guard.hooks) {
  const hook = guard.hooks[hook_event_name][0]?.hooks[0];
  if (hook === undefined) throw new Error(`no hook for ${hook_event_name}`);
  return (input: object) => hook({ session_id: 's', hook_event_name, ...input });
}

const bash = (n: number, more: object = {}) => ({
  tool_name: 'Bash',
  tool_input: { command: 'cargo check', description: 'checks' },
  tool_use_id: `toolu_${n}`,
  ...more,
});
const said = {
  tool_response: { stdout: 'error: no method', stderr: '', interrupted: false, isImage: false },
};

async function ended(script: Partial<Script>, options: QueryOptions): Promise<void> {
  const all: Script = { session: 's', model: () => ({}), tools: {}, messages: [], ...script };
  for await (const _ of playQuery(all, options));
}

const again: Script['model'] = ({ sent }) => {
  const n = sent.split('"tool_use"').length;
  return { calls: [{ id: `toolu_${n}`, tool: 'look', args: { q: 'x' } }] };
};
const look = { look: () => 'Nothing was found.' };

describe('the hooks', () => {
  it('answer in the words of the SDK, and a halt does not let the tool run once more', async () => {
    const { guard } = listening();
    const [before, after, batch] = [
      hookOf(guard, 'PreToolUse'),
      hookOf(guard, 'PostToolUse'),
      hookOf(guard, 'PostToolBatch'),
    ];
    const answers: unknown[] = [];
    for (let n = 1; n <= 7; n++) {
      const answer = await before(bash(n));
      answers.push(answer);
      if (Object.keys(answer).length === 0) expect(await after(bash(n, said))).toEqual({});
      answers.push(await batch({ tool_calls: [bash(n, { tool_response: 'error: no method' })] }));
    }
    const nudge = {
      hookSpecificOutput: {
        hookEventName: 'PostToolBatch',
        additionalContext: expect.stringMatching(/^Bash has given the same result 3 times/),
      },
    };
    const deny = {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/^Not run:/),
      },
    };
    const stop = { continue: false, stopReason: expect.stringMatching(/^Stopped:/) };
    expect(answers).toEqual([
      ...[{}, {}, {}, {}, {}, nudge, {}, {}],
      ...[deny, {}, deny, {}],
      {
        ...stop,
        hookSpecificOutput: { ...deny.hookSpecificOutput, permissionDecisionReason: stop.stopReason },
      },
      stop,
    ]);
    expect(guard.stopped).toMatchObject({ action: 'halt', detector: 'no-progress', session: 's', call: 7 });
  });

  it('tell a result as the model sees it, whatever the tool', async () => {
    const responses: readonly (readonly [object, object])[] = [
      [
        { stdout: 'a', stderr: 'b', interrupted: false, durationMs: 1 },
        { stdout: 'a', stderr: 'b', interrupted: false, durationMs: 2 },
      ],
      [
        { type: 'text', file: { content: 'x', totalLines: 1 }, duration_ms: 4 },
        { type: 'text', file: { content: 'x', totalLines: 1 }, duration_ms: 5 },
      ],
      [
        { content: [{ type: 'text', text: 'x' }], totalDurationMs: 5 },
        { content: [{ type: 'text', text: 'x' }], totalDurationMs: 6 },
      ],
      [
        { matches: 1, duration: 1 },
        { matches: 1, duration: 2 },
      ],
      [[{ type: 'text', text: 'y' }], [{ type: 'text', text: 'y' }]],
    ];
    for (const [one, other] of responses) {
      const { guard, heard } = listening();
      for (let n = 1; n <= 3; n++) {
        await hookOf(guard, 'PreToolUse')(bash(n));
        await hookOf(guard, 'PostToolUse')(bash(n, { tool_response: n % 2 === 0 ? one : other }));
        await hookOf(guard, 'PostToolBatch')({ tool_calls: [] });
      }
      expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge']);
    }
  });

  it('tell that a search found nothing as the model is told', async () => {
    const nothing = [
      { mode: 'files_with_matches', filenames: [], numFiles: 0 },
      { mode: 'content', filenames: [], numFiles: 0, content: '', numLines: 0 },
      { filenames: [], durationMs: 4, numFiles: 0, truncated: false },
    ];
    for (const tool_response of nothing) {
      const { guard, heard } = listening();
      for (const letter of 'abcdefghijklmnopqrst') {
        const call = {
          tool_name: 'Grep',
          tool_input: { pattern: `old_${letter}helper` },
          tool_use_id: letter,
        };
        await hookOf(guard, 'PreToolUse')(call);
        await hookOf(guard, 'PostToolUse')({ ...call, tool_response });
        await hookOf(guard, 'PostToolBatch')({ tool_calls: [] });
      }
      expect(heard).toEqual([]);
    }
    expect(toolOutput({ filenames: ['a.ts', 'b.ts'], numFiles: 2 })).toBe('a.ts\nb.ts');
  });

  it('do not take what the agent has written for a result, whatever it says', async () => {
    const contents = [
      '{\n  "success": false\n}',
      '{\n  "error": "gone"\n}',
      'Error: gone\nThis is when',
      'fatal: x',
    ];
    const { guard, heard } = listening();
    for (let n = 1; n <= 20; n++) {
      const content = `${contents[n % contents.length]}\n${n}`;
      const file_path = `/x/fixtures/${n}.json`;
      const written = {
        tool_name: 'Write',
        tool_input: { file_path, content },
        tool_use_id: `write_${n}`,
        tool_response: {
          type: 'create',
          filePath: file_path,
          content,
          structuredPatch: [],
          originalFile: null,
        },
      };
      const tested = bash(n, { tool_response: { stdout: 'all tests pass', stderr: '' } });
      for (const call of [written, tested]) {
        expect(await hookOf(guard, 'PreToolUse')(call)).toEqual({});
        await hookOf(guard, 'PostToolUse')(call);
        await hookOf(guard, 'PostToolBatch')({ tool_calls: [] });
      }
    }
    expect(heard).toEqual([]);
  });

  it('tell of a changed file that it was changed, as the model is told', () => {
    const changed = { filePath: '/x/a.ts', structuredPatch: [], originalFile: 'Error: old' };
    const written = { ...changed, content: 'Error: new' };
    const updated = 'The file /x/a.ts has been updated successfully.';
    expect(toolOutput({ type: 'create', ...written })).toBe('File created successfully at: /x/a.ts');
    expect(toolOutput({ type: 'update', ...written })).toBe(updated);
    expect(toolOutput({ ...changed, oldString: 'a', newString: 'b', replaceAll: false })).toBe(updated);
    const cell = { new_source: 'x', cell_id: 'c1', edit_mode: 'replace', notebook_path: '/x/a.ipynb' };
    expect(toolOutput({ ...cell, error: '' })).toBe('The notebook /x/a.ipynb has been updated: replace c1');
    expect(toolOutput({ ...cell, error: 'no cell c1' })).toBe('Error: no cell c1');
  });

  it('tell what a server has found, beside its words, too', () => {
    const content = [{ type: 'text', text: '1 row' }];
    expect(toolOutput({ content })).toBe('1 row');
    expect(toolOutput({ content, structuredContent: { row: 7 } })).toEqual({
      content,
      structuredContent: { row: 7 },
    });
  });

  it('tell what was interrupted, and what failed', async () => {
    const { guard, heard } = listening({ preset: { ...presets.recommended, rounds: 'call' } });
    for (let n = 1; n <= 3; n++) {
      await hookOf(guard, 'PreToolUse')(bash(n));
      await hookOf(guard, 'PostToolUseFailure')(bash(n, { error: 'Exit code 2\nls: no such file' }));
      await hookOf(guard, 'PostToolBatch')({ tool_calls: [] });
    }
    expect(heard[0]?.event).toMatchObject({ type: 'tool-result', status: 'error' });
    const { guard: other, heard: none } = listening();
    for (let n = 1; n <= 3; n++) {
      await hookOf(other, 'PreToolUse')(bash(n));
      const failure = bash(n, { error: 'interrupted by user', is_interrupt: true });
      await hookOf(other, 'PostToolUseFailure')(failure);
    }
    expect(none.filter(({ event }) => event.type === 'tool-result' && event.status === 'error')).toEqual([]);
  });

  it('pass over what they do not know', async () => {
    const { guard } = listening();
    for (const event of Object.keys(guard.hooks) as (keyof typeof guard.hooks)[])
      for (const input of [
        {},
        { session_id: 7 },
        { tool_name: 7, tool_calls: 'x' },
        { tool_calls: [null, 7] },
      ])
        expect(await hookOf(guard, event)(input)).toEqual({});
    const hostile = JSON.parse(
      '{"tool_name":"x","tool_input":{"__proto__":{"polluted":1}},"tool_use_id":"1"}',
    );
    expect(await hookOf(guard, 'PreToolUse')(hostile)).toEqual({});
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("stand beside the user's own, and wait for a person as long as it takes", () => {
    const own = { hooks: [async () => ({})], matcher: 'Bash' };
    const options = deloop()({ model: 'x', hooks: { PreToolUse: [own], SessionEnd: [own] } });
    expect(options.model).toBe('x');
    expect(options.hooks.PreToolUse).toHaveLength(2);
    expect(options.hooks.PreToolUse[0]).toBe(own);
    expect(options.hooks.SessionEnd).toEqual([own]);
    expect(deloop().hooks.PreToolUse[0]).not.toHaveProperty('timeout');
    expect(deloop({ onAsk: () => true }).hooks.PreToolUse[0]?.timeout).toBe(86_400);
  });
});

describe('options that are guarded more than once', () => {
  const bare: QueryOptions = {};

  it('by one guard are as if guarded once', async () => {
    const { guard, heard } = listening();
    const base = guard(bare);
    const options = guard({ ...base, resume: 's' });
    expect(options.hooks).toEqual(base.hooks);
    await ended({ model: again, tools: look, prompt: 'x' }, options);
    expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge', 'block', 'block', 'halt']);
    expect(guard.stopped).toMatchObject({ detector: 'no-progress', call: 7 });
  });

  it.each([false, true])('by two guards are watched by both (without batches: %s)', async (isOld) => {
    const [one, other] = [listening(), listening()];
    await ended({ model: again, tools: look, prompt: 'x', isOld }, other.guard(one.guard(bare)));
    for (const { guard, heard } of [one, other]) {
      expect(heard.map(({ decision }) => decision.action)).toEqual(['nudge', 'block', 'block', 'halt']);
      expect(guard.stopped).toMatchObject({ call: 7 });
    }
    const [silent, loud] = [listening({ mode: 'shadow' }), listening()];
    await ended({ model: again, tools: look, prompt: 'x', isOld }, loud.guard(silent.guard(bare)));
    expect(loud.guard.stopped).toMatchObject({ call: 7 });
  });
});

describe('rounds', () => {
  it('without batches end with their calls', async () => {
    const { guard, heard } = listening();
    const messages: object[] = [];
    await ended(
      { model: again, tools: look, messages: messages as never, isOld: true, prompt: 'x' },
      guard({}),
    );
    expect(heard.map(({ decision: { action, call } }) => `${action} ${call}`)).toEqual([
      'nudge 3',
      'block 5',
      'block 6',
      'halt 7',
    ]);
    expect(JSON.stringify(messages)).toContain('<system-reminder>look has given the same result 3 times');
  });

  it('of sub-agents are their own, by agent_id, and so are their stops', async () => {
    const { guard, heard } = listening();
    const options = guard({});
    let left = 2;
    const twice: Script['model'] = (request) => {
      left -= 1;
      return left < 0 ? { text: 'Done.' } : again(request);
    };
    await ended({ model: twice, tools: look, prompt: 'x' }, options);
    await ended({ model: again, tools: look, agent: 'a1b2' }, options);
    expect(heard.map(({ decision: { action, agent } }) => `${action} ${agent}`)).toEqual([
      'nudge a1b2',
      'block a1b2',
      'block a1b2',
      'halt a1b2',
    ]);
    expect(guard.stopped).toBeNull();
    expect(guard.run('s').stoppedFor('a1b2')).toMatchObject({ action: 'halt', agent: 'a1b2' });
  });

  it('know of calls that were denied elsewhere, and of those that never got to a hook', async () => {
    const { guard, heard } = listening();
    const [before, batch] = [hookOf(guard, 'PreToolUse'), hookOf(guard, 'PostToolBatch')];
    for (let n = 1; n <= 3; n++) {
      await before(bash(n));
      await batch({ tool_calls: [bash(n, { tool_response: 'Permission to use Bash has been denied.' })] });
    }
    expect(heard[0]?.event).toMatchObject({ type: 'tool-result', status: 'denied', tool: 'Bash' });
    const { guard: other, heard: told } = listening();
    for (let n = 1; n <= 3; n++) {
      const text = '<tool_use_error>InputValidationError: command is missing</tool_use_error>';
      await hookOf(other, 'PostToolBatch')({ tool_calls: [bash(n, { tool_response: text })] });
    }
    expect(told[0]?.event).toMatchObject({ type: 'tool-result', status: 'invalid' });
  });

  it('count calls once that run one after another, from the first batch of every agent on', async () => {
    const { guard, heard } = listening();
    const options = guard({});
    const calls = ['a', 'b', 'c'].map((q) => ({ tool: 'look', args: { q } }));
    let left = 0;
    const model: Script['model'] = () =>
      left-- > 0
        ? { calls: calls.map((call, n) => ({ id: `toolu_${left}_${n}`, ...call })) }
        : { text: 'Done.' };
    const serial = { model, tools: look, isSerial: true };
    for (const agent of [undefined, 'a1', 'a2']) {
      left = 1;
      await ended({ ...serial, ...(agent === undefined ? { prompt: 'x' } : { agent }) }, options);
    }
    expect(guard.run('s').state.guard.calls).toBe(9);
    expect(heard).toEqual([]);
  });

  it('let the second of two equal calls run in a first batch that is serial', async () => {
    const { guard, heard } = listening({ preset: 'zagens' });
    const messages: object[] = [];
    const read = (id: string) => ({ id, tool: 'look', args: { q: 'x' } });
    const responses = [
      { calls: [read('toolu_1'), { id: 'toolu_2', tool: 'look', args: { q: 'y' } }] },
      { calls: [read('toolu_3')] },
      { text: 'Done.' },
    ];
    let n = 0;
    const script = { tools: { look: () => `found ${n}` }, messages: messages as never, isSerial: true };
    await ended({ ...script, model: () => responses[n++] ?? {}, prompt: 'x' }, guard({}));
    expect(heard).toEqual([]);
    expect(JSON.stringify(messages)).not.toContain('Not run');
  });

  it('count calls once when a person writes while they run', async () => {
    const { guard } = listening();
    const [begin, end] = [hookOf(guard, 'PreToolUse'), hookOf(guard, 'PostToolUse')];
    for (const round of [1, 2, 3]) {
      const calls = [1, 2, 3].map((n) => bash(round * 10 + n));
      for (const [n, call] of calls.entries()) {
        await begin(call);
        await end({ ...call, ...said });
        if (n === 0) await hookOf(guard, 'UserPromptSubmit')({ prompt: 'And do this, too.', source: 'user' });
      }
      const tool_calls = calls.map((call) => ({ ...call, tool_response: 'error: no method' }));
      await hookOf(guard, 'PostToolBatch')({ tool_calls });
    }
    expect(guard.run('s').state.guard.calls).toBe(9);
  });
});

describe('an agent that a Stop hook sends on', () => {
  const sendOn = { hooks: [async () => ({ decision: 'block' as const, reason: 'Go on.' })] };
  const finished: Script['model'] = () => {
    responses += 1;
    if (responses > 30) throw new Error('it never ends');
    return { text: 'All tasks are complete.' };
  };
  let responses = 0;

  it.each([undefined, 'a1'])('ends when it is stopped (agent %s)', async (agent) => {
    responses = 0;
    const { guard, heard } = listening();
    const script = { model: finished, ...(agent === undefined ? { prompt: 'x' } : { agent }) };
    await ended(script, guard({ hooks: { Stop: [sendOn], SubagentStop: [sendOn] } }));
    expect(heard.at(-1)?.decision.action).toBe('halt');
    expect(guard.run('s').stoppedFor(agent)).not.toBeNull();
  });

  it('ends when the person says no', async () => {
    responses = 0;
    const asked: string[] = [];
    const { guard } = listening({
      onAsk: ({ detector }) => {
        asked.push(detector);
        return false;
      },
    });
    await ended({ model: finished, prompt: 'x' }, guard({ hooks: { Stop: [sendOn] } }));
    expect(asked).toHaveLength(1);
    expect(guard.stopped?.action).toBe('ask');
  });
});

describe('people and tokens', () => {
  it('a prompt of a person ends a stop, one of the host does not', async () => {
    const { guard } = listening();
    await ended({ model: again, tools: look, prompt: 'x' }, guard({}));
    expect(guard.stopped).not.toBeNull();
    const prompt = hookOf(guard, 'UserPromptSubmit');
    await prompt({ prompt: 'wake up', source: 'loop_wakeup' });
    expect(guard.stopped).not.toBeNull();
    await prompt({ prompt: 'go on', source: 'user' });
    expect(guard.stopped).toBeNull();
  });

  describe('a prompt of the host', () => {
    const looked = async (prompts: (n: number) => object) => {
      const { guard, heard } = listening();
      const hook = (event: Parameters<typeof hookOf>[1]) => hookOf(guard, event);
      await hook('UserPromptSubmit')({ prompt: 'Keep an eye on the inbox.' });
      for (let n = 1; n <= 9; n++) {
        await hook('UserPromptSubmit')(prompts(n));
        await hook('PreToolUse')(bash(n));
        await hook('PostToolUse')({ ...bash(n), tool_response: { stdout: 'no new mail', stderr: '' } });
        await hook('PostToolBatch')({ tool_calls: [] });
        await hook('Stop')({ last_assistant_message: 'There is no new mail in the inbox.' });
      }
      return heard.map(({ decision }) => decision.finding.detector);
    };

    it('after some time, or about something new, is worth a look', async () => {
      expect(await looked(() => ({ prompt: 'Look again.', source: 'loop_wakeup' }))).toEqual([]);
      expect(await looked((n) => ({ prompt: `Agent ${n} is done.`, source: 'system' }))).toEqual([]);
    });

    it('in the same words as before is none', async () => {
      expect(await looked(() => ({ prompt: 'Go on.', source: 'system' }))).not.toEqual([]);
    });
  });

  it('a prompt of a person lets stopped sub-agents go on, one of the host does not', async () => {
    const { guard } = listening();
    await ended({ model: again, tools: look, agent: 'a1b2' }, guard({}));
    const prompt = hookOf(guard, 'UserPromptSubmit');
    await prompt({ prompt: 'wake up', source: 'loop_wakeup' });
    expect(guard.run('s').stoppedFor('a1b2')).not.toBeNull();
    await prompt({ prompt: 'I have mended it, go on with that agent.', source: 'user' });
    expect(guard.run('s').stoppedFor('a1b2')).toBeNull();
    expect(await hookOf(guard, 'PreToolUse')(bash(99, { agent_id: 'a1b2' }))).toEqual({});
  });

  it('so does one after a restart', async () => {
    const store = createMemoryStore();
    await ended({ model: again, tools: look, agent: 'a1b2' }, listening({ store }).guard({}));
    const { guard } = listening({ store });
    await hookOf(guard, 'UserPromptSubmit')({ prompt: 'Go on with that agent.' });
    expect(await hookOf(guard, 'PreToolUse')(bash(99, { agent_id: 'a1b2' }))).toEqual({});
  });

  it('tokens of a response count once, however many messages it has', async () => {
    const thrifty: Preset = {
      ...presets.recommended,
      detectors: { ...presets.recommended.detectors, budget: { kind: 'budget', tokens: 1000 } },
    };
    const { guard, heard } = listening({ preset: thrifty });
    const usage = {
      input_tokens: 100,
      cache_creation_input_tokens: 50,
      cache_read_input_tokens: 20,
      output_tokens: 30,
    };
    async function* messages() {
      for (const id of ['a', 'a', 'b', 'a', 'b', 'c'])
        yield { type: 'assistant', session_id: 's', message: { id, content: [], usage } } as const;
      yield { type: 'result', session_id: 's', usage } as const;
    }
    const passed: unknown[] = [];
    for await (const message of guard.watch(messages())) passed.push(message.type);
    expect(passed).toHaveLength(7);
    await hookOf(guard, 'PreToolUse')(bash(1));
    expect(heard).toEqual([]);
    async function* more() {
      for (const id of ['d', 'e'])
        yield { type: 'assistant', session_id: 's', message: { id, usage } } as const;
    }
    for await (const _ of guard.watch(more()));
    await hookOf(guard, 'PostToolBatch')({ tool_calls: [] });
    await hookOf(guard, 'PreToolUse')(bash(2));
    expect(heard[0]?.decision.finding).toMatchObject({ detector: 'budget' });
  });

  it('tokens that a later message of a response tells count, too', async () => {
    const { guard } = listening();
    const message = (id: string, output_tokens: number) =>
      ({
        type: 'assistant',
        session_id: 's',
        message: { id, usage: { input_tokens: 3, output_tokens } },
      }) as const;
    async function* messages() {
      for (const id of ['a', 'b'])
        yield* [message(id, 2), message(id, 900), message(id, 900), message(id, 2)];
    }
    for await (const _ of guard.watch(messages()));
    expect(guard.run('s').state.desks[0]?.usage).toEqual({ input: 6, output: 1800, cachedInput: 0 });
  });

  describe('a budget of tokens', () => {
    const preset: Preset = {
      ...presets.recommended,
      detectors: { ...presets.recommended.detectors, budget: { kind: 'budget', tokens: 10_000 } },
    };

    /** Responses of a sub-agent, of 1000 tokens each, until it is stopped. */
    async function responses(
      guard: ReturnType<typeof deloop>,
      agent_id: string,
      most: number,
    ): Promise<number> {
      for (let n = 1; n <= most; n++) {
        const id = `${agent_id}-${n}`;
        const usage = { input_tokens: 900, output_tokens: 100 };
        async function* messages() {
          yield { type: 'assistant', session_id: 's', parent_tool_use_id: 'toolu_0', message: { id, usage } };
        }
        for await (const _ of guard.watch(messages()));
        const call = { tool_name: 'Read', tool_input: { file_path: id }, tool_use_id: id, agent_id };
        const answer = await hookOf(guard, 'PreToolUse')(call);
        if (answer.continue === false) return n;
        await hookOf(guard, 'PostToolUse')({ ...call, tool_response: { file: { content: id } } });
        await hookOf(guard, 'PostToolBatch')({ tool_calls: [{ ...call, tool_response: id }], agent_id });
      }
      return Number.POSITIVE_INFINITY;
    }

    it('stops a sub-agent while the main agent waits for it', async () => {
      const { guard, heard } = listening({ preset });
      await hookOf(guard, 'UserPromptSubmit')({ prompt: 'x' });
      await hookOf(guard, 'PreToolUse')({ tool_name: 'Agent', tool_input: {}, tool_use_id: 'toolu_0' });
      expect(await responses(guard, 'a1', 100)).toBeLessThan(15);
      expect(heard.at(-1)?.decision).toMatchObject({ agent: 'a1', finding: { detector: 'budget' } });
    });

    it('is one for all sub-agents, and nobody pays twice', async () => {
      const { guard, heard } = listening({ preset });
      await hookOf(guard, 'UserPromptSubmit')({ prompt: 'x' });
      expect(await responses(guard, 'a1', 4)).toBe(Number.POSITIVE_INFINITY);
      expect(await responses(guard, 'a2', 3)).toBe(Number.POSITIVE_INFINITY);
      expect(heard).toEqual([]);
      expect(await responses(guard, 'a3', 100)).toBeLessThan(8);
    });

    it('counts tokens once where agents share one history', async () => {
      const { guard, heard } = listening({ preset: { ...preset, agents: 'together' } });
      await hookOf(guard, 'UserPromptSubmit')({ prompt: 'x' });
      expect(await responses(guard, 'a1', 6)).toBe(Number.POSITIVE_INFINITY);
      await hookOf(guard, 'PreToolUse')(bash(1));
      expect(heard).toEqual([]);
    });
  });

  it('a compaction is told', async () => {
    const { guard } = listening({ preset: 'recommended' });
    for (let n = 0; n < 4; n++) await hookOf(guard, 'PreCompact')({ trigger: 'auto' });
    expect(guard.stopped?.detector).toBe('compactions');
  });
});

describe('the types', () => {
  type Callback = (
    input:
      | { session_id: string; hook_event_name: 'PreToolUse'; tool_name: string; tool_input: unknown }
      | { session_id: string; hook_event_name: 'Stop'; stop_hook_active: boolean },
    toolUseId: string | undefined,
    options: { signal: AbortSignal },
  ) => Promise<{
    continue?: boolean;
    stopReason?: string;
    decision?: 'approve' | 'block';
    hookSpecificOutput?:
      | {
          hookEventName: 'PreToolUse';
          permissionDecision?: 'allow' | 'deny' | 'ask';
          permissionDecisionReason?: string;
        }
      | { hookEventName: 'PostToolUse' | 'PostToolUseFailure'; additionalContext?: string };
  }>;
  type Event =
    | 'PreToolUse'
    | 'PostToolUse'
    | 'PostToolUseFailure'
    | 'Stop'
    | 'UserPromptSubmit'
    | 'SessionEnd';
  /** As the SDK types its options. */
  type SdkOptions = {
    maxTurns?: number;
    permissionMode?: 'default' | 'bypassPermissions';
    settingSources?: ('user' | 'project')[];
    systemPrompt?: string | { type: 'preset'; preset: 'claude_code'; append?: string };
    mcpServers?: Record<string, { type?: 'stdio'; command: string } | { type: 'http'; url: string }>;
    hooks?: Partial<Record<Event, { matcher?: string; hooks: Callback[]; timeout?: number }[]>>;
    canUseTool?: (
      tool: string,
      input: Record<string, unknown>,
    ) => Promise<{ behavior: 'allow'; updatedInput: Record<string, unknown> } | { behavior: 'deny' }>;
  };
  const query = ({ options }: { prompt: string; options?: SdkOptions | undefined }) => options;
  const prompt = 'x';

  it('of the options stay as they are', () => {
    const options = { maxTurns: 3, hooks: {}, canUseTool: async () => ({ behavior: 'allow' as const }) };
    expectTypeOf(deloop()(options)).toEqualTypeOf<typeof options>();
    // @ts-expect-error the SDK cannot take the tools away for one response
    deloop({ lastTurn: true });
  });

  it('of options that are written down in the call are those of the SDK', () => {
    const guard = deloop();
    query({ prompt, options: guard({ permissionMode: 'bypassPermissions' }) });
    query({ prompt, options: guard({ settingSources: ['project'] }) });
    query({ prompt, options: guard({ systemPrompt: { type: 'preset', preset: 'claude_code' } }) });
    query({ prompt, options: guard({ mcpServers: { a: { type: 'http', url: 'http://localhost' } } }) });
    query({
      prompt,
      options: guard({
        canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
        hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({ decision: 'approve' })] }] },
      }),
    });
    // @ts-expect-error no such mode
    query({ prompt, options: guard({ permissionMode: 'never' }) });
  });

  it('of the hooks fit where the SDK takes hooks', () => {
    const guard = deloop();
    expect(query({ prompt, options: { hooks: guard.hooks } })?.hooks?.PreToolUse).toHaveLength(1);
  });

  it('take no options, too', () => {
    const guard = deloop();
    const none = undefined as SdkOptions | undefined;
    expect(query({ prompt, options: guard() })?.hooks?.Stop).toHaveLength(1);
    expect(query({ prompt, options: guard(none) })?.hooks?.Stop).toHaveLength(1);
  });
});
