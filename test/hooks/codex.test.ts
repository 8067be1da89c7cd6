import { describe, expect, it } from 'vitest';
import { newSession, type Session, word } from './play.ts';

type Call = {
  readonly tool?: string;
  readonly input?: object;
  readonly id?: string;
  readonly agent?: string;
};

let ids = 0;

function payload(
  event: string,
  { tool = 'Bash', input = { command: 'ls src' }, id = 'one', agent }: Call,
  more = {},
) {
  return {
    session_id: '01a1',
    turn_id: 't1',
    ...(agent === undefined ? {} : { agent_id: agent, agent_type: 'default' }),
    transcript_path: '/nowhere/rollout.jsonl',
    cwd: '/nowhere',
    hook_event_name: event,
    model: 'm',
    permission_mode: 'bypassPermissions',
    tool_name: tool,
    tool_input: input,
    tool_use_id: id,
    ...more,
  };
}

function call(session: Session, made: Call = {}, response: unknown = 'a\nb\n'): string {
  ids += 1;
  const known = { ...made, id: `call_${ids}` };
  const before = word(session.send(payload('PreToolUse', known)));
  if (before === 'deny') return before;
  return `${before} ${word(session.send(payload('PostToolUse', known, { tool_response: response })))}`;
}

function prompt(session: Session, agent?: string): void {
  const { tool_name, tool_input, tool_use_id, ...common } = payload(
    'UserPromptSubmit',
    agent === undefined ? {} : { agent },
  );
  session.send({ ...common, prompt: 'Go on.' });
}

/** Lines of a rollout, as Codex writes them. */
function lines(...payloads: readonly (readonly [type: string, payload: object])[]): string {
  return payloads
    .map(
      ([type, inner]) => `${JSON.stringify({ timestamp: '2026-11-15T12:00:00Z', type, payload: inner })}\n`,
    )
    .join('');
}

function completed(id: string, exit_code: number): readonly [string, object] {
  return [
    'event_msg',
    {
      type: 'item_completed',
      item: { type: 'CommandExecution', id, exit_code, status: exit_code === 0 ? 'completed' : 'failed' },
    },
  ];
}

