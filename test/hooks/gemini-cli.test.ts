import { describe, expect, it } from 'vitest';
import { newSession, type Session, word } from './play.ts';

let time = Date.parse('2026-11-15T12:00:00Z');

function payload(event: string, more: object, afterMs = 3000) {
  time += afterMs;
  return {
    session_id: 'e8af',
    transcript_path: '/nowhere/session.jsonl',
    cwd: '/nowhere',
    hook_event_name: event,
    timestamp: new Date(time).toISOString(),
    ...more,
  };
}

let group = 100;

function shell(text: string) {
  group += 7;
  return {
    llmContent: `<untrusted_context>\nOutput: ${text}\nProcess Group PGID: ${group}\n</untrusted_context>`,
    returnDisplay: text,
  };
}

const LIST = { tool_name: 'run_shell_command', tool_input: { command: 'ls src', description: 'List' } };

function call(session: Session, made: object = LIST, response: object = shell('a\nb')): string {
  const before = word(session.send(payload('BeforeTool', made)));
  if (before !== '-') return before;
  return `${before} ${word(session.send(payload('AfterTool', { ...made, tool_response: response })))}`;
}

function prompt(session: Session, text: string, afterMs = 3000): void {
  session.send(payload('BeforeAgent', { prompt: text }, afterMs));
}

