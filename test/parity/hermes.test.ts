import { afterEach, describe, expect, it } from 'vitest';
import { type Json, type Options, type Preset, presets } from '../../src/index.ts';
import { type Call, DONE, FAILED, read, Session, times } from './session.ts';

const search: Call = { tool: 'web_search', args: { query: 'x' } };
const skill: Call = { tool: 'skill_view', args: { name: 'x' } };
const terminal = (command: string): Call => ({ tool: 'terminal', args: { command } });
const code: Call = { tool: 'execute_code', args: { code: '1' } };
const patch = (text: string): Call => ({ tool: 'patch', args: { text } });
const status = { tool: 'job_poll', args: { id: 1 } };
const spawn = (tasks?: number): Call => ({
  tool: 'delegate_task',
  args: tasks === undefined ? { goal: 'x' } : { tasks: times(tasks, (index) => ({ goal: `${index}` })) },
});

/** The preset with other thresholds, by detector and action. */
function withThresholds(thresholds: { readonly [rung: string]: number | undefined }): Preset {
  const ladder = presets.hermes.ladder.flatMap((rung) => {
    const key = `${rung.on}:${rung.action}`;
    if (!(key in thresholds)) return [rung];
    const at = thresholds[key];
    return at === undefined ? [] : [{ ...rung, at }];
  });
  return { ...presets.hermes, ladder };
}

