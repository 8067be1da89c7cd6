import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOSTS } from '../../src/hooks/hosts.ts';
import { replacements } from '../transcripts/hostile.ts';
import { newSession, type PlayOptions, type Session, word } from './play.ts';

const SECRET = 'hunter2-the-password';

function payload(event: string, id: string, more: object = {}) {
  return {
    session_id: 'monday',
    cwd: undefined,
    hook_event_name: event,
    tool_name: 'Bash',
    tool_input: { command: `echo ${SECRET}` },
    tool_use_id: id,
    ...more,
  };
}

function calls(session: Session, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `${n}`;
    const before = session.send(payload('PreToolUse', id));
    return word(
      before ?? session.send(payload('PostToolUse', id, { tool_response: { stdout: SECRET, stderr: '' } })),
    );
  });
}

function play(options: PlayOptions = {}): Session {
  return newSession('claude-code', options);
}

function stateFile(session: Session): string {
  const folder = join(session.folder, 'state', 'sessions');
  return join(folder, readdirSync(folder)[0] as string);
}

const problems = (session: Session) => session.log().filter(({ type }) => type === 'problem');

describe('a hook that cannot do its work', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', 'PreToolUse!'],
    ['half of it', '{"session_id":"monday","hook_ev'],
    ['a list', '[1, 2]'],
    ['null', 'null'],
  ])('lets the agent go on: %s', (_, text) => {
    const session = play();
    expect(session.send(text)).toBeNull();
    expect(session.send(text)).toBeNull();
    expect(problems(session)).toHaveLength(1);
    expect(calls(session, 3)).toEqual(['-', '-', 'tell']);
  });

  it('is told of an agent that nobody knows', () => {
    const session = newSession('emacs');
    expect(session.send(payload('PreToolUse', '1'))).toBeNull();
    expect(problems(session)).toMatchObject([{ message: 'agent is emacs; deloop knows no such host' }]);
  });

  it('passes over events that say nothing to a guard', () => {
    const session = play();
    for (const event of ['SessionStart', 'SessionEnd', 'Stop', 'Notification', 'SomethingNew', ''])
      expect(session.send({ session_id: 'monday', hook_event_name: event })).toBeNull();
    expect(session.log()).toEqual([]);
  });

  it.each(HOSTS.map(({ name }) => name))('survives whatever %s may send', (agent) => {
    const session = newSession(agent);
    const payloads = [
      payload('PreToolUse', '1'),
      payload('PostToolUse', '1', { tool_response: { stdout: 'x' } }),
      payload('PostToolUseFailure', '1', { error: 'x' }),
      payload('PostToolBatch', '1', { tool_calls: [{ tool_name: 'a', tool_response: {} }] }),
      payload('BeforeTool', '1'),
      payload('AfterTool', '1', { tool_response: { llmContent: 'x', error: { type: 'x' } } }),
      payload('UserPromptSubmit', '1', { prompt: 'x' }),
      {
        sessionId: 's',
        toolName: 't',
        toolArgs: {},
        toolResult: { resultType: 'success', textResultForLlm: 'x' },
      },
      { taskId: 't', hookName: 'tool_call', tool_call: { id: '1', name: 'n', input: {} }, iteration: 1 },
      {
        taskId: 't',
        hookName: 'tool_result',
        tool_result: { id: '1', name: 'n', input: {}, output: [{ result: 'x' }] },
      },
      {
        conversation_id: 'c',
        hook_event_name: 'postToolUse',
        tool_name: 't',
        tool_input: {},
        tool_output: '{}',
      },
    ];
    for (const one of payloads)
      for (const twisted of replacements(one)) if (twisted.startsWith('{')) session.send(twisted);
    expect(problems(session)).toEqual([]);
  });
});