describe('Codex', () => {
  it('tells the model at the third, and refuses from the fifth on, without end: nothing stops a run', () => {
    const session = newSession('codex');
    prompt(session);
    expect(Array.from({ length: 12 }, () => call(session))).toEqual([
      '- -',
      '- -',
      '- tell',
      '- -',
      ...Array.from({ length: 8 }, () => 'deny'),
    ]);
    const other = { input: { command: 'echo something else' } };
    expect(call(session, other)).toBe('deny');
    prompt(session);
    expect(call(session)).toBe('- -');
  });

  it('uses no field that would void its answers', () => {
    const session = newSession('codex');
    const answers = Array.from({ length: 9 }, (_, n) => {
      const known = { id: `c${n}` };
      const before = session.send(payload('PreToolUse', known));
      return before ?? session.send(payload('PostToolUse', known, { tool_response: 'x' }));
    }).filter((answer) => answer !== null);
    expect(answers.length).toBeGreaterThan(5);
    for (const answer of answers) {
      expect(Object.keys(answer)).toEqual(['hookSpecificOutput']);
      const { hookEventName, additionalContext, ...rest } = answer['hookSpecificOutput'] as Record<
        string,
        unknown
      >;
      if (hookEventName === 'PostToolUse') expect(rest).toEqual({});
      else {
        expect(hookEventName).toBe('PreToolUse');
        expect(additionalContext).toBeUndefined();
        expect(rest).toEqual({
          permissionDecision: 'deny',
          permissionDecisionReason: expect.stringMatching(/^\[deloop\] \S/),
        });
      }
    }
    const [last] = answers.slice(-1);
    expect(JSON.stringify(last)).toContain('No tool will run until the user has written.');
  });

  it('takes the exit code from the transcript', () => {
    const session = newSession('codex');
    const transcript_path = session.write('rollout.jsonl', '');
    const answers = Array.from({ length: 5 }, (_, n) => {
      const known = { id: `call_${n}`, input: { command: `node check-${n}.js` } };
      session.send(payload('PreToolUse', known, { transcript_path }));
      session.write('rollout.jsonl', lines(completed('other', 0), completed(`call_${n}`, 1)));
      const output = `check ${n}: the total should be ${n}, it is 0`;
      return word(session.send(payload('PostToolUse', known, { transcript_path, tool_response: output })));
    });
    expect(answers).toEqual(['-', '-', '-', '-', 'tell']);
  });

  it('takes a bare complaint for a failure where the transcript cannot be read', () => {
    const session = newSession('codex');
    const answers = Array.from({ length: 5 }, (_, n) =>
      call(
        session,
        { input: { command: `ls /none-${n}` } },
        `ls: cannot access '/none-${n}': No such file or directory\n`,
      ),
    );
    expect(answers).toEqual(['- -', '- -', '- -', '- -', '- tell']);
    const healthy = newSession('codex');
    for (const word of ['apples', 'pears', 'plums', 'figs', 'dates', 'nuts', 'grapes', 'limes']) {
      const output = `cat: no ${word}: No such file or directory\nbut ${word.toUpperCase()} are there\n`;
      expect(call(healthy, { input: { command: `find ${word}` } }, output)).toBe('- -');
    }
  });

  it('finds out from the transcript how a call ended that no hook heard the end of', () => {
    const session = newSession('codex');
    const transcript_path = session.write('rollout.jsonl', '');
    let text = '';
    const answers = Array.from({ length: 4 }, (_, n) => {
      const known = {
        id: `call_${n}`,
        tool: 'apply_patch',
        input: { command: '*** Begin Patch\n-gone\n*** End Patch' },
      };
      // All at once, as a model that answers without thinking.
      const answer = word(session.send(payload('PreToolUse', known, { transcript_path }), 100));
      text += lines(
        [
          'response_item',
          { type: 'custom_tool_call', name: 'apply_patch', call_id: `call_${n}`, input: 'x' },
        ],
        [
          'response_item',
          {
            type: 'custom_tool_call_output',
            call_id: `call_${n}`,
            output: 'apply_patch verification failed: no such lines',
          },
        ],
      );
      session.write('rollout.jsonl', text);
      return answer;
    });
    expect(answers).toEqual(['-', '-', '-', 'tell']);
  });

  it('finds calls in the transcript that no hook was asked about, and only tells of them', () => {
    const session = newSession('codex');
    const transcript_path = session.write('rollout.jsonl', lines(['session_meta', { id: '01a1' }]));
    const { tool_name, tool_input, tool_use_id, ...common } = payload(
      'UserPromptSubmit',
      {},
      { transcript_path },
    );
    session.send({ ...common, prompt: 'Use the tool.' });
    const unknown = Array.from({ length: 12 }, (_, n) =>
      lines(
        [
          'response_item',
          { type: 'function_call', name: 'fly', call_id: `call_${n}`, arguments: `{"to":${n}}` },
        ],
        [
          'response_item',
          { type: 'function_call_output', call_id: `call_${n}`, output: 'unsupported call: fly' },
        ],
        [
          'event_msg',
          {
            type: 'token_count',
            info: { last_token_usage: { input_tokens: 1 }, total_token_usage: { input_tokens: n } },
          },
        ],
      ),
    );
    session.write('rollout.jsonl', lines(['session_meta', { id: '01a1' }]) + unknown.join(''));
    expect(word(session.send(payload('PreToolUse', { id: 'last' }, { transcript_path })))).toBe('tell');
    expect(word(session.send(payload('PreToolUse', { id: 'next' }, { transcript_path })))).toBe('-');
  });

  it('reads of a transcript what is new, once', () => {
    const session = newSession('codex');
    const old = lines(
      ['response_item', { type: 'function_call', name: 'fly', call_id: 'call_0', arguments: '{}' }],
      ['response_item', { type: 'function_call_output', call_id: 'call_0', output: 'unsupported call: fly' }],
    );
    const transcript_path = session.write('rollout.jsonl', old.repeat(20));
    for (let n = 1; n <= 6; n++)
      expect(
        word(
          session.send(
            payload('PreToolUse', { id: `c${n}`, input: { command: `echo ${n}` } }, { transcript_path }),
          ),
        ),
      ).toBe('-');
  });

  it('keeps sub-agents apart, whose first prompt is no person', () => {
    const session = newSession('codex');
    for (let n = 1; n <= 8; n++) call(session);
    prompt(session, 'helper');
    expect(call(session, { agent: 'helper' })).toBe('- -');
    expect(call(session)).toBe('deny');
  });

  it('counts what happens at once as one response', () => {
    const session = newSession('codex');
    for (let response = 1; response <= 2; response++) {
      const calls = ['a', 'b', 'c', 'd'].map((name) => ({ id: `${name}${response}` }));
      for (const [index, one] of calls.entries())
        expect(session.send(payload('PreToolUse', one), index === 0 ? 3000 : 10)).toBeNull();
      for (const one of calls)
        expect(session.send(payload('PostToolUse', one, { tool_response: 'same-output\n' }), 10)).toBeNull();
    }
  });

  it('reads results of MCP tools', () => {
    const session = newSession('codex');
    const answers = Array.from({ length: 3 }, () =>
      call(
        session,
        { tool: 'mcp__ev__echo', input: { message: 'same' } },
        { content: [{ type: 'text', text: 'Echo: same' }] },
      ),
    );
    expect(answers).toEqual(['- -', '- -', '- tell']);
  });
});
