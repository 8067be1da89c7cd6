import { describe, expect, it } from 'vitest';
import { newSession, type Session, word } from './play.ts';

type Call = {
  readonly name?: string;
  readonly input?: object;
  readonly agent?: string;
  readonly iteration?: number;
};

let ids = 0;
let iterations = 0;

function payload(hookName: string, agent: string | undefined, more: object) {
  return {
    clineVersion: '',
    taskId: 'conv_1',
    sessionContext: { rootSessionId: '1794' },
    workspaceRoots: ['/nowhere'],
    agent_id: agent ?? 'agent_main',
    parent_agent_id: agent === undefined ? null : 'agent_main',
    hookName,
    ...more,
  };
}

function call(
  session: Session,
  made: Call & { readonly error?: string } = {},
  output: unknown = [{ query: 'ls src', result: 'a\n', success: true }],
): string {
  ids += 1;
  iterations += 1;
  const {
    name = 'run_commands',
    input = { commands: ['ls src'] },
    agent,
    iteration = iterations,
    error,
  } = made;
  const known = { id: `call_${ids}`, name, input };
  const before = word(
    session.send(
      payload('tool_call', agent, {
        iteration,
        tool_call: known,
        preToolUse: { toolName: name, parameters: {} },
      }),
    ),
  );
  if (before === 'halt') return before;
  const result = {
    iteration,
    tool_result: { ...known, output, error },
    postToolUse: { toolName: name, success: true },
  };
  return `${before} ${word(session.send(payload('tool_result', agent, result)))}`;
}

describe('Cline', () => {
  it('tells the model at the third and the fourth: it cannot refuse, and ends the run itself at the fifth', () => {
    const session = newSession('cline');
    session.send(payload('agent_start', undefined, { taskStart: {} }));
    expect(Array.from({ length: 5 }, () => call(session))).toEqual([
      '- -',
      '- -',
      '- tell',
      'tell -',
      'tell -',
    ]);
  });

  it('ends the run when words do not help', () => {
    const session = newSession('cline');
    const answers = Array.from({ length: 12 }, (_, n) =>
      call(session, { input: { commands: [n % 2 === 0 ? 'ls' : 'cat a'] } }),
    );
    expect(answers.findIndex((one) => one.includes('halt'))).toBeGreaterThan(6);
    expect(answers.join(' ')).not.toContain('deny');
    session.send(payload('prompt_submit', undefined, { userPromptSubmit: { prompt: 'Go on.' } }));
    expect(call(session, { input: { commands: ['ls'] } })).toBe('- -');
  });

  it('answers in its words, and does not say that a call was not run', () => {
    const session = newSession('cline');
    const answers = Array.from({ length: 6 }, (_, n) => {
      const known = { id: `w${n}`, name: 'read_files', input: { files: [{ path: 'a' }] } };
      const before = session.send(payload('tool_call', undefined, { iteration: 100 + n, tool_call: known }));
      const output = [{ query: 'a', result: 'text', success: true }];
      const after = session.send(
        payload('tool_result', undefined, { iteration: 100 + n, tool_result: { ...known, output } }),
      );
      return before ?? after;
    });
    expect(answers[2]).toEqual({
      cancel: false,
      contextModification: expect.stringMatching(/^\[deloop\] read_files has given/),
    });
    expect(answers[3]).toEqual({
      cancel: false,
      contextModification: expect.stringMatching(/^\[deloop\] Of no use: this is attempt 4/),
    });
    expect(answers[5]).toEqual({
      cancel: true,
      errorMessage: expect.stringMatching(/^\[deloop\] Stopped: /),
    });
    expect(JSON.stringify(answers)).not.toContain('Not run');
  });

  it('finds failures within the output, whatever its own success says', () => {
    const session = newSession('cline');
    const answers = Array.from({ length: 5 }, (_, n) => {
      const result = `[Command exited with code 1]\n\n[stderr]\ncat: missing-${n}: No such file or directory\n`;
      return call(session, { input: { commands: [`cat missing-${n}`] } }, [
        { query: 'cat', result, error: 'Command exited with code 1', success: false },
      ]);
    });
    expect(answers.at(-1)).toBe('- tell');
    const refused = newSession('cline');
    const invalid = Array.from({ length: 3 }, (_, n) =>
      call(
        refused,
        { name: 'read_files', input: { wrong: n }, error: '[object Object]' },
        { error: '✖ Invalid input' },
      ),
    );
    expect(invalid).toEqual(['- -', '- -', '- tell']);
  });

  it('counts the calls of one iteration as one response', () => {
    const session = newSession('cline');
    for (let iteration = 1; iteration <= 2; iteration++)
      for (let n = 1; n <= 4; n++) expect(call(session, { iteration })).toBe('- -');
  });

  it('keeps sub-agents apart, in the session of the agent that started them', () => {
    const session = newSession('cline');
    for (const agent of [undefined, 'helper'])
      for (let n = 1; n <= 2; n++) expect(call(session, agent === undefined ? {} : { agent })).toBe('- -');
    expect(call(session, { agent: 'helper' })).toBe('- tell');
  });

  it('understands the words of its extension for VS Code', () => {
    const session = newSession('cline');
    const answers = Array.from({ length: 3 }, () => {
      const common = { clineVersion: '3', taskId: 'task', timestamp: '1794712543612', workspaceRoots: [] };
      const parameters = { path: 'a.txt' };
      session.send({ ...common, hookName: 'PreToolUse', preToolUse: { toolName: 'read_file', parameters } });
      return word(
        session.send({
          ...common,
          hookName: 'PostToolUse',
          postToolUse: { toolName: 'read_file', parameters, result: 'text', success: true },
        }),
      );
    });
    expect(answers).toEqual(['-', '-', 'tell']);
  });
});
