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
    session_id: 'monday',
    transcript_path: '/nowhere/monday.jsonl',
    cwd: '/nowhere',
    prompt_id: 'p1',
    permission_mode: 'default',
    ...(agent === undefined ? {} : { agent_id: agent, agent_type: 'general-purpose' }),
    hook_event_name: event,
    tool_name: tool,
    tool_input: input,
    tool_use_id: id,
    ...more,
  };
}

/** A call from question to batch, as far as it gets; what was answered at each. */
function call(session: Session, made: Call = {}, response: object = { stdout: 'a\nb', stderr: '' }): string {
  ids += 1;
  const known = { ...made, id: `toolu_${ids}` };
  const before = session.send(payload('PreToolUse', known));
  const answers = [word(before)];
  if (answers[0] === '-' || answers[0] === 'tell')
    answers.push(word(session.send(payload('PostToolUse', known, { tool_response: response }))));
  if (answers[0] !== 'halt') batch(session, [known], made.agent);
  return answers.join(' ');
}

function batch(session: Session, calls: readonly Call[], agent?: string, response: unknown = 'a\nb'): string {
  const tool_calls = calls.map(({ tool = 'Bash', input = { command: 'ls src' }, id }) => ({
    tool_name: tool,
    tool_input: input,
    tool_use_id: id,
    tool_response: response,
  }));
  const { tool_name, tool_input, tool_use_id, ...common } = payload(
    'PostToolBatch',
    agent === undefined ? {} : { agent },
  );
  return word(session.send({ ...common, tool_calls }));
}

function prompt(session: Session, text: string, more: object = {}): void {
  const { tool_name, tool_input, tool_use_id, ...common } = payload('UserPromptSubmit', {});
  session.send({ ...common, prompt: text, ...more });
}

