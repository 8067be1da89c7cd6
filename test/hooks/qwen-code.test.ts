import { describe, expect, it } from 'vitest';
import { newSession, type Session, word } from './play.ts';

const LIST = { tool_name: 'run_shell_command', tool_input: { command: 'ls src', is_background: false } };
let ids = 0;

/** A session of a version with batches, or of one without. */
function qwen(session: Session, batches: boolean) {
  let prompts = 0;
  const payload = (event: string, more: object) => ({
    session_id: '7a6c',
    transcript_path: '/nowhere/7a6c.jsonl',
    cwd: '/nowhere',
    hook_event_name: event,
    timestamp: undefined,
    permission_mode: 'yolo',
    ...(batches ? { prompt_id: `7a6c########${prompts}` } : {}),
    ...more,
  });
  const turn = () => session.send(payload('UserPromptSubmit', { prompt: '' }));
  return {
    payload,
    turn,
    say(text: string, more: object = {}) {
      prompts += 1;
      return session.send(
        payload('UserPromptSubmit', {
          prompt: text,
          ...(batches ? { submitted_prompt: text } : {}),
          ...more,
        }),
      );
    },
    /** From the question to the next model response; what was answered at each. */
    call(
      made: object = LIST,
      { error, output = 'Output: a\nError: (none)\nExit Code: 0' }: { error?: string; output?: string } = {},
    ) {
      ids += 1;
      const known = {
        ...made,
        tool_use_id: `toolu_hook_${ids}`,
        ...(batches ? { tool_call_id: `call_${ids}` } : {}),
      };
      const answers = [word(session.send(payload('PreToolUse', known)))];
      if (answers[0] === '-')
        answers.push(
          word(
            error === undefined
              ? session.send(payload('PostToolUse', { ...known, tool_response: { llmContent: output } }))
              : session.send(payload('PostToolUseFailure', { ...known, error, is_interrupt: false })),
          ),
        );
      if (batches) {
        const said = error === undefined ? { output } : { error };
        const tool_response = {
          response_parts: [{ functionResponse: { id: `call_${ids}`, response: said } }],
        };
        const status = error === undefined ? 'success' : 'error';
        answers.push(
          word(session.send(payload('PostToolBatch', { tool_calls: [{ ...known, status, tool_response }] }))),
        );
      }
      answers.push(word(turn()));
      return answers.join(' ');
    },
  };
}

describe.each([true, false])('Qwen Code, with batches: %s', (batches) => {
  const rest = batches ? '- -' : '-';

  it('tells the model at the third and refuses the fourth, before its own detector acts at the fifth', () => {
    const { say, call } = qwen(newSession('qwen-code'), batches);
    say('List the files.');
    expect(Array.from({ length: 4 }, () => call())).toEqual([
      `- - ${rest}`,
      `- - ${rest}`,
      `- tell ${rest}`,
      `deny ${rest}`,
    ]);
  });

  it('ends the run where the model is asked again', () => {
    const { say, call } = qwen(newSession('qwen-code'), batches);
    say('List the files.');
    for (let n = 1; n <= 5; n++) call();
    expect(call()).toBe(`ask ${rest}`);
    expect(call()).toBe(`deny ${batches ? '- ' : ''}block`);
  });

  it('does not take what comes before every response for a person', () => {
    const { say, call, turn } = qwen(newSession('qwen-code'), batches);
    say('List the files.');
    for (let n = 1; n <= 3; n++) call();
    for (let n = 1; n <= 3; n++) turn();
    expect(call()).toBe(`deny ${rest}`);
    say('Once more.');
    expect(call()).toBe(`- - ${rest}`);
  });

  it('tells of failures where it was seen to get through', () => {
    const { call } = qwen(newSession('qwen-code'), batches);
    const error = 'Output: x\nExit Code: 3';
    const answers = Array.from({ length: 3 }, (_, n) =>
      call({ tool_name: 'run_shell_command', tool_input: { command: `node check-${n}` } }, { error }),
    );
    expect(answers).toEqual([`- - ${rest}`, `- - ${rest}`, batches ? '- - tell -' : '- - tell']);
  });
});

describe('Qwen Code', () => {
  it('answers in its words', () => {
    const session = newSession('qwen-code');
    const { say, call, payload, turn } = qwen(session, true);
    say('List.');
    for (let n = 1; n <= 3; n++) call();
    expect(session.send(payload('PreToolUse', { ...LIST, tool_call_id: 'x' }))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/^\[deloop\] Not run: /),
      },
    });
    for (let n = 1; n <= 3; n++) call();
    session.send(payload('PreToolUse', { ...LIST, tool_call_id: 'y' }));
    expect(turn()).toEqual({ decision: 'block', reason: expect.stringMatching(/^\[deloop\] Stopped: /) });
  });

  it('does not take the words of a hook that sends it on for a person', () => {
    const { say, call } = qwen(newSession('qwen-code'), true);
    say('List the files.');
    for (let n = 1; n <= 3; n++) call();
    const session = newSession('qwen-code');
    const other = qwen(session, true);
    other.say('List the files.');
    for (let n = 1; n <= 3; n++) other.call();
    session.send(other.payload('UserPromptSubmit', { prompt: 'The tests still fail.' }));
    expect(other.call()).toBe('deny - -');
  });

  it('sees calls that only the batch tells of, and ends a run in which there is no other', () => {
    const session = newSession('qwen-code');
    const { say, payload, turn } = qwen(session, true);
    say('Use it.');
    const answers = Array.from({ length: 9 }, (_, n) => {
      const tool_response = { error: 'Tool "fly" not found in registry.', error_type: 'tool_not_registered' };
      const one = {
        tool_name: 'fly',
        tool_input: { to: n },
        tool_call_id: `f${n}`,
        status: 'error',
        tool_response,
      };
      return `${word(session.send(payload('PostToolBatch', { tool_calls: [one] })))} ${word(turn())}`;
    });
    expect(answers.slice(0, 3)).toEqual(['- -', '- -', 'tell -']);
    expect(answers.at(-1)).toMatch(/block$/);
  });

  it('keeps sub-agents apart', () => {
    const session = newSession('qwen-code');
    const { payload } = qwen(session, true);
    for (let n = 1; n <= 3; n++)
      for (const agent_id of ['one', 'two', undefined]) {
        const known = { ...LIST, tool_call_id: `${agent_id}${n}`, agent_id };
        expect(session.send(payload('PreToolUse', known))).toBeNull();
        const answer = session.send(
          payload('PostToolUse', { ...known, tool_response: { llmContent: 'Output: a' } }),
        );
        expect(word(answer)).toBe(n === 3 ? 'tell' : '-');
        session.send(
          payload('PostToolBatch', {
            agent_id,
            tool_calls: [{ ...known, status: 'success', tool_response: {} }],
          }),
        );
      }
  });
});
