import { describe, expect, it } from 'vitest';
import { newSession, type Session, word } from './play.ts';

let ids = 0;

function payload(event: string, more: object) {
  return {
    conversation_id: 'c1',
    generation_id: 'g1',
    hook_event_name: event,
    workspace_roots: ['/nowhere'],
    cursor_version: '2.0',
    model: 'm',
    ...more,
  };
}

function call(
  session: Session,
  made = { tool_name: 'Shell', tool_input: { command: 'ls' } },
  tool_output = '{"stdout":"a","exitCode":0}',
): string {
  ids += 1;
  const known = { ...made, tool_use_id: `t${ids}` };
  const before = word(session.send(payload('preToolUse', known)));
  if (before === 'deny') return before;
  return `${before} ${word(session.send(payload('postToolUse', { ...known, tool_output })))}`;
}

describe('Cursor', () => {
  it('tells the model at the third, and refuses from the fifth on: nothing stops a run', () => {
    const session = newSession('cursor');
    session.send(payload('beforeSubmitPrompt', { prompt: 'List.' }));
    expect(Array.from({ length: 9 }, () => call(session))).toEqual([
      '- -',
      '- -',
      '- tell',
      '- -',
      ...Array.from({ length: 5 }, () => 'deny'),
    ]);
    session.send(payload('beforeSubmitPrompt', { prompt: 'Again.' }));
    expect(call(session)).toBe('- -');
  });

  it('answers in its words', () => {
    const session = newSession('cursor');
    const answers = Array.from({ length: 5 }, (_, n) => {
      const known = { tool_name: 'Read', tool_input: { path: 'a' }, tool_use_id: `w${n}` };
      return (
        session.send(payload('preToolUse', known)) ??
        session.send(payload('postToolUse', { ...known, tool_output: '"text"' }))
      );
    });
    expect(answers[2]).toEqual({ additional_context: expect.stringMatching(/^\[deloop\] /) });
    expect(answers[4]).toEqual({
      permission: 'deny',
      agent_message: expect.stringMatching(/^\[deloop\] Not run: /),
      user_message: expect.stringMatching(/^\[deloop\] Not run: /),
    });
  });

  it('sees failures', () => {
    const session = newSession('cursor');
    const shells = Array.from({ length: 3 }, (_, n) =>
      call(
        session,
        { tool_name: 'Shell', tool_input: { command: `cat ${n}` } },
        '{"stdout":"","stderr":"cat: no such file","exitCode":1}',
      ),
    );
    expect(shells.at(-1)).toBe('- tell');
    const failures = newSession('cursor');
    const reads = Array.from({ length: 5 }, (_, n) => {
      const known = { tool_name: 'Read', tool_input: { path: `${n}` }, tool_use_id: `f${n}` };
      failures.send(payload('preToolUse', known));
      return word(
        failures.send(
          payload('postToolUseFailure', { ...known, error_message: 'File not found', failure_type: 'error' }),
        ),
      );
    });
    expect(reads).toEqual(['-', '-', '-', '-', 'tell']);
  });
});
