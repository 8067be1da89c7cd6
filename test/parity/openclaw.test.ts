import { afterEach, describe, expect, it } from 'vitest';
import type { AgentEvent, Json, Options } from '../../src/index.ts';
import { type Call, read, Session, times } from './session.ts';

const BLOCKED = { action: 'block', level: 'critical' };
const WARNED = { action: 'nudge', level: 'warning' };
const poll: Call = { tool: 'process', args: { action: 'poll', sessionId: 's' } };
const write = (path: string): Call => ({ tool: 'write', args: { path, content: 'same' } });
const list: Call = { tool: 'list', args: { dir: '/workspace' } };
const shell: Call = { tool: 'exec', args: { command: 'make' } };
const send: Call = { tool: 'message', args: { action: 'send', target: 'room', text: 'ping' } };

/** Parity table 3.8: warning = nudge, critical = block, abort = halt. */
describe('openclaw', () => {
  let session = new Session({ preset: 'openclaw' });
  const start = (options: Options = {}) => {
    session = new Session({ preset: 'openclaw', ...options });
    return session;
  };
  /** A result as openclaw's tools give it: an object with details and a text. */
  const ended = (call: Call, output: Json, status = 'ok') => {
    const decision = session.before(call);
    if (decision.action !== 'block')
      session.accept({ type: 'tool-result', ...call, output, status } as AgentEvent);
    return decision;
  };
  const details = (fields: { readonly [name: string]: Json }, text = ''): Json => ({
    content: [{ type: 'text', text }],
    details: fields,
  });
  afterEach(() => session.replays());

  it('O01 says nothing when it is switched off', () => {
    start({ mode: 'off' });
    for (const _ of times(20, () => session.call(read('a'))));
    expect(session.answers).toEqual([]);
    start();
    session.accept({ type: 'control', do: 'disable' });
    for (const _ of times(20, () => session.call(read('a'))));
    expect(session.answers).toEqual([]);
  });

  it('O02 lets different calls pass', () => {
    start();
    for (const call of times(16, (index) => read(`${index}`))) session.call(call);
    expect(session.answers).toEqual([]);
  });

  it('O03 warns when ten calls were made, without any result', () => {
    start();
    for (const _ of times(10, () => session.before(read('a'))));
    expect(session.answers).toEqual([]);
    session.before(read('a'));
    expect(session.facts).toEqual([
      { call: 11, ...WARNED, detector: 'recent-repeat', tool: 'read_file', count: 10 },
    ]);
  });

  it('O04 blocks after twenty equal outcomes', () => {
    start();
    for (const _ of times(21, () => session.call(read('a'))));
    expect(session.facts).toEqual([
      { call: 11, ...WARNED, detector: 'recent-repeat', tool: 'read_file', count: 10 },
      { call: 21, ...BLOCKED, detector: 'recent-repeat', tool: 'read_file', count: 20 },
    ]);
  });

  it.each([
    { tool: 'command_status', args: { id: 1 } },
    { tool: 'process', args: { action: 'poll', sessionId: 's' } },
    { tool: 'process', args: { action: 'log', sessionId: 's' } },
  ])('O05 warns after ten equal polls and blocks after twenty: $tool $args.action', (call) => {
    start();
    for (const _ of times(10, () => session.call(call)));
    expect(session.answers).toEqual([]);
    const decisions = times(11, () => session.call(call));
    expect(session.facts).toMatchObject([
      { call: 11, ...WARNED, count: 10 },
      { call: 21, ...BLOCKED, count: 20 },
    ]);
    expect(decisions[0]).toMatchObject({ finding: { facts: { poller: true, why: 'outcomes' } } });
  });

  it('O05 knows polls by their action', () => {
    start();
    const decisions = times(11, () => session.call({ tool: 'process', args: { action: 'write' } }));
    expect(decisions.at(-1)).toMatchObject({ action: 'nudge', finding: { facts: { poller: false } } });
  });

  it('O06 lets polls with changing answers pass', () => {
    start();
    times(25, (index) => session.call(poll, { output: `line ${index}`, ok: true }));
    expect(session.answers).toEqual([]);
  });

  it('O07 breaks the circuit after thirty equal outcomes, of a host that let them run', () => {
    start({ mode: 'shadow' });
    for (const _ of times(31, () => session.call(read('a'))));
    expect(session.facts.at(-1)).toEqual({
      call: 31,
      ...BLOCKED,
      detector: 'recent-repeat',
      tool: 'read_file',
      count: 30,
    });
  });

  it.each([
    ['a, b, a, a, b', (index: number) => 'abaab'.charAt(index % 5)],
    [
      'two probes in between',
      (index: number) => (index === 8 || index === 19 ? `probe ${index}` : `${index % 2}`),
    ],
  ])('O08 breaks the circuit of a tool that goes round two variants: %s', (_name, path) => {
    start();
    times(30, (index) => session.call(write(path(index)), { output: `wrote ${path(index)}`, ok: true }));
    expect(session.answers.filter((answer) => !answer.startsWith('nudge'))).toEqual([]);
    expect(session.call(write('another'))).toMatchObject({
      ...BLOCKED,
      call: 31,
      finding: {
        detector: 'recent-repeat',
        count: 30,
        facts: { tool: 'write', why: 'variants', variants: 2 },
      },
    });
    expect(session.call(write('once more')).action).toBe('block');
  });

  it.each([
    ['thirty files once', (index: number) => write(`${index}`), () => 'done'],
    ['fifteen files twice', (index: number) => write(`${index % 15}`), () => 'done'],
    [
      'two files, changing results',
      (index: number) => write(`${index % 2}`),
      (index: number) => `revision ${index}`,
    ],
  ])('O08 lets pass: %s', (_name, call, output) => {
    start();
    times(30, (index) => session.call(call(index), { output: output(index), ok: true }));
    const before = session.facts.length;
    session.call(write('next'));
    expect(session.facts.slice(before)).toEqual([]);
    expect(session.answers.filter((answer) => !answer.startsWith('nudge'))).toEqual([]);
  });

  it('O09 sees through duration, folder, process and session of a command', () => {
    start();
    const completed = (index: number) =>
      details(
        { status: 'completed', exitCode: 0, durationMs: index, cwd: `/tmp/${index}`, aggregated: 'same' },
        'same',
      );
    times(21, (index) => ended(shell, completed(index)));
    expect(session.facts.at(-1)).toMatchObject({ call: 21, ...BLOCKED, count: 20 });
    start();
    const running = (index: number) =>
      details(
        { status: 'running', sessionId: `s${index}`, pid: index, startedAt: index, tail: 'same' },
        `still running, pid ${index}`,
      );
    times(21, (index) => ended(shell, running(index)));
    expect(session.facts.at(-1)).toMatchObject({ call: 21, ...BLOCKED, count: 20 });
  });

  it('O10 only warns of a command whose output or whose error changes', () => {
    const failing = (index: number) =>
      details({ status: 'failed', exitCode: null, durationMs: index, aggregated: '' }, `attempt ${index}`);
    const changing = (index: number) =>
      details({ status: 'completed', exitCode: 0, durationMs: 1, aggregated: `tick ${index}` });
    for (const output of [failing, changing]) {
      start();
      times(31, (index) => ended(shell, output(index)));
      expect(session.facts.map(({ action, call, count }) => [action, call, count])).toEqual([
        ['nudge', 11, 10],
        ['nudge', 21, 20],
        ['nudge', 31, 30],
      ]);
    }
  });

  it('O11 blocks a tool that is not there after ten calls, whatever the arguments', () => {
    start();
    const missing = (index: number): Call => ({ tool: 'exec', args: { command: `echo ${index}` } });
    const error = { output: 'Tool exec not found', ok: false };
    for (const index of times(9, (n) => n)) session.call(missing(index), error);
    expect(session.call(missing(9), error).action).toBe('allow');
    expect(session.call(missing(10), error).action).toBe('block');
    expect(session.facts).toEqual([
      { call: 11, ...BLOCKED, detector: 'unknown-tool-streak', tool: 'exec', count: 10 },
    ]);
  });

  it('O11 goes by the status as well, and keeps blocking', () => {
    start();
    times(12, (index) => ended({ tool: 'nope', args: { index } }, 'no', 'unknown-tool'));
    expect(session.answers).toEqual(['block@11', 'block@12']);
  });

  const pingPong = (n: number, output: (index: number) => string) =>
    times(n, (index) =>
      session.call(index % 2 === 0 ? read('a') : list, { output: output(index), ok: true }),
    );

  it('O12 warns at the tenth call of a ping-pong, without any result', () => {
    start();
    times(9, (index) => session.before(index % 2 === 0 ? read('a') : list));
    expect(session.answers).toEqual([]);
    expect(session.before(list)).toMatchObject({
      action: 'nudge',
      level: 'warning',
      call: 10,
      finding: { detector: 'ping-pong', count: 5, facts: { calls: 10, period: 2 } },
    });
  });

  it('O12 blocks the twentieth when results are stable', () => {
    start();
    pingPong(19, (index) => `${index % 2}`);
    expect(session.answers).toEqual(['nudge@10']);
    expect(session.before(list)).toMatchObject({
      ...BLOCKED,
      call: 20,
      finding: { detector: 'ping-pong', facts: { calls: 20, same: true } },
    });
  });

  it('O12 only warns at the twentieth when results change', () => {
    start();
    pingPong(19, (index) => `${index}`);
    expect(session.before(list)).toMatchObject({
      ...WARNED,
      finding: { detector: 'ping-pong', facts: { calls: 20, same: false } },
    });
  });

  it('O12 sees no ping-pong when the alternation is broken', () => {
    start();
    for (const call of [read('a'), list, read('a'), write('c'), list]) session.before(call);
    expect(session.answers).toEqual([]);
  });

  it('O13 keeps runs apart', () => {
    start();
    for (const _ of times(10, () => session.before(read('a'))));
    session.accept({ type: 'user' });
    expect(session.before(read('a')).action).toBe('allow');
    for (const _ of times(9, () => session.before({ ...read('a'), agent: 'other' })));
    expect(session.before(read('a')).action).toBe('allow');
    expect(session.answers).toEqual([]);
  });

  it('O13 gives a result to the run of its call', () => {
    start();
    for (const _ of times(20, () => session.call(read('a'))));
    session.before({ ...read('a'), agent: 'other' });
    session.after({ ...read('a'), agent: 'other' }, { output: 'another', ok: true });
    expect(session.before(read('a'))).toMatchObject({ action: 'block', finding: { count: 20 } });
  });

  it.each([
    [
      'ids of a message',
      (index: number) => ({ ok: true, messageId: `m${index}`, runId: `r${index}`, receipt: { id: index } }),
    ],
    ['ids deep inside', (index: number) => ({ results: [{ ok: true, result: { messageId: `m${index}` } }] })],
    ['a file', (index: number) => ({ ok: true, fileId: `f${index}`, ts: index })],
    ['a survey', (index: number) => ({ ok: true, pollId: `p${index}`, timestamp: index })],
    [
      'the id of the message itself',
      (index: number) => ({
        message: { id: `m${index}`, direction: 'outbound', text: 'ping', conversation: { id: 'room' } },
      }),
    ],
  ])('O14 sees through what a delivery is given anew: %s', (_name, fields) => {
    start();
    times(21, (index) => ended(send, details(fields(index) as { [name: string]: Json }, `id ${index}`)));
    expect(session.facts.at(-1)).toMatchObject({ call: 21, ...BLOCKED, count: 20 });
  });

  it.each([
    [
      'another conversation',
      send,
      (index: number) => ({
        message: { id: 'm', direction: 'outbound', text: 'ping', conversation: { id: `room ${index}` } },
      }),
    ],
    ['another route', send, (index: number) => ({ ok: true, messageId: 'm', route: { id: `${index}` } })],
    [
      'reading',
      { tool: 'message', args: { action: 'read' } },
      (index: number) => ({ messageId: `${index}` }),
    ],
    [
      'a new channel',
      { tool: 'message', args: { action: 'channel-create' } },
      (index: number) => ({ messageId: `${index}` }),
    ],
  ])('O14 compares whole results: %s', (_name, call, fields) => {
    start();
    times(21, (index) => ended(call, details(fields(index) as { [name: string]: Json })));
    expect(session.answers).toEqual(['nudge@11', 'nudge@21']);
  });

  it('O14 also for sessions and for the tools of a channel', () => {
    for (const tool of ['sessions_send', 'telegram']) {
      start();
      times(21, (index) => ended({ tool, args: { text: 'ping' } }, details({ ok: true, runId: `${index}` })));
      expect(session.facts.at(-1)).toMatchObject({ call: 21, ...BLOCKED, tool, count: 20 });
    }
  });

  it('O14 lets different texts pass', () => {
    start();
    times(21, (index) =>
      ended({ tool: 'message', args: { action: 'send', text: `${index}` } }, details({ ok: true })),
    );
    expect(session.answers).toEqual([]);
  });

  it('O15 keeps blocking: its own veto is no result', () => {
    start();
    for (const _ of times(45, () => session.call(read('a'))));
    expect(session.facts.filter(({ action }) => action === 'block')).toHaveLength(25);
    expect(session.facts.at(-1)).toMatchObject({ call: 45, ...BLOCKED, count: 20 });
  });

  it('O15 counts the vetoes of others', () => {
    start();
    times(21, () => ended(read('a'), 'a plugin said no', 'denied'));
    expect(session.facts.at(-1)).toMatchObject({ call: 21, ...BLOCKED, count: 20 });
  });

  it('O16 sees through the order of keys and takes any arguments', () => {
    start();
    times(11, (index) =>
      session.before({
        tool: 't',
        args: index % 2 === 0 ? { a: 1, b: { c: 2, d: 3 } } : { b: { d: 3, c: 2 }, a: 1 },
      }),
    );
    expect(session.answers).toEqual(['nudge@11']);
    for (const args of ['text', 123, null, { data: 'x'.repeat(20_000) }] as Json[]) {
      start();
      const decisions = times(11, () => session.before({ tool: 't', args }));
      expect(decisions.at(-1)).toMatchObject({
        action: 'nudge',
        finding: { subject: expect.stringMatching(/^t#[0-9a-z]{1,11}$/) },
      });
    }
  });

  it('O16 takes arguments that contain themselves', () => {
    const circular: { [name: string]: unknown } = { first: 1 };
    circular['self'] = circular;
    start();
    const decisions = times(11, () => session.guard.before({ tool: 't', args: circular as Json }));
    expect(decisions.at(-1)?.action).toBe('nudge');
    start();
  });

  it('O17 remembers thirty calls', () => {
    start();
    const others = (n: number) => times(n, (index) => session.before(read(`${index}`)));
    for (const _ of times(10, () => session.before(list)));
    others(20);
    session.before(list);
    expect(session.answers).toEqual(['nudge@31']);
    start();
    for (const _ of times(10, () => session.before(list)));
    others(21);
    session.before(list);
    expect(session.answers).toEqual([]);
  });

  it('O17 gives a result to the call it belongs to', () => {
    start();
    for (const id of times(20, String)) session.before({ ...read('a'), id });
    const results = times(20, (index) => (index === 10 ? 'another' : 'same'));
    results.forEach((output, index) => {
      session.after({ ...read('a'), id: `${index}` }, { output, ok: true });
    });
    expect(session.before(read('a'))).toMatchObject({
      action: 'nudge',
      finding: { facts: { why: 'calls' } },
    });
  });

  it('O18 warns once for every ten calls', () => {
    start();
    times(60, (index) => session.call(read('a'), { output: `${index}`, ok: true }));
    expect(session.facts.map(({ call, count }) => [call, count])).toEqual([
      [11, 10],
      [21, 20],
      [31, 30],
    ]);
  });

  it('keeps another wording of the same plan for the same call', () => {
    start();
    const plan = (index: number): Call => ({
      tool: 'update_plan',
      args: { plan: [{ step: `wording ${index}`, status: 'pending' }], explanation: `${index}` },
    });
    times(21, (index) => ended(plan(index), details({ plan: [{ step: `${index}`, status: 'pending' }] })));
    expect(session.facts.at(-1)).toMatchObject({ call: 21, ...BLOCKED, count: 20 });
    start();
    times(21, (index) =>
      ended(
        { tool: 'update_plan', args: { plan: [{ step: 'a', status: `status ${index}` }] } },
        details({ ok: true }),
      ),
    );
    expect(session.answers).toEqual([]);
  });

  const compaction = (): void => {
    session.accept({ type: 'compaction' });
  };

  it('OP01 halts when the three calls after a compaction are the same', () => {
    start();
    for (const _ of times(5, () => session.call(read('a'))));
    expect(session.answers).toEqual([]);
    compaction();
    for (const _ of times(3, () => session.call(read('a'))));
    expect(session.facts).toEqual([
      {
        call: 8,
        action: 'halt',
        level: 'critical',
        detector: 'compaction-repeat',
        tool: 'read_file',
        count: 3,
      },
    ]);
  });

  it.each([
    [
      'another result',
      [
        ['a', '1'],
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    [
      'other arguments',
      [
        ['a', '1'],
        ['a', '1'],
        ['b', '1'],
      ],
    ],
    [
      'outside of the window',
      [
        ['b', '1'],
        ['a', '1'],
        ['a', '1'],
        ['a', '1'],
      ],
    ],
  ] as [string, [string, string][]][])('OP01 lets pass: %s', (_name, calls) => {
    start();
    compaction();
    for (const [path, output] of calls) session.call(read(path), { output, ok: true });
    expect(session.answers).toEqual([]);
  });

  it('OP01 is armed anew by the next compaction', () => {
    start();
    compaction();
    for (const path of ['a', 'b', 'c']) session.call(read(path));
    compaction();
    for (const _ of times(3, () => session.call(list)));
    expect(session.answers).toEqual(['halt@6']);
  });

  it('OP01 is off when the guard is', () => {
    start();
    session.accept({ type: 'control', do: 'disable' });
    compaction();
    for (const _ of times(3, () => session.call(list)));
    expect(session.answers).toEqual([]);
  });
});