describe('a state that cannot be used', () => {
  it('is started anew when it is damaged, and told once', () => {
    const session = play();
    calls(session, 2);
    const path = stateFile(session);
    const [head] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${head}\n{"version":1,"guard":7,"agents":"none"}`);
    expect(calls(session, 3)).toEqual(['-', '-', 'tell']);
    writeFileSync(
      path,
      `${head}\n{"version":1,"guard":{"version":1},"agents":[],"prompt":"","restedAt":0,"payloads":[],"allowed":[]}`,
    );
    expect(calls(session, 3)).toEqual(['-', '-', 'tell']);
    writeFileSync(path, 'not even a head');
    expect(calls(session, 3)).toEqual(['-', '-', 'tell']);
    expect(problems(session).map(({ message }) => /anew/.test(String(message)))).toEqual([true, true, true]);
  });

  it('goes on when an older deloop wrote it, without swarms, tokens and words for persons', () => {
    const session = play();
    calls(session, 2);
    const path = stateFile(session);
    const [head, text = ''] = readFileSync(path, 'utf8').split('\n');
    const { swarm: _, agents, ...older } = JSON.parse(text) as { swarm: null; agents: object[] };
    const before = agents.map((notes) =>
      Object.fromEntries(
        Object.entries(notes).filter(([name]) => !['counted', 'unpaid', 'reason'].includes(name)),
      ),
    );
    writeFileSync(path, `${head}\n${JSON.stringify({ ...older, agents: before })}`);
    expect(calls(session, 1)).toEqual(['tell']);
    expect(problems(session)).toEqual([]);
  });

  it('is left alone when a newer deloop wrote it', () => {
    const session = play();
    calls(session, 2);
    const path = stateFile(session);
    const [head] = readFileSync(path, 'utf8').split('\n');
    for (const text of [
      '{"version":2}',
      '{"version":1,"guard":{"version":9},"agents":[],"prompt":"","restedAt":0,"payloads":[],"allowed":[]}',
    ]) {
      writeFileSync(path, `${head}\n${text}`);
      expect(calls(session, 6)).toEqual(['-', '-', '-', '-', '-', '-']);
      expect(readFileSync(path, 'utf8')).toBe(`${head}\n${text}`);
    }
    expect(problems(session)).toHaveLength(2);
  });

  it('because its place is taken is told once, and works again', () => {
    const session = play();
    mkdirSync(join(session.folder, 'state'), { recursive: true });
    writeFileSync(join(session.folder, 'state', 'sessions'), 'a file');
    expect(calls(session, 6)).toEqual(['-', '-', '-', '-', '-', '-']);
    expect(problems(session)).toHaveLength(1);
  });
});

describe('what is kept', () => {
  it('holds nothing of what the agent read or wrote', () => {
    const session = play();
    session.send({ session_id: 'monday', hook_event_name: 'UserPromptSubmit', prompt: SECRET });
    calls(session, 8);
    expect(readFileSync(stateFile(session), 'utf8')).not.toContain('hunter2');
    expect(JSON.stringify(session.log())).not.toContain('hunter2');
  });

  it('is a line for every decision', () => {
    const session = play();
    calls(session, 5);
    expect(session.log()).toMatchObject([
      {
        type: 'decision',
        host: 'claude-code',
        session: 'monday',
        call: 3,
        action: 'nudge',
        did: 'nudge',
        mode: 'enforce',
        level: 'warning',
        detector: 'no-progress',
        subject: expect.stringMatching(/^Bash#/),
        count: 3,
      },
      { call: 5, action: 'block', did: 'block' },
    ]);
  });

  it('stays small, however long the session', () => {
    const session = play();
    let largest = 0;
    for (let n = 0; n < 300; n++) {
      const id = `${n}`;
      const more = {
        tool_input: { command: `make step-${n}` },
        agent_id: n % 12 === 0 ? undefined : `agent ${n % 12}`,
      };
      session.send(payload('PreToolUse', id, more));
      session.send(
        payload('PostToolUse', id, { ...more, tool_response: { stdout: `built ${n}`, stderr: '' } }),
      );
      largest = Math.max(largest, readFileSync(stateFile(session)).length);
    }
    expect(largest).toBeLessThan(90_000);
  });
});

describe('settings', () => {
  it('come from the project of the payload', () => {
    const session = play({ files: { 'project/deloop.config.json': '{"preset":"zagens"}' } });
    const cwd = join(session.folder, 'project');
    const answers = ['1', '2', '3'].map((id) => word(session.send(payload('PreToolUse', id, { cwd }))));
    expect(answers).toEqual(['-', '-', 'deny']);
  });

  it('come from the package, the user and the environment, too', () => {
    for (const options of [
      { files: { 'package.json': '{"name":"x","deloop":{"preset":"zagens"}}' } },
      { files: { '.config/deloop/config.json': '{"preset":"zagens"}' } },
      { env: { DELOOP_PRESET: 'zagens' } },
    ]) {
      const session = play(options);
      const answers = ['1', '2', '3'].map((id) => word(session.send(payload('PreToolUse', id))));
      expect(answers).toEqual(['-', '-', 'deny']);
    }
  });

  it('declare tools and words', () => {
    const config = { tools: { Bash: { poll: true } }, messages: { 'no-progress': 'Again?' } };
    const session = play({ files: { 'deloop.config.json': JSON.stringify(config) } });
    expect(calls(session, 6)).toEqual(['-', '-', '-', '-', '-', '-']);
    const worded = play({ files: { 'deloop.config.json': '{"messages":{"no-progress":"Again?"}}' } });
    for (const id of ['1', '2']) {
      worded.send(payload('PreToolUse', id));
      worded.send(payload('PostToolUse', id, { tool_response: 'x' }));
    }
    worded.send(payload('PreToolUse', '3'));
    const answer = worded.send(payload('PostToolUse', '3', { tool_response: 'x' }));
    expect(JSON.stringify(answer)).toContain('[deloop] Again?');
  });

  it('keep their own thresholds where a host acts early', () => {
    const ladder = [
      { on: 'no-progress', at: 5, action: 'block', where: { when: 'before' }, message: 'Enough.' },
    ];
    const preset = { name: 'mine', detectors: { 'no-progress': { kind: 'no-progress' } }, ladder };
    const session = newSession('gemini-cli', { files: { 'deloop.config.json': JSON.stringify({ preset }) } });
    const made = { session_id: 's', tool_name: 'read_file', tool_input: { file_path: 'a' } };
    const answers = Array.from({ length: 5 }, () => {
      const before = session.send({ ...made, hook_event_name: 'BeforeTool' });
      return word(
        before ?? session.send({ ...made, hook_event_name: 'AfterTool', tool_response: { llmContent: 'x' } }),
      );
    });
    expect(answers).toEqual(['-', '-', '-', '-', 'deny']);
  });

  it('that nobody can follow let the agent go on, and are told once', () => {
    const session = play({ files: { 'deloop.config.json': '{"preset":"kodda"}' } });
    expect(calls(session, 6)).toEqual(['-', '-', '-', '-', '-', '-']);
    expect(problems(session)).toMatchObject([{ message: expect.stringContaining('kodda') }]);
  });

  it('switch it off', () => {
    const session = play({ env: { DELOOP_MODE: 'off' } });
    expect(calls(session, 6)).toEqual(['-', '-', '-', '-', '-', '-']);
    expect(session.log()).toEqual([]);
    expect(calls(play({ files: { 'deloop.config.json': '{"mode":"off"}' } }), 6)).toEqual([
      '-',
      '-',
      '-',
      '-',
      '-',
      '-',
    ]);
  });

  it('say that nobody attends: then what would ask ends the run', () => {
    const session = play({ env: { DELOOP_ATTENDED: 'false' } });
    expect(calls(session, 7)).toEqual(['-', '-', 'tell', '-', 'deny', 'deny', 'halt']);
  });
});

describe('shadow', () => {
  it.each([
    ['by the flag', { shadow: true }],
    ['by the config', { files: { 'deloop.config.json': '{"mode":"shadow"}' } }],
  ])('writes down what would have been done, and does nothing: %s', (_, options) => {
    const session = play(options);
    expect(calls(session, 8)).toEqual(['-', '-', '-', '-', '-', '-', '-', '-']);
    const log = session.log();
    expect(log.map(({ action, did, mode }) => `${action} ${did} ${mode}`)).toContain('block none shadow');
    expect(log.every(({ did }) => did === 'none')).toBe(true);
  });
});