/** Parity table 3.15: warn and notice = nudge, block = block, halt = halt; hard stops exist where nobody attends. */
describe('hermes', () => {
  let session = new Session({ preset: 'hermes' });
  const start = (options: Options = {}) => {
    session = new Session({ preset: 'hermes', ...options });
    return session;
  };
  const alone = (options: Options = {}) => start({ attended: false, ...options });
  const actions = () => session.facts.map(({ action }) => action);
  const kinds = () => [...new Set(session.facts.map(({ detector, action }) => `${detector}:${action}`))];
  afterEach(() => session.replays());

  it('HM01 warns of a call that fails the same way, and never stops it while somebody attends', () => {
    start();
    times(5, (index) => session.call(search, { output: `error ${index}`, ok: false }));
    expect(session.facts).toEqual(
      times(4, (index) => ({
        call: index + 2,
        action: 'nudge',
        level: 'warning',
        detector: 'outcome-streak',
        tool: 'web_search',
        count: index + 2,
      })),
    );
    expect(session.before(search).action).toBe('allow');
  });

  it('HM02 blocks a call that has failed twice, where that is the threshold', () => {
    alone({ preset: withThresholds({ 'outcome-streak:block': 2 }) });
    for (const _ of times(2, () => session.call(search, FAILED)));
    expect(session.before(search)).toMatchObject({
      action: 'block',
      call: 3,
      finding: { detector: 'outcome-streak', count: 2, facts: { tool: 'web_search', failed: true } },
    });
  });

  it('HM02 blocks the sixth by itself', () => {
    alone();
    const decisions = times(6, (index) => session.call(search, { output: `error ${index}`, ok: false }));
    expect(decisions.map(({ action }) => action)).toEqual(['allow', ...times(4, () => 'nudge'), 'block']);
  });

  it('HM03 warns of a reading that tells the same, then blocks it', () => {
    alone({ preset: withThresholds({ 'outcome-streak:block': 2 }) });
    for (const _ of times(3, () => session.call(skill)));
    expect(session.facts).toMatchObject([
      { call: 2, action: 'nudge', detector: 'outcome-streak', tool: 'skill_view', count: 2 },
      { call: 3, action: 'block', detector: 'outcome-streak', tool: 'skill_view', count: 2 },
    ]);
  });

  it('HM03 takes another result for news', () => {
    alone();
    times(12, (index) => session.call(skill, { output: `${index}`, ok: true }));
    expect(session.answers).toEqual([]);
  });

  it('HM04 expects nothing new of a write or of a tool it does not know', () => {
    for (const tool of ['write_file', 'my_own_tool']) {
      alone();
      times(6, (index) => {
        session.call({ tool, args: { same: true } });
        return session.call(read(`${index}`), { output: `${index}`, ok: true });
      });
      expect(session.answers).toEqual([]);
    }
  });

  it('HM05 halts any call that gives the same result five times in a row, where nobody attends', () => {
    alone();
    for (const _ of times(5, () => session.call(terminal('ls'))));
    expect(session.facts).toMatchObject([
      { call: 3, action: 'nudge', level: 'info', detector: 'result-streak', count: 3 },
      { call: 4, action: 'nudge', level: 'info', detector: 'result-streak', count: 4 },
      { call: 5, action: 'halt', level: 'critical', detector: 'result-streak', count: 5 },
    ]);
    start();
    for (const _ of times(6, () => session.call(terminal('ls'))));
    expect(actions()).not.toContain('halt');
  });

  it.each([
    ['a poller', status, () => 'same'],
    ['a poller by its ending', { tool: 'mcp_job_get_result', args: {} }, () => 'same'],
    ['a poller by name', { tool: 'process_manage', args: {} }, () => 'same'],
    ['changing output', terminal('ls'), (index: number) => `${index}`],
  ])('HM05 lets pass: %s', (_name, call, output) => {
    alone();
    times(6, (index) => session.call(call, { output: output(index), ok: true }));
    expect(session.answers).toEqual([]);
  });

  const red = (index: number) => ({ output: `1 failed in ${index} s`, ok: false });

  it('HM06 never stops a test that is red after each edit', () => {
    alone();
    times(12, (index) => {
      session.call(terminal('pytest'), red(index));
      return session.call(patch(`${index}`));
    });
    expect(actions().filter((action) => action !== 'nudge')).toEqual([]);
  });

  it('HM06 blocks a test that was red five times with no edit', () => {
    alone();
    times(6, (index) => session.call(terminal('pytest'), red(index)));
    expect(session.facts.at(-1)).toMatchObject({ call: 6, action: 'block', tool: 'terminal', count: 5 });
  });

  it('HM06 counts anew after an edit', () => {
    alone();
    times(4, (index) => session.call(terminal('pytest'), red(index)));
    session.call(patch('x'));
    const decisions = times(6, (index) => session.call(terminal('pytest'), red(index)));
    expect(decisions.map(({ action }) => action).indexOf('block')).toBe(5);
  });

  it('HM06 takes the word of a host that the world moved', () => {
    alone();
    times(5, (index) => session.call(terminal('pytest'), red(index)));
    session.accept({ type: 'state-change' });
    expect(session.before(terminal('pytest')).action).toBe('allow');
  });

  it('HM07 only warns of a tool for which failing is work', () => {
    alone();
    times(12, (index) => session.call(terminal(`grep ${index}`), red(index)));
    expect(session.answers).toEqual(times(10, (index) => `nudge@${index + 3}`));
    expect(kinds()).toEqual(['failure-streak:nudge']);
  });

  it('HM07 halts at the eighth failure of any other tool', () => {
    alone();
    times(8, (index) => session.call({ tool: 'send_message', args: { index } }, red(index)));
    expect(session.answers).toEqual([...times(5, (index) => `nudge@${index + 3}`), 'halt@8']);
    expect(session.facts.at(-1)).toMatchObject({
      detector: 'failure-streak',
      tool: 'send_message',
      count: 8,
    });
    start();
    times(8, (index) => session.call({ tool: 'send_message', args: { index } }, red(index)));
    expect(actions()).not.toContain('halt');
  });

  it('HM08 takes a success of another tool for progress', () => {
    alone();
    times(8, (index) => {
      session.call({ tool: 'browser_navigate', args: { url: `${index}` } }, red(index));
      return session.call({ tool: 'browser_click', args: { index } });
    });
    times(8, (index) => {
      session.call({ tool: 'web_extract', args: { url: `${index}` } }, red(index));
      session.call({ tool: 'vision', args: { index } }, red(index));
      return session.call({ tool: 'browser_click', args: { again: index } });
    });
    expect(session.answers).toEqual([]);
  });

  const searches = (n: number) =>
    times(n, (index) =>
      session.call({ tool: 'web_search', args: { query: `${index}` } }, { output: `${index}`, ok: true }),
    );

  it('HM09 refuses a web search beyond the cap, whoever attends', () => {
    start({ preset: withThresholds({ 'web-searches:block': 4 }) });
    searches(5);
    expect(session.facts).toMatchObject([
      { call: 4, action: 'block', detector: 'web-searches', tool: 'web_search', count: 4 },
      { call: 5, action: 'block', detector: 'web-searches', tool: 'web_search', count: 4 },
    ]);
  });

  it('HM09 allows fifty a turn', () => {
    start();
    searches(50);
    expect(session.answers).toEqual([]);
    searches(1);
    expect(session.answers).toEqual(['block@51']);
    session.accept({ type: 'user' });
    searches(50);
    expect(session.answers).toEqual(['block@51']);
  });

  it('HM09 has no cap without the rung, and refuses one that means nothing', () => {
    const { 'web-searches': _, ...detectors } = presets.hermes.detectors;
    start({ preset: { ...withThresholds({ 'web-searches:block': undefined }), detectors } });
    searches(60);
    expect(session.answers).toEqual([]);
    for (const at of [-1, 0, Number.NaN])
      expect(() => start({ preset: withThresholds({ 'web-searches:block': at }) })).toThrow('at is');
  });

  it('HM10 counts subagents, not calls, and only those that came into being', () => {
    start({ preset: withThresholds({ 'subagents:block': 6 }) });
    session.call(spawn(3));
    session.call(spawn(2), FAILED);
    session.call(spawn());
    session.call(spawn());
    expect(session.answers).toEqual([]);
    expect(session.call(spawn())).toMatchObject({
      action: 'block',
      finding: { detector: 'subagents', count: 6, facts: { used: 5 } },
    });
  });

  it('HM10 reserves while a call is under way', () => {
    start({ preset: withThresholds({ 'subagents:block': 6 }) });
    session.before({ ...spawn(5), id: '1' });
    expect(session.before({ ...spawn(), id: '2' }).action).toBe('block');
    session.after({ ...spawn(5), id: '1' }, FAILED);
    expect(session.before({ ...spawn(), id: '3' }).action).toBe('allow');
  });

  it('HM10 lets children be steered and stopped at the cap, and starts anew each turn', () => {
    start({ preset: withThresholds({ 'subagents:block': 6 }) });
    session.call(spawn(5));
    for (const action of ['list', 'steer', 'stop'])
      expect(session.call({ tool: 'delegate_task', args: { action } }).action).toBe('allow');
    session.accept({ type: 'user' });
    expect(session.call(spawn()).action).toBe('allow');
  });

  it('HM11 has hard stops only where nobody attends', () => {
    for (const [attended, last] of [
      [true, 'nudge'],
      [false, 'halt'],
    ] as const) {
      start({ attended });
      for (const _ of times(5, () => session.call(terminal('ls'))));
      expect(session.facts.at(-1)?.action).toBe(last);
    }
  });

  it('HM11 can be made to warn only, where nobody attends, too', () => {
    const ladder = presets.hermes.ladder.filter(({ attended }) => attended !== false);
    alone({ preset: { ...presets.hermes, ladder } });
    for (const _ of times(8, () => session.call(terminal('ls'), FAILED)));
    expect(new Set(actions())).toEqual(new Set(['nudge']));
  });

  it('HM12 does not take its own refusals for failures', () => {
    alone();
    times(5, (index) => session.call(search, { output: `error ${index}`, ok: false }));
    for (const _ of times(10, () => session.call(search)));
    expect(session.facts.filter(({ action }) => action === 'block').map(({ count }) => count)).toEqual(
      times(10, () => 5),
    );
    expect(actions()).not.toContain('halt');
  });

  it('HM12 goes by the status alone: an output that only looks like a refusal is a failure', () => {
    start();
    const refusal = (marker: Json) => JSON.stringify({ error: 'no', guardrail_refusal: marker });
    const result = (state: 'blocked' | 'error', marker: Json) => {
      session.before(search);
      session.accept({ type: 'tool-result', ...search, status: state, output: refusal(marker) });
    };
    for (const _ of times(3, () => result('blocked', true)));
    expect(session.answers).toEqual([]);
    for (const _ of times(2, () => result('error', 'yes')));
    expect(session.answers).toEqual(['nudge@5']);
  });

  const cell = (index: number, text = 'same', call = code) =>
    session.call(call, {
      output: JSON.stringify({
        output: text,
        duration_seconds: index / 7,
        kernel: { execution_count: index },
      }),
      ok: true,
    });

  it('HM13 sees through the bookkeeping of a kernel', () => {
    alone();
    times(5, (index) => cell(index));
    expect(session.facts.at(-1)).toMatchObject({ call: 5, action: 'halt', tool: 'execute_code', count: 5 });
  });

  it('HM13 takes real output, and the same fields of another tool, for news', () => {
    alone();
    times(6, (index) => cell(index, `${index}`));
    times(6, (index) => cell(index, 'same', terminal('run')));
    expect(session.answers).toEqual([]);
  });

  it('HM14 notices the third call in a row', () => {
    start();
    for (const _ of times(4, () => session.call(terminal('ls'))));
    expect(session.answers).toEqual(['nudge@3', 'nudge@4']);
  });

  it.each([2, 3, 4])('HM14 notices three laps of %i calls and halts at five', (period) => {
    alone();
    const laps = (n: number) => times(n * period, (index) => session.call(terminal(`${index % period}`)));
    laps(2);
    expect(session.answers).toEqual([]);
    laps(3);
    expect(session.facts[0]).toMatchObject({
      call: period * 3,
      action: 'nudge',
      detector: 'call-cycle',
      count: 3,
    });
    expect(session.facts.at(-1)).toMatchObject({
      call: period * 5,
      action: 'halt',
      detector: 'call-cycle',
      count: 5,
    });
    expect(actions().filter((action) => action === 'halt')).toHaveLength(1);
  });

  it('HM14 lets pass: five calls a lap, other results, pollers among themselves', () => {
    alone();
    for (const _ of times(6, () => times(5, (index) => session.call(terminal(`${index}`)))));
    times(20, (index) => session.call(terminal(`${index % 2}`), { output: `${index}`, ok: true }));
    const polls = [status, { tool: 'process_manage', args: {} }];
    times(20, (index) => session.call(polls[index % 2] as Call));
    expect(session.answers).toEqual([]);
  });

  it('HM14 does not let a poller excuse another call', () => {
    alone();
    times(10, (index) => session.call(index % 2 === 0 ? status : terminal('ls')));
    expect(session.facts.at(-1)).toMatchObject({ call: 10, action: 'halt', detector: 'call-cycle' });
  });

  it('HM15 sees through the order of keys, deep inside and in any script', () => {
    start();
    const tool = 'web_search';
    session.call({ tool, args: { q: { ключ: 1, é: [2, { b: 3, a: 4 }] } } }, FAILED);
    const decision = session.call({ tool, args: { q: { é: [2, { a: 4, b: 3 }], ключ: 1 } } }, FAILED);
    expect(decision).toMatchObject({ action: 'nudge', finding: { count: 2 } });
  });

  it('HM15 shows a digest, never the arguments', () => {
    start();
    const secret: Call = { tool: 'web_search', args: { query: 'hunter2' } };
    for (const _ of times(2, () => session.call(secret, { output: 'hunter2', ok: false })));
    expect(session.facts).toHaveLength(1);
    expect(JSON.stringify(session.guard.state)).not.toContain('hunter2');
  });

  const large = { output: 'x'.repeat(512), ok: true };

  it('HM16 offers a stub for a large result that was just given', () => {
    start();
    const decisions = times(2, () => session.call(terminal('cat f'), large));
    expect(decisions).toMatchObject([
      { action: 'allow' },
      { action: 'nudge', hint: 'stub', finding: { detector: 'result-streak', count: 2 } },
    ]);
  });

  it.each([
    ['a smaller one', terminal('cat f'), { output: 'x'.repeat(511), ok: true }],
    ['a failure', terminal('cat f'), { output: 'x'.repeat(600), ok: false }],
  ])('HM16 has no stub for %s', (_name, call, result) => {
    start();
    const decisions = times(4, () => session.call(call, result));
    expect(decisions.filter((decision) => 'hint' in decision)).toEqual([]);
  });

  it('HM16 stubs a poll, too', () => {
    start();
    for (const _ of times(2, () => session.call(status, large)));
    expect(session.answers).toEqual(['nudge@2']);
  });

  it('HM16 has no stub when another call stood in between', () => {
    start();
    const decisions = [terminal('a'), terminal('b'), terminal('a')].map((call) => session.call(call, large));
    expect(decisions.every(({ action }) => action === 'allow')).toBe(true);
  });

  it('starts anew at a user message', () => {
    alone();
    for (const _ of times(4, () => session.call(terminal('ls'), FAILED)));
    session.accept({ type: 'user' });
    const before = session.facts.length;
    session.call(terminal('ls'), FAILED);
    expect(session.facts.slice(before)).toEqual([]);
    session.call(terminal('pwd'), DONE);
    expect(session.facts.slice(before)).toEqual([]);
  });
});