describe('Claude Code', () => {
  it('tells the model at the third, refuses from the fifth on, asks, and ends the run when nobody says yes', () => {
    const session = newSession('claude-code');
    prompt(session, 'List the files.');
    expect(Array.from({ length: 8 }, () => call(session))).toEqual([
      '- -',
      '- -',
      '- tell',
      '- -',
      'deny',
      'deny',
      'ask',
      'halt',
    ]);
    expect(session.log().map(({ action, did, call: n }) => `${n} ${action} ${did}`)).toEqual([
      '3 nudge nudge',
      '5 block block',
      '6 block block',
      '7 ask ask',
      '8 ask halt',
    ]);
  });

  it('answers in its words', () => {
    const session = newSession('claude-code');
    const answers = Array.from({ length: 8 }, (_, n) => {
      const one = { id: `t${n}` };
      const before = session.send(payload('PreToolUse', one));
      if (before !== null) return before;
      return session.send(payload('PostToolUse', one, { tool_response: { stdout: 'x', stderr: '' } }));
    });
    const [, , nudge, , block, , ask, halt] = answers;
    expect(nudge).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        additionalContext: expect.stringMatching(/^\[deloop\] Bash has given the same result 3 times/),
      },
    });
    expect(block).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/^\[deloop\] Not run: /),
      },
    });
    expect(ask).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: expect.stringMatching(/^\[deloop\] The agent may be stuck: .*go on\?$/),
      },
    });
    // `continue: false` alone would let the tool run once more.
    expect(halt).toEqual({
      continue: false,
      stopReason: expect.stringMatching(/^\[deloop\] Stopped: /),
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/^\[deloop\] Stopped: /),
      },
    });
  });

  it('tells pictures apart, however small they are', () => {
    const shots = (nth: (n: number) => number) => {
      const session = newSession('claude-code');
      const shot = (n: number) => ({
        content: [
          { type: 'text', text: 'Rendered:' },
          { type: 'image', data: btoa(`picture ${n}`.repeat(9)), mimeType: 'image/png' },
        ],
      });
      return Array.from({ length: 5 }, (_, n) =>
        call(session, { tool: 'mcp__studio__render', input: { scene: 'intro' } }, shot(nth(n))),
      );
    };
    expect(shots((n) => n)).toEqual(Array(5).fill('- -'));
    expect(shots(() => 1)).toEqual(['- -', '- -', '- tell', '- -', 'deny']);
  });

  it('goes on when a person says yes', () => {
    const session = newSession('claude-code');
    for (let n = 1; n <= 6; n++) call(session);
    const asked = { id: 'asked' };
    expect(word(session.send(payload('PreToolUse', asked)))).toBe('ask');
    // It ran, so somebody let it.
    session.send(payload('PostToolUse', asked, { tool_response: { stdout: 'a\nb', stderr: '' } }));
    expect(call(session)).toBe('- -');
  });

  it('puts one question for all calls of a response', () => {
    const session = newSession('claude-code');
    for (let n = 1; n <= 6; n++) call(session);
    const others = ['x', 'y', 'z'].map((id) => ({ id, input: { command: `echo ${id}` } }));
    expect(word(session.send(payload('PreToolUse', { id: 'asked' })))).toBe('ask');
    for (const other of others) expect(word(session.send(payload('PreToolUse', other), 5))).toBe('ask');
  });

  it('starts anew when a person writes', () => {
    const session = newSession('claude-code');
    for (let n = 1; n <= 8; n++) call(session);
    expect(call(session)).toBe('halt');
    prompt(session, 'Once more, please.', { prompt_id: 'p2' });
    expect(call(session)).toBe('- -');
  });

  it('does not take what the host says for a person', () => {
    const session = newSession('claude-code');
    for (let n = 1; n <= 4; n++) call(session);
    prompt(session, 'It is time.', { source: 'loop_wakeup' });
    expect(call(session)).toBe('deny');
  });

  it('counts what happens at once as one response', () => {
    const session = newSession('claude-code');
    for (let response = 1; response <= 2; response++) {
      const calls = ['a', 'b', 'c', 'd'].map((name) => ({ id: `${name}${response}` }));
      for (const one of calls) expect(session.send(payload('PreToolUse', one), 5)).toBeNull();
      for (const one of calls)
        expect(session.send(payload('PostToolUse', one, { tool_response: 'same' }), 5)).toBeNull();
      expect(batch(session, calls)).toBe('-');
    }
  });

  it('knows a response by its batch, even when its calls run one after the other', () => {
    const session = newSession('claude-code');
    call(session);
    const calls = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
    for (const one of calls) {
      expect(session.send(payload('PreToolUse', one))).toBeNull();
      expect(
        session.send(payload('PostToolUse', one, { tool_response: { stdout: 'a\nb', stderr: '' } })),
      ).toBeNull();
    }
    batch(session, calls);
    expect(call(session)).toBe('- tell');
  });

  it('keeps sub-agents apart', () => {
    const session = newSession('claude-code');
    for (const agent of ['one', 'two', 'three']) {
      expect(call(session, { agent })).toBe('- -');
      expect(call(session, { agent })).toBe('- -');
    }
    expect(call(session, { agent: 'two' })).toBe('- tell');
    expect(call(session)).toBe('- -');
  });

  it('sees failures, and calls that only the batch tells of', () => {
    const session = newSession('claude-code');
    const failures = Array.from({ length: 5 }, (_, n) => {
      const one = { id: `f${n}`, input: { command: `cat missing-${n}` } };
      session.send(payload('PreToolUse', one));
      const error = `Exit code 1\ncat: missing-${n}: No such file or directory`;
      const answer = session.send(payload('PostToolUseFailure', one, { error, is_interrupt: false }));
      batch(session, [one]);
      return word(answer);
    });
    expect(failures).toEqual(['-', '-', '-', '-', 'tell']);
    const other = newSession('claude-code');
    const unknown = Array.from({ length: 3 }, (_, n) =>
      batch(
        other,
        [{ id: `u${n}`, tool: 'Fly', input: { to: n } }],
        undefined,
        '<tool_use_error>Error: No such tool available: Fly</tool_use_error>',
      ),
    );
    expect(unknown).toEqual(['-', '-', 'tell']);
  });

  it('passes over an interrupted call', () => {
    const session = newSession('claude-code');
    for (let n = 1; n <= 6; n++) {
      const one = { id: `i${n}` };
      session.send(payload('PreToolUse', one));
      expect(
        session.send(payload('PostToolUseFailure', one, { error: 'Interrupted', is_interrupt: true })),
      ).toBeNull();
      batch(session, [one]);
    }
  });

  it('counts a call that is shown twice once', () => {
    const session = newSession('claude-code');
    for (let n = 1; n <= 6; n++) expect(session.send(payload('PreToolUse', { id: 'same' }), 5)).toBeNull();
  });

  it('says nothing in Copilot and Cursor, which run its hooks too', () => {
    for (const [env, more] of [
      [{ COPILOT_CLI: '1' }, {}],
      [{}, { cursor_version: '2.0' }],
    ] as const) {
      const session = newSession('claude-code', { env });
      for (let n = 1; n <= 6; n++)
        expect(session.send(payload('PreToolUse', { id: `c${n}` }, more))).toBeNull();
    }
    const nested = newSession('claude-code', { env: { COPILOT_CLI: '1', CLAUDECODE: '1' } });
    for (let n = 1; n <= 4; n++) call(nested);
    expect(call(nested)).toBe('deny');
  });

  it('does not take what the agent has written for a result, whatever it says', () => {
    const session = newSession('claude-code');
    prompt(session, 'Write a fixture for each error of the API.');
    for (let n = 0; n < 14; n++) {
      const content = `{\n  "success": false,\n  "code": ${400 + n}\n}\n`;
      const file_path = `/nowhere/fixtures/${400 + n}.json`;
      const written = {
        type: 'create',
        filePath: file_path,
        content,
        structuredPatch: [],
        originalFile: null,
      };
      expect(call(session, { tool: 'Write', input: { file_path, content } }, written)).toBe('- -');
      const tested = { stdout: 'all tests pass', stderr: '' };
      expect(call(session, { input: { command: 'npm test' } }, tested)).toBe('- -');
    }
    expect(session.log()).toEqual([]);
  });

  it('tells one image from another, whatever the text beside it', () => {
    const session = newSession('claude-code');
    prompt(session, 'Look at the page until it has loaded.');
    const text = { type: 'text', text: 'Here is the page as it is shown in the browser at the moment.' };
    for (let n = 0; n < 8; n++) {
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: `IMG${n}` } };
      expect(call(session, { tool: 'mcp__browser__page', input: {} }, [text, image])).toBe('- -');
    }
  });
});
