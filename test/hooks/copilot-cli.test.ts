import { describe, expect, it } from 'vitest';
import { newSession, type Session, word } from './play.ts';

let shells = 0;

function payload(more: object) {
  return { sessionId: '23ad', cwd: '/nowhere', ...more };
}

const LIST = { toolName: 'bash', toolArgs: { command: 'ls src', description: 'List' } };

function success(text: string, exitCode = 0) {
  shells += 1;
  return {
    resultType: 'success',
    textResultForLlm: `${text}\n<shellId: ${shells} completed with exit code ${exitCode}>`,
  };
}

function call(session: Session, made: object = LIST, toolResult: object = success('a')): string {
  const before = word(session.send(payload(made)));
  if (before === 'deny' || before === 'ask') return before;
  const permission = session.send(
    payload({ hookName: 'permissionRequest', toolName: 'bash', toolInput: {}, permissionSuggestions: [] }),
  );
  if (permission !== null) return `${before} ${word(permission)}`;
  return `${before} ${word(session.send(payload({ ...made, toolResult })))}`;
}

describe('Copilot CLI', () => {
  it('tells the model at the third, refuses from the fifth on, asks, and ends the run where a call waits for its permission', () => {
    const session = newSession('copilot-cli');
    session.send(payload({ prompt: 'List the files.' }));
    expect(Array.from({ length: 8 }, () => call(session))).toEqual([
      '- -',
      '- -',
      '- tell',
      '- -',
      'deny',
      'deny',
      'ask',
      '- halt',
    ]);
  });

  it('answers in its words', () => {
    const session = newSession('copilot-cli');
    const answers = Array.from({ length: 7 }, () => {
      const before = session.send(payload(LIST));
      return before ?? session.send(payload({ ...LIST, toolResult: success('a') }));
    });
    const [, , nudge, , block, , ask] = answers;
    expect(nudge).toEqual({ additionalContext: expect.stringMatching(/^\[deloop\] /) });
    expect(block).toEqual({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(/^\[deloop\] Not run: /),
    });
    expect(ask).toEqual({
      permissionDecision: 'ask',
      permissionDecisionReason: expect.stringMatching(/^\[deloop\] The agent may be stuck: .*go on\?$/),
    });
    expect(session.send(payload(LIST))).toBeNull();
    expect(
      session.send(payload({ hookName: 'permissionRequest', toolName: 'bash', permissionSuggestions: [] })),
    ).toEqual({
      behavior: 'deny',
      message: expect.stringMatching(/^\[deloop\] Stopped: /),
      interrupt: true,
    });
  });

  it('refuses where no permission is asked for', () => {
    const session = newSession('copilot-cli');
    const view = { toolName: 'view', toolArgs: { path: 'a.txt' } };
    const result = { resultType: 'success', textResultForLlm: 'text' };
    const answers = Array.from({ length: 9 }, () => {
      const before = session.send(payload(view));
      return word(before ?? session.send(payload({ ...view, toolResult: result })));
    });
    expect(answers).toEqual(['-', '-', 'tell', '-', 'deny', 'deny', 'ask', 'deny', 'deny']);
    // A shell that was allowed for good never comes by its permission again: then it is refused, too.
    expect(word(session.send(payload(LIST)))).toBe('-');
    expect(session.send(payload({ ...LIST, toolResult: success('a') }))).toBeNull();
    expect(word(session.send(payload(LIST)))).toBe('deny');
    session.send(payload({ prompt: 'Go on.' }));
    expect(word(session.send(payload(LIST)))).toBe('-');
  });

  it('lets permissions alone as long as nothing is stopped', () => {
    const session = newSession('copilot-cli');
    expect(
      session.send(payload({ hookName: 'permissionRequest', toolName: 'bash', permissionSuggestions: [] })),
    ).toBeNull();
  });

  it('takes an exit code for a failure, though the host does not', () => {
    const session = newSession('copilot-cli');
    const answers = Array.from({ length: 5 }, (_, n) =>
      call(
        session,
        { toolName: 'bash', toolArgs: { command: `node check-${n}` } },
        success(`check ${n}: the total should be 7`, 2),
      ),
    );
    expect(answers).toEqual(['- -', '- -', '- -', '- -', '- tell']);
    const failures = newSession('copilot-cli');
    const views = Array.from({ length: 3 }, (_, n) => {
      const made = { toolName: 'view', toolArgs: { path: `${n}` } };
      failures.send(payload(made));
      return word(failures.send(payload({ ...made, error: 'Path does not exist' })));
    });
    expect(views).toEqual(['-', '-', 'tell']);
  });
});