describe('Gemini CLI', () => {
  it('tells the model at the third and refuses the fourth, before its own detector acts at the fifth', () => {
    const session = newSession('gemini-cli');
    prompt(session, 'List the files.');
    expect(Array.from({ length: 4 }, () => call(session))).toEqual(['- -', '- -', '- tell', 'deny']);
  });

  it('judges calls that were made at once when the last of them has ended', () => {
    const read = (path: string) => ({ tool_name: 'read_file', tool_input: { file_path: path } });
    const end = (session: Session, made: object, text: string) =>
      word(session.send(payload('AfterTool', { ...made, tool_response: { llmContent: text } }, 5)));
    const heard = (second: string) => {
      const session = newSession('gemini-cli');
      prompt(session, 'Look around.');
      for (const path of ['a', 'b', 'c', 'a', 'b'])
        call(session, read(path), { llmContent: `text of ${path}` });
      session.send(payload('BeforeTool', read('c')));
      session.send(payload('BeforeTool', read(second), 5));
      return [end(session, read('c'), 'text of c'), end(session, read(second), `text of ${second}`)];
    };
    expect(heard('d')).toEqual(['-', '-']);
    expect(heard('a')).toEqual(['-', 'tell']);
  });

  it('answers in its words, never with a question', () => {
    const session = newSession('gemini-cli');
    const answers = Array.from({ length: 6 }, () => {
      const before = session.send(payload('BeforeTool', LIST));
      return before ?? session.send(payload('AfterTool', { ...LIST, tool_response: shell('a') }));
    });
    expect(answers).toEqual([
      null,
      null,
      {
        hookSpecificOutput: {
          hookEventName: 'AfterTool',
          additionalContext: expect.stringMatching(/^\[deloop\] /),
        },
      },
      { decision: 'deny', reason: expect.stringMatching(/^\[deloop\] Not run: /) },
      { decision: 'deny', reason: expect.stringMatching(/^\[deloop\] Not run: /) },
      { continue: false, stopReason: expect.stringMatching(/^\[deloop\] Stopped: /) },
    ]);
  });

  it('reads the exit code in the text, and errors beside it', () => {
    const session = newSession('gemini-cli');
    const shells = Array.from({ length: 5 }, (_, n) =>
      call(
        session,
        { tool_name: 'run_shell_command', tool_input: { command: `node check-${n}.js` } },
        {
          llmContent: `<untrusted_context>\nOutput: check ${n}: the total should be 7\nExit Code: 3\nProcess Group PGID: ${n}\n</untrusted_context>`,
        },
      ),
    );
    expect(shells).toEqual(['- -', '- -', '- -', '- -', '- tell']);
    const reads = newSession('gemini-cli');
    const message = 'Could not read file because no file was found at the specified path.';
    const missing = Array.from({ length: 3 }, (_, n) =>
      call(
        reads,
        { tool_name: 'read_file', tool_input: { file_path: `${n}.txt` } },
        {
          llmContent: message,
          returnDisplay: 'File not found.',
          error: { message: `File not found: ${n}.txt`, type: 'file_not_found' },
        },
      ),
    );
    expect(missing).toEqual(['- -', '- -', '- tell']);
  });

  it('counts a call once when its hook is installed twice', () => {
    const session = newSession('gemini-cli');
    for (let n = 1; n <= 3; n++) {
      const before = payload('BeforeTool', LIST);
      for (let run = 1; run <= 2; run++) expect(session.send(before)).toBeNull();
      const after = payload('AfterTool', { ...LIST, tool_response: shell('a') });
      expect(word(session.send(after))).toBe(n === 3 ? 'tell' : '-');
      expect(session.send(after)).toBeNull();
    }
  });

  it('pairs calls without ids by tool and arguments', () => {
    const session = newSession('gemini-cli');
    const calls = ['a', 'b', 'a'].map((name) => ({
      tool_name: 'read_file',
      tool_input: { file_path: name },
    }));
    for (let response = 1; response <= 3; response++) {
      for (const [index, one] of calls.entries())
        expect(session.send(payload('BeforeTool', one, index === 0 ? 3000 : 5))).toBeNull();
      const answers = [calls[2], calls[1], calls[0]].map((one) =>
        word(
          session.send(
            payload(
              'AfterTool',
              { ...one, tool_response: { llmContent: `text of ${one?.tool_input.file_path}` } },
              5,
            ),
          ),
        ),
      );
      expect(answers.includes('tell')).toBe(response === 3);
    }
  });

  it('does not take its own retries for a person', () => {
    const loops = (how: (session: Session) => void) => {
      const session = newSession('gemini-cli');
      prompt(session, 'List the files.');
      for (let n = 1; n <= 3; n++) call(session);
      how(session);
      return call(session);
    };
    const rests = (session: Session) =>
      session.send(payload('AfterAgent', { prompt: 'x', prompt_response: 'y' }));
    expect(loops(() => {})).toBe('deny');
    // Another hook is not content with the answer, and sends the agent on at once.
    expect(loops((session) => [rests(session), prompt(session, 'The tests still fail.', 200)])).toBe('deny');
    expect(loops((session) => prompt(session, 'Please continue.'))).toBe('deny');
    expect(loops((session) => prompt(session, 'System: Potential loop detected. Go on.'))).toBe('deny');
    expect(loops((session) => [rests(session), prompt(session, 'And once more.', 60_000)])).toBe('- -');
    expect(loops((session) => prompt(session, 'And once more.'))).toBe('- -');
  });

  it('knows responses by what comes before each of them, where that is installed', () => {
    const session = newSession('gemini-cli');
    for (let n = 1; n <= 4; n++) {
      expect(session.send(payload('PreCompress', { trigger: 'auto' }))).toBeNull();
      // No result ever comes, and the next call at once.
      expect(word(session.send(payload('BeforeTool', LIST, 5)))).toBe('-');
    }
    session.send(payload('PreCompress', { trigger: 'auto' }));
    expect(word(session.send(payload('AfterTool', { ...LIST, tool_response: shell('a') })))).toBe('tell');
  });

  it('finds calls in the transcript that no hook was asked about', () => {
    const session = newSession('gemini-cli');
    const transcript_path = session.write('session.jsonl', '{"sessionId":"e8af"}\n');
    session.send(payload('BeforeAgent', { transcript_path, prompt: 'Use it.' }));
    const lines = Array.from({ length: 4 }, (_, n) => {
      const error = 'Tool "fly" not found. Did you mean one of: "read_file"?';
      const response = { functionResponse: { id: `f${n}`, name: 'fly', response: { error } } };
      const toolCalls = [{ id: `f${n}`, name: 'fly', args: { to: n }, result: [response], status: 'error' }];
      return JSON.stringify({
        id: `m${n}`,
        type: 'gemini',
        content: '',
        timestamp: '2026-11-15T12:00:00Z',
        toolCalls,
      });
    });
    session.write('session.jsonl', `{"sessionId":"e8af"}\n${lines.join('\n')}\n`);
    expect(word(session.send(payload('BeforeTool', { ...LIST, transcript_path })))).toBe('-');
    expect(
      word(session.send(payload('AfterTool', { ...LIST, transcript_path, tool_response: shell('a') }))),
    ).toBe('tell');
  });
});
