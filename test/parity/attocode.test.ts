import { afterEach, describe, expect, it } from 'vitest';
import { createGuard, presets, shellReadTarget, similarFingerprint } from '../../src/index.ts';
import { type Call, DONE, FAILED, read, Session, shell, times } from './session.ts';

const write = (path: string, content = 'text'): Call => ({ tool: 'write_file', args: { path, content } });
const edit = (path: string, text: string): Call => ({ tool: 'edit_file', args: { path, text } });
const red = { output: '1 failed, 2 passed', ok: true };
const test = shell('npm test');

/** Parity table 3.2: prompts = nudge with a level. */
describe('attocode', () => {
  let session = new Session({ preset: 'attocode' });
  const start = (options: object = {}) => {
    session = new Session({ preset: 'attocode', ...options });
    return session;
  };
  const detectors = () => session.facts.map(({ detector, call }) => `${detector}@${call}`);
  afterEach(() => session.replays());

  it('AT01 nudges at the third identical call, softly and once', () => {
    start();
    const decisions = times(3, () => session.before(read('/foo')));
    expect(decisions.map(({ action }) => action)).toEqual(['allow', 'allow', 'nudge']);
    session.before(read('/foo'));
    expect(session.facts[0]).toEqual({
      call: 3,
      action: 'nudge',
      level: 'info',
      detector: 'call-streak',
      tool: 'read_file',
      count: 3,
    });
    expect(session.facts.filter(({ level }) => level === 'info')).toHaveLength(1);
  });

  it('AT02 lets different files pass', () => {
    start();
    for (const path of ['/a', '/b', '/c', '/d']) session.before(read(path));
    expect(session.answers).toEqual([]);
  });

  it('AT03 nudges at the fourth similar call', () => {
    start();
    const variants = [{}, { encoding: 'utf8' }, { timeout: 5 }, { lines: true }];
    for (const more of variants) session.before(read('/foo', more));
    expect(session.facts).toEqual([
      { call: 4, action: 'nudge', level: 'warning', detector: 'similar-streak', tool: 'read_file', count: 4 },
    ]);
  });

  it('AT04 lets three similar calls pass', () => {
    start();
    for (const more of [{}, { encoding: 'utf8' }, { timeout: 5 }]) session.before(read('/foo', more));
    expect(session.answers).toEqual([]);
  });

  it('AT05 starts again after another call', () => {
    start();
    for (const call of [read('/foo'), read('/foo'), write('/bar'), read('/foo')]) session.before(call);
    expect(session.answers).toEqual([]);
  });

  it('AT06 lets paging pass', () => {
    start();
    for (const offset of [0, 100, 200, 300, 400]) {
      session.before({ tool: 'read_file', args: { file_path: '/foo', offset, limit: 100 } });
    }
    expect(session.answers).toEqual([]);
  });

  it('AT07 compares calls by their primary arguments', () => {
    const path = similarFingerprint('read_file', { path: '/foo' });
    expect(similarFingerprint('read_file', { path: '/foo', encoding: 'utf8' })).toBe(path);
    expect(similarFingerprint('read_file', '{ "encoding": "utf8", "path": "/foo" }')).toBe(path);
    expect(similarFingerprint('read_file', { path: '/bar' })).not.toBe(path);
    expect(similarFingerprint('write_file', { path: '/foo' })).not.toBe(path);
    expect(similarFingerprint('bash', { command: 'ls', timeout: 1 })).toBe(
      similarFingerprint('bash', { command: 'ls' }),
    );
    expect(similarFingerprint('tool', 'not-json')).toBe('tool:not-json');
    expect(similarFingerprint('tool', { foo: 'bar' })).not.toBe(similarFingerprint('tool', { foo: 'baz' }));
  });

  it.each([
    ['cat /src/foo.ts', '/src/foo.ts'],
    ['head -20 /src/foo.ts', '/src/foo.ts'],
    ['tail -200 src/agent.ts', 'src/agent.ts'],
    ['  wc -l foo.ts ', 'foo.ts'],
    ['cat foo.ts | grep test', null],
    ['npm test', null],
    ['cat foo.ts > out.txt', null],
    ['cat foo.ts; ls', null],
    ['cat foo.ts && ls', null],
    ['cat < foo.ts', null],
    ['cat a.ts b.ts', null],
    ['cat', null],
    ['concat foo.ts', null],
  ])('AT08 %s reads %s', (command, target) => {
    expect(shellReadTarget(command)).toBe(target);
  });

  it('AT09 takes four ways to read one file in the shell for one call', () => {
    start();
    for (const command of ['cat f', 'head -5 f', 'tail -5 f', 'wc -l f']) session.before(shell(command));
    expect(session.facts).toMatchObject([
      { call: 4, detector: 'similar-streak', count: 4, level: 'warning' },
    ]);
    expect(similarFingerprint('bash', { command: 'head -5 f' })).toBe('bash:file_read:f');
  });

  it('AT10 sharpens its tone at four and at six, and counts no further than ten', () => {
    start();
    for (const _ of times(12, () => session.before(read('/foo'))));
    expect(session.facts.map(({ count, level }) => `${count} ${level}`)).toEqual([
      '3 info',
      '4 warning',
      '5 warning',
      '6 critical',
      '7 critical',
      '8 critical',
      '9 critical',
      '10 critical',
      '10 critical',
      '10 critical',
    ]);
  });

  it('AT11 nudges after three different shell commands have failed', () => {
    start();
    for (const command of ['make', 'gcc x.c', 'ld x.o']) session.call(shell(command), FAILED);
    expect(session.facts).toEqual([
      { call: 3, action: 'nudge', level: 'warning', detector: 'shell-failures', tool: 'bash', count: 3 },
    ]);
  });

  it('AT11 points to the file tools when the failing command works on files', () => {
    start();
    for (const command of ['cat a', 'sed -i s/a/b/ c', 'echo x > /y']) session.call(shell(command), FAILED);
    expect(session.facts).toHaveLength(1);
    const decision = session.call(shell('cat d'), FAILED);
    expect(decision).toMatchObject({ action: 'nudge', message: expect.stringContaining('edit_file') });
    expect(session.call(shell('make'), FAILED)).toMatchObject({
      message: expect.not.stringContaining('edit_file'),
    });
  });

  it('AT12 starts again after a success', () => {
    start();
    for (const result of [FAILED, FAILED, DONE, FAILED, FAILED])
      session.call(shell(`make ${Math.abs(session.guard.state.calls)}`), result);
    expect(session.answers).toEqual([]);
  });

  it('AT13 lets other tools neither count nor break the streak', () => {
    start();
    session.call(shell('make a'), FAILED);
    session.call(read('Makefile'));
    session.call(read('missing'), FAILED);
    session.call(shell('make b'), FAILED);
    expect(session.answers).toEqual([]);
    session.call(shell('make c'), FAILED);
    expect(session.facts).toMatchObject([{ detector: 'shell-failures', count: 3 }]);
  });

  it('AT14 does not count a command without a result', () => {
    const guard = createGuard({ preset: 'attocode' });
    for (const command of ['a', 'b']) {
      guard.before(shell(command));
      guard.after(shell(command), FAILED);
    }
    guard.before(shell('c'));
    expect(guard.after(shell('c'), undefined).action).toBe('allow');
    guard.before(shell('d'));
    expect(guard.after(shell('d'), FAILED)).toMatchObject({ action: 'nudge', finding: { count: 3 } });
  });

  it('AT15 nudges at the third failing test run, whatever was edited in between', () => {
    start();
    session.call(write('src/a.ts'));
    session.call(test, red);
    session.call(edit('src/a.ts', '1'));
    session.call(test, red);
    session.call(edit('src/a.ts', '2'));
    session.call(test, red);
    expect(session.facts).toMatchObject([
      { call: 6, action: 'nudge', level: 'warning', detector: 'test-failures', count: 3 },
    ]);
  });

  it('AT16 starts again when the tests pass', () => {
    start();
    const runs = [red, red, { output: '10 passed ... PASSED', ok: true }, red, red];
    for (const [index, result] of runs.entries()) {
      session.call(test, result);
      session.call(edit('src/a.ts', String(index)));
    }
    expect(session.answers).toEqual([]);
  });

  it('AT17 takes a mixed result for a failure', () => {
    start();
    for (const index of times(3, (i) => i)) {
      session.call(test, { output: '5 passed, 2 failed', ok: true });
      session.call(edit('src/a.ts', String(index)));
    }
    expect(session.facts).toMatchObject([{ detector: 'test-failures', count: 3 }]);
  });

  it.each([
    ['FAILED', 3],
    ['ERROR in test setup', 3],
    ['1 failed', 3],
    ['nothing to say', 0],
    ['3 passed', 0],
  ])('AT17 output %j three times counts %i failures', (output, count) => {
    start();
    for (const index of times(3, (i) => i)) session.call(shell(`pytest -k ${index}`), { output, ok: true });
    expect(session.facts[0]?.count ?? 0).toBe(count);
  });

  it('AT18 understands a result however the host tells it', () => {
    const results = [
      [{ success: false, output: 'x' }, 3],
      [{ output: 'x' }, 0],
      ['text', 0],
      [null, 0],
      [{ output: { nested: '3 failed' } }, 0],
    ] as const;
    for (const [result, count] of results) {
      const guard = createGuard({ preset: 'attocode' });
      const decisions = times(3, (index) => {
        const call = shell(`npm test ${index}`);
        guard.before(call);
        return guard.after(call, result);
      });
      expect(decisions.map(({ action }) => action).filter((action) => action === 'nudge')).toHaveLength(
        count === 3 ? 1 : 0,
      );
    }
    const guard = createGuard({ preset: 'attocode' });
    const decisions = times(3, (index) => {
      const call = shell(`npm test ${index}`);
      guard.before(call);
      return guard.after(call, '3 failed');
    });
    expect(decisions[2]).toMatchObject({ finding: { detector: 'test-failures', count: 3 } });
  });

  it('AT19 nudges at the second text-only turn', () => {
    start();
    session.accept({ type: 'turn', text: 'first summary' });
    session.accept({ type: 'turn', text: 'second summary' });
    expect(session.answers).toEqual([]);
    expect(session.accept({ type: 'round-done' })).toMatchObject({
      finding: { detector: 'text-streak', count: 2 },
    });
  });

  it('AT19 starts again at any tool call', () => {
    start();
    session.accept({ type: 'turn', text: 'summary' });
    session.accept({ type: 'turn', text: 'now a tool' });
    session.call(read('/a'));
    session.accept({ type: 'turn', text: 'summary' });
    session.accept({ type: 'round-done' });
    expect(session.answers).toEqual([]);
  });

  it('AT19 does not mind a conversation', () => {
    start();
    for (const index of times(6, (i) => i)) {
      session.accept({ type: 'turn', text: `answer ${index}` });
      session.accept({ type: 'user', text: `question ${index}` });
    }
    expect(session.answers).toEqual([]);
  });

  it.each([
    [4, ['text-streak']],
    [3, []],
  ])('AT19 welcomes a text on the last of %i iterations', (maxIterations, expected) => {
    const { attocode } = presets;
    const textStreak = { kind: 'text-streak', maxIterations };
    start({ preset: { ...attocode, detectors: { ...attocode.detectors, 'text-streak': textStreak } } });
    session.accept({ type: 'turn' });
    session.accept({ type: 'turn' });
    session.accept({ type: 'round-done' });
    expect(session.facts.map(({ detector }) => detector)).toEqual(expected);
  });

  it('AT20 nudges when ten files were read and none changed', () => {
    start();
    for (const index of times(10, (i) => i)) session.call(read(`/src/${index}`));
    expect(session.facts).toMatchObject([{ call: 10, detector: 'exploration', count: 10, level: 'info' }]);
  });

  it('AT20 counts a file once, and none after an edit', () => {
    start();
    for (const index of times(9, (i) => i)) session.call(read(`/src/${index}`));
    session.call(read('/src/3'));
    expect(session.answers).toEqual([]);
    session.call(edit('/src/3', 'x'));
    for (const index of times(20, (i) => i)) session.call(read(`/lib/${index}`));
    expect(session.answers).toEqual([]);
  });

  it('AT20 nudges after fifteen iterations with fewer than two new files', () => {
    start();
    session.call(read('/src/a'));
    for (const index of times(14, (i) => i)) session.call({ tool: 'grep', args: { pattern: `p${index}` } });
    expect(session.answers).toEqual([]);
    session.accept({ type: 'round-done' });
    expect(session.facts).toMatchObject([{ call: 15, detector: 'exploration', count: 15 }]);
  });

  it('AT20 lets fifteen iterations pass that reached two new files', () => {
    start();
    session.call(read('/src/a'));
    for (const index of times(7, (i) => i)) session.call({ tool: 'grep', args: { pattern: `p${index}` } });
    session.call(read('/src/b'));
    for (const index of times(6, (i) => i)) session.call({ tool: 'grep', args: { pattern: `q${index}` } });
    session.accept({ type: 'round-done' });
    expect(session.answers).toEqual([]);
  });

  it('AT21 nudges after ten iterations without a tool call, and asks for plain text after twenty', () => {
    start();
    for (const _ of times(21, () => session.accept({ type: 'turn' })));
    const idle = session.facts.filter(({ detector }) => detector === 'idle-rounds');
    expect(idle.map(({ count, level }) => `${count} ${level}`)).toEqual([
      ...times(10, (index) => `${index + 10} warning`),
      '20 critical',
    ]);
  });

  it('AT21 says nothing about idleness once a tool was called', () => {
    start();
    session.accept({ type: 'turn' });
    session.call(read('/a'));
    for (const _ of times(21, () => session.accept({ type: 'turn' })));
    expect(detectors().filter((name) => name.startsWith('idle-rounds'))).toEqual([]);
  });

  it('AT22 lets the repeated call speak before failing shells', () => {
    start();
    for (const _ of times(3, () => session.call(shell('make'), FAILED)));
    expect(detectors()).toEqual(['call-streak@3']);
  });

  it('AT22 lets exploration speak before red tests, and red tests before failing shells', () => {
    const names = presets.attocode.ladder.map(({ on }) => on);
    const order = [
      'idle-rounds',
      'call-streak',
      'similar-streak',
      'swarm-repeat',
      'exploration',
      'test-failures',
      'shell-failures',
      'text-streak',
    ];
    expect([...new Set(names)]).toEqual(order);
    start();
    for (const index of times(3, (i) => i))
      session.call(shell(`npm test ${index}`), { output: '1 failed', ok: false });
    expect(detectors()).toEqual(['test-failures@3']);
  });

  it('AT22 speaks once a round, unless something more telling comes', () => {
    start();
    session.accept({ type: 'turn' });
    for (const command of ['a', 'b', 'c', 'd']) session.call(shell(command), FAILED);
    expect(detectors()).toEqual(['shell-failures@3']);
    for (const _ of times(3, () => session.call(read('/same'))));
    expect(detectors()).toEqual(['shell-failures@3', 'call-streak@7']);
  });

  it('resets without losing its thresholds', () => {
    start();
    session.before(read('/foo'));
    session.before(read('/foo'));
    session.accept({ type: 'control', do: 'reset' });
    for (const _ of times(2, () => session.before(read('/foo'))));
    expect(session.answers).toEqual([]);
    expect(session.before(read('/foo')).action).toBe('nudge');
    session.guard.reset();
    expect(session.guard.state.calls).toBe(0);
    session = new Session({ preset: 'attocode' });
  });
});
