import { describe, expect, it, vi } from 'vitest';
import { findLoopHalted, isLoopHalted, LoopHalted } from '../../src/adapters/loop-halted.ts';
import type { Run } from '../../src/adapters/run.ts';
import type { Question, StopReason } from '../../src/adapters/stop-reason.ts';
import type { Verdict } from '../../src/adapters/verdict.ts';
import { createWatch, type WatchOptions } from '../../src/adapters/watch.ts';
import { definePreset } from '../../src/core/preset.ts';
import { callCount } from '../../src/detectors/call-count.ts';
import { DeloopError, type Intervention, type Preset, presets } from '../../src/index.ts';
import { createMemoryStore } from '../../src/stores/index.ts';

const call = (n: number, agent?: string) => ({ id: `c${n}`, tool: 'look', args: { query: 'x' }, agent });
const NOTHING = { output: 'Nothing was found.' };

/** The same call in so many turns, and what the host was told to do with each. */
function repeat(run: Run, times: number, from = 1, agent?: string): readonly string[] {
  return Array.from({ length: times }, (_, index) => {
    run.turn({ agent });
    const given = call(from + index, agent);
    const verdict = run.before(given);
    if (verdict.do === 'run') run.after(given, NOTHING);
    const nudge = run.takeNudge(agent);
    return nudge === null ? verdict.do : `${verdict.do} nudged`;
  });
}

const TO_THE_ASK = ['run', 'run', 'run nudged', 'run', 'answer', 'answer'];

describe('a run', () => {
  it('goes the whole ladder in words of a host', () => {
    const run = createWatch().start();
    expect(repeat(run, 8)).toEqual([...TO_THE_ASK, 'stop', 'stop']);
    expect(run.stopped).toMatchObject({ by: 'deloop', action: 'halt', detector: 'no-progress', call: 7 });
  });

  it('says a nudge once, also when the call is presented again', () => {
    const preset: Preset = {
      ...presets.zagens,
      detectors: { repeats: { kind: 'call-count' } },
      ladder: [{ on: 'repeats', at: 3, action: 'nudge', message: 'Again.' }],
    };
    const run = createWatch({ preset }).start();
    for (const n of [1, 2, 3, 3]) run.before(call(n));
    expect(run.takeNudge()).toEqual({ text: 'Again.', strongerModel: false });
    run.before(call(3));
    expect(run.takeNudge()).toBeNull();
  });

  it('gives all that is to be said at once', () => {
    const run = createWatch().start();
    for (let n = 1; n <= 3; n++) {
      run.turn();
      for (const tool of ['a', 'b']) {
        const one = { id: `${tool}${n}`, tool, args: {} };
        run.before(one);
        run.after(one, { output: `nothing for ${tool}` });
      }
    }
    expect(run.takeNudge()?.text.split('\n\n')).toHaveLength(2);
    const [agent] = run.state.guard.agents;
    expect(agent?.strikes.map(([about]) => about.split('#')[0])).toEqual(['no-progress b', 'no-progress a']);
  });

  it('leaves a last turn, once, and only where the guard and the host want it', () => {
    const run = createWatch().start();
    repeat(run, 7);
    expect(run.isOver()).toBe(false);
    expect([run.takeLastTurn(), run.takeLastTurn()]).toEqual([true, false]);
    expect(run.isOver()).toBe(true);

    const bare = createWatch({ lastTurn: false }).start();
    repeat(bare, 7);
    expect([bare.isOver(), bare.takeLastTurn()]).toEqual([true, false]);

    const koda = createWatch({ preset: 'koda' }).start();
    repeat(koda, 12);
    expect([koda.stopped?.detector, koda.takeLastTurn()]).toEqual(['call-streak', false]);
  });

  it('tells the model why in its last turn, where no call was there to carry the words', () => {
    const run = createWatch().start();
    for (let n = 1; n <= 10; n++) {
      run.turn();
      const one = { id: `${n}`, tool: 'build', args: { n } };
      run.before(one);
      run.failed(one, new TypeError('the config is not valid'));
      if (n < 10) run.takeNudge();
    }
    expect(run.stopped?.detector).toBe('same-failure');
    expect(run.takeNudge()?.text).toBe(run.stopped?.message);
  });

  it('offers a short text in place of a result only to those who can take it', () => {
    const preset: Preset = {
      ...presets.recommended,
      detectors: { large: { kind: 'same-result', minSize: 10 } },
      ladder: [{ on: 'large', at: 2, action: 'nudge', hint: 'stub', message: 'As before.' }],
    };
    const output = 'warning: unused variable in src/lib.rs\n'.repeat(50);
    for (const replaceable of [true, false]) {
      const run = createWatch({ preset }).start();
      run.before(call(1));
      run.after(call(1), { output });
      run.before(call(2));
      expect(run.after(call(2), { output }, { replaceable })).toBe(replaceable ? 'As before.' : null);
      expect(run.takeNudge()?.text).toBe(replaceable ? undefined : 'As before.');
    }
  });

  it('hears of a stronger model when the words are given', () => {
    const onStrongerModel = vi.fn();
    const run = createWatch({ onStrongerModel }).start();
    for (let n = 1; n <= 6; n++) {
      run.turn();
      const one = { id: `${n}`, tool: 'build', args: { n } };
      run.before(one);
      run.failed(one, new TypeError('the config is not valid'));
      run.takeNudge();
    }
    expect(onStrongerModel).toHaveBeenCalledTimes(1);
  });

  it('adds tokens that are known late to the next turn', () => {
    const { recommended } = presets;
    const preset: Preset = {
      ...recommended,
      detectors: { ...recommended.detectors, budget: { kind: 'budget', tokens: 100 } },
    };
    const run = createWatch({ preset }).start();
    run.turn();
    run.spent({ input: 40, output: 10 });
    run.spent({ input: 20, output: 0, cachedInput: 5 });
    expect(run.takeNudge()).toBeNull();
    run.turn({ usage: { input: 10, output: 0 } });
    expect(run.takeNudge()?.text).toMatch(/tokens/);
  });

  it('measures time at work by every event, where there is a budget of it', () => {
    const { recommended } = presets;
    const preset: Preset = {
      ...recommended,
      detectors: { ...recommended.detectors, budget: { kind: 'budget', timeMs: 100 } },
    };
    const steps: readonly ((run: Run) => unknown)[] = [
      (run) => run.turn(),
      (run) => run.before(call(1)),
      (run) => run.delta('content', 'word '.repeat(50)),
    ];
    for (const step of steps) {
      let time = 1000;
      const run = createWatch({ preset, now: () => time }).start();
      run.user('Go.');
      time += 85;
      step(run);
      expect(run.takeNudge()?.text).toMatch(/timeMs/);
    }
  });

  it('looks at the clock for results, and otherwise only where somebody may want to know', () => {
    const seen = (options: WatchOptions) => {
      const now = vi.fn(() => 5);
      const run = createWatch({ ...options, now }).start();
      repeat(run, 1);
      return now.mock.calls.length;
    };
    const own = { ...callCount, kind: 'own' };
    const preset: Preset = {
      ...presets.zagens,
      detectors: { own: { kind: 'own' } },
      ladder: [{ on: 'own', at: 3, action: 'nudge', message: 'Again.' }],
    };
    const carrying = definePreset([own], preset as never);
    const given: readonly WatchOptions[] = [
      {},
      { mode: 'off' },
      { preset, detectors: [own] },
      { preset: carrying },
    ];
    expect(given.map(seen)).toEqual([1, 1, 3, 3]);
  });

  it('keeps the agents of a run apart, also in what stops them', () => {
    const run = createWatch().start();
    expect(repeat(run, 7, 1, 'researcher').at(-1)).toBe('stop');
    expect(run.stoppedFor('researcher')).toMatchObject({ agent: 'researcher' });
    expect(run.stopped).toBeNull();
    expect(repeat(run, 1, 20)).toEqual(['run']);
    run.resume('researcher');
    expect(repeat(run, 1, 30, 'researcher')).toEqual(['run']);
  });

  it('takes agents together where the preset does', () => {
    const preset: Preset = { ...presets.zagens, agents: 'together' };
    const run = createWatch({ preset }).start();
    run.before(call(1, 'a'));
    run.before(call(2, 'b'));
    expect(run.before(call(3, 'a')).do).toBe('answer');
  });

  it('forgets agents for which nothing waits, and the oldest of too many', () => {
    const run = createWatch().start();
    for (let n = 0; n < 500; n++) repeat(run, 3, 1, `agent ${n}`);
    expect(run.state.desks.length).toBeLessThanOrEqual(64);
  });

  it('lets a person end a stop by writing, and the host not', () => {
    const run = createWatch().start();
    repeat(run, 7);
    run.user('a reminder', { by: 'host' });
    expect(run.stopped).not.toBeNull();
    run.user('Look elsewhere.');
    expect(run.stopped).toBeNull();
    expect(repeat(run, 2, 10)).toEqual(['run', 'run']);
  });

  it('goes on after a stop as if nothing had been', () => {
    const run = createWatch().start();
    repeat(run, 7);
    run.resume();
    expect(run.stopped).toBeNull();
    expect(repeat(run, 7, 10)).toEqual([...TO_THE_ASK, 'stop']);
  });

  it('looks at nothing of an agent that is stopped, so that it is found as it was', () => {
    const run = createWatch({ now: () => 0 }).start();
    repeat(run, 7);
    const before = run.state;
    run.turn({ text: 'Report.' });
    run.after(call(4), NOTHING);
    run.tell({ type: 'round-done' });
    expect(run.delta('content', 'x')).toBe(true);
    expect(run.state.guard).toEqual(before.guard);
  });

  it('takes a call for cancelled where its run was aborted; one that was not done in time, or that gave up by itself, has failed', () => {
    const late = new DOMException('This operation was aborted', 'AbortError');
    const timeOver = AbortSignal.abort(new DOMException('Time is over', 'TimeoutError'));
    for (const [signal, isFailure] of [
      [undefined, true],
      [new AbortController().signal, true],
      [timeOver, true],
      [AbortSignal.abort(), false],
    ] as const) {
      const run = createWatch().start();
      for (let n = 1; n <= 4; n++) {
        run.turn();
        run.before(call(n));
        run.failed(call(n), late, signal);
      }
      expect(run.takeNudge() !== null).toBe(isFailure);
    }
  });

  it('says where to cut a stream that repeats itself', () => {
    const run = createWatch().start();
    let pieces = 0;
    while (pieces < 500 && run.delta('content', 'I should check again. ')) pieces += 1;
    expect(pieces).toBeLessThan(50);
    expect(run.takeNudge()?.text).toMatch(/repeat itself/);
  });
});

describe('a question', () => {
  it('is held where somebody can answer in the way of the host', () => {
    const run = createWatch({ attended: true }).start();
    expect(repeat(run, 7).at(-1)).toBe('hold');
    expect(run.questionFor()).toMatchObject({ action: 'ask', detector: 'no-progress', held: ['c7'] });
    expect(run.before(call(8)).do).toBe('hold');
    expect(run.questionFor()?.held).toEqual(['c7', 'c8']);
    run.answer(true);
    expect(run.before(call(7)).do).toBe('run');
    expect(run.stopped).toBeNull();
  });

  it('that came up after a result holds the next call', () => {
    const run = createWatch({ attended: true }).start();
    for (let n = 1; n <= 10; n++) {
      run.turn();
      const one = { id: `${n}`, tool: 'build', args: { n } };
      expect(run.before(one).do).toBe('run');
      run.failed(one, new TypeError('the config is not valid'));
    }
    expect(run.before({ id: '11', tool: 'other', args: {} }).do).toBe('hold');
  });

  it('with no for an answer is a stop', () => {
    const stops: StopReason[] = [];
    const run = createWatch({ attended: true, onStop: (reason) => stops.push(reason) }).start();
    repeat(run, 7);
    run.answer(false);
    expect(run.stopped).toMatchObject({ action: 'ask', detector: 'no-progress' });
    expect(run.stopped).not.toHaveProperty('held');
    expect(run.before(call(7)).do).toBe('stop');
    expect(stops).toEqual([run.stopped]);
    expect(run.takeLastTurn()).toBe(true);
  });

  it('has words for the person, also where it was saved without; the stop that follows has those for the model', () => {
    const run = createWatch({ attended: true }).start();
    repeat(run, 7);
    const question = run.questionFor();
    expect(question).toMatchObject({
      prompt: expect.stringMatching(/^The agent may be stuck: .*go on\?$/),
      message: expect.stringMatching(/^Stopped: .*Report/),
    });
    expect(run.before(call(7))).toMatchObject({ do: 'hold', text: question?.prompt });
    const { prompt: _, ...older } = question as Question;
    const desks = run.state.desks.map((desk) => ({ ...desk, question: older }));
    const later = createWatch({ attended: true, state: { ...run.state, desks } }).start();
    expect(later.questionFor()).toEqual({ ...older, prompt: older.message });
    run.answer(false);
    expect(run.stopped).toMatchObject({ message: older.message });
    expect(run.stopped).not.toHaveProperty('prompt');
  });

  it('offers what may be granted, and takes a number', async () => {
    const asked: Question[] = [];
    const answers = [50, true, 0];
    const run = createWatch({
      preset: 'koda',
      onAsk(question) {
        asked.push(question);
        return answers.shift() ?? false;
      },
    }).start();
    let n = 0;
    while (n < 400) {
      run.turn();
      const verdict = await run.check({ id: `${++n}`, tool: 'look', args: { n } });
      if (verdict.do === 'stop') break;
    }
    expect(asked.map(({ continuations }) => continuations)).toEqual(Array(3).fill([0, 50, 200]));
    expect(n).toBe(301);
  });

  it('is put once to the person, for all calls that wait', async () => {
    const onAsk = vi.fn(async () => true);
    const run = createWatch({ onAsk }).start();
    repeat(run, 6);
    run.turn();
    const verdicts = await Promise.all([run.check(call(7)), run.check(call(8)), run.check(call(9))]);
    expect(verdicts.map((verdict) => verdict.do)).toEqual(['run', 'run', 'run']);
    expect(onAsk).toHaveBeenCalledTimes(1);
  });

  it('is waited for by `judge`, which answers at once otherwise', async () => {
    const run = createWatch({ onAsk: () => true }).start();
    expect(run.judge(call(0))).toEqual({ do: 'run' });
    repeat(run, 6);
    run.turn();
    expect(run.isIdle()).toBe(true);
    const verdict = run.judge(call(7));
    expect(verdict).toBeInstanceOf(Promise);
    expect(run.isIdle()).toBe(false);
    expect(run.isIdle('another')).toBe(true);
    expect(await verdict).toEqual({ do: 'run' });
    expect(run.isIdle()).toBe(true);
  });

  it('is no quiet, nor are words that wait, nor a stop', () => {
    const run = createWatch().start();
    const quiet = Array.from({ length: 12 }, (_, n) => {
      const given = call(n + 1);
      run.turn();
      if (run.before(given).do === 'run') run.after(given, NOTHING);
      const isQuiet = run.isQuiet();
      expect(isQuiet).toBe(run.isIdle() && run.takeNudge() === null && run.stopped === null);
      return isQuiet;
    });
    expect(new Set(quiet)).toEqual(new Set([true, false]));
    expect([run.stopped === null, run.isQuiet(), run.isQuiet('another')]).toEqual([false, false, true]);
  });

  it('whose asking breaks is answered with no', async () => {
    const onError = vi.fn();
    const run = createWatch({ onAsk: () => Promise.reject(new Error('gone')), onError }).start();
    repeat(run, 6);
    run.turn();
    expect((await run.check(call(7))).do).toBe('stop');
    expect(onError).toHaveBeenCalledTimes(1);
  });

  it('is answered with yes only by a yes', async () => {
    for (const said of [undefined, null, '', 'no', 0, -1, Number.NaN, {}]) {
      const run = createWatch({ onAsk: () => said as never }).start();
      repeat(run, 6);
      run.turn();
      expect((await run.check(call(7))).do).toBe('stop');
    }
  });

  /** A person who is asked, and answers when the test says so. */
  function slowPerson() {
    const answers: ((said: boolean) => void)[] = [];
    const onAsk = vi.fn(() => new Promise<boolean>((resolve) => answers.push(resolve)));
    return { onAsk, answers };
  }

  /** The call that is asked about, in a loop of its own. */
  function askedAbout(run: Run, from: number): Verdict | Promise<Verdict> {
    repeat(run, 6, from);
    run.turn();
    return run.judge(call(from + 6));
  }

  it('is over when the person writes, and the call that waited is not run', async () => {
    const { onAsk } = slowPerson();
    const run = createWatch({ onAsk }).start();
    const held = askedAbout(run, 1);
    const settled = run.settle();
    run.user('Leave that.');
    expect(await held).toEqual({ do: 'answer', text: expect.stringMatching(/new message instead/) });
    await settled;
    expect([run.isIdle(), run.stopped, onAsk.mock.calls.length]).toEqual([true, null, 1]);
  });

  it('is put although the one before it was left without an answer', async () => {
    const { onAsk, answers } = slowPerson();
    const run = createWatch({ onAsk }).start();
    askedAbout(run, 1);
    run.user('Leave that.');
    const held = askedAbout(run, 11);
    expect(onAsk).toHaveBeenCalledTimes(2);
    answers[1]?.(true);
    expect(await held).toEqual({ do: 'run' });
  });

  it.each([true, false])('takes no late %s that was said to another', async (late) => {
    const { onAsk, answers } = slowPerson();
    const run = createWatch({ onAsk }).start();
    askedAbout(run, 1);
    run.user('Leave that.');
    const held = askedAbout(run, 11);
    const question = run.questionFor();
    answers[0]?.(late);
    await onAsk.mock.results[0]?.value;
    await Promise.resolve();
    expect([run.questionFor(), run.stopped]).toEqual([question, null]);
    answers[1]?.(!late);
    expect((await held).do).toBe(late ? 'stop' : 'run');
  });

  it('that was left is not opened again by a late answer', async () => {
    const { onAsk, answers } = slowPerson();
    const run = createWatch({ onAsk }).start();
    const held = askedAbout(run, 1);
    run.user('Leave that.');
    answers[0]?.(false);
    expect((await held).do).toBe('answer');
    expect([run.questionFor(), run.stopped, onAsk.mock.calls.length]).toEqual([null, null, 1]);
    expect(run.judge({ id: 'healthy', tool: 'other', args: {} })).toEqual({ do: 'run' });
  });

  it.each([
    [true, 'run'],
    [false, 'stop'],
  ] as const)('that the host answers with %s while the person is asked is over', async (said, verdict) => {
    const { onAsk } = slowPerson();
    const run = createWatch({ onAsk }).start();
    const held = askedAbout(run, 1);
    run.answer(said);
    expect((await held).do).toBe(verdict);
  });

  it('is put each time, also where asking throws at once', async () => {
    const onAsk = vi.fn((): boolean => {
      throw new Error('gone');
    });
    const run = createWatch({ onAsk }).start();
    for (const from of [1, 11]) {
      expect((await askedAbout(run, from)).do).toBe('stop');
      run.user('Again.');
    }
    expect(onAsk).toHaveBeenCalledTimes(2);
  });

  it('is over where another process has gone on without it', async () => {
    const store = createMemoryStore();
    const { onAsk } = slowPerson();
    const options: WatchOptions = { store, session: 'chat', onAsk };
    const [here, there] = [createWatch(options).run(), createWatch(options).run()];
    await here.begin();
    const held = askedAbout(here, 1);
    await here.saved();
    await there.begin();
    there.user('Leave that.');
    await there.saved();
    await here.begin();
    expect((await held).do).toBe('answer');
  });

  it('is settled before the model is called, if there is one', async () => {
    const onAsk = vi.fn(() => false);
    const run = createWatch({ onAsk }).start();
    await run.settle();
    expect(onAsk).not.toHaveBeenCalled();
    repeat(run, 7);
    await run.settle();
    expect(run.stopped?.action).toBe('ask');
  });
});

describe('the state of a run', () => {
  it('after every event gives the same decisions as without a break', () => {
    const heard: string[] = [];
    const onDecision = ({ action, call: n }: Intervention) => heard.push(`${action} ${n}`);
    let run = createWatch({ onDecision, attended: true, now: () => 0 }).start();
    const broken = () => {
      const state: unknown = JSON.parse(JSON.stringify(run.state));
      run = createWatch({ onDecision, attended: true, now: () => 0, state }).start();
    };
    const told: string[] = [];
    for (let n = 1; n <= 7; n++) {
      run.turn();
      broken();
      const verdict = run.before(call(n));
      told.push(verdict.do);
      broken();
      if (verdict.do === 'run') run.after(call(n), NOTHING);
      broken();
      if (run.takeNudge() !== null) told.push('nudged');
      broken();
    }
    expect(told).toEqual(['run', 'run', 'run', 'nudged', 'run', 'answer', 'answer', 'hold']);
    expect(heard).toEqual(['nudge 3', 'block 5', 'block 6', 'ask 7']);
    expect(run.questionFor()?.held).toEqual(['c7']);
    run.answer(false);
    broken();
    expect(run.stopped?.action).toBe('ask');
    expect(run.takeLastTurn()).toBe(true);
    broken();
    expect(run.takeLastTurn()).toBe(false);
  });

  it('belongs to the first run that works, whichever were only looked at before', () => {
    const worked = createWatch({ preset: 'zagens' }).start();
    repeat(worked, 2);
    const watch = createWatch({ preset: 'zagens', state: worked.state });
    const [main, other, chat] = [watch.run(), watch.run('other'), watch.run('chat')];
    expect([main.stopped, main.state.guard.calls, other.questionFor()]).toEqual([null, 2, null]);
    expect(repeat(chat, 1, 3)).toEqual(['answer']);
    for (const run of [main, other, watch.run('later'), watch.start()]) {
      expect(run.state.guard.calls).toBe(0);
      expect(repeat(run, 1, 3)).toEqual(['run']);
    }
    expect(repeat(chat, 1, 4)).toEqual(['answer']);
  });

  it('stops the first session that works, and no other', () => {
    const stopped = createWatch().start();
    repeat(stopped, 7);
    const watch = createWatch({ state: stopped.state });
    const [first, second] = [watch.run('first'), watch.run('second')];
    expect([repeat(first, 1, 8), repeat(second, 1, 8)]).toEqual([['stop'], ['run']]);
  });

  it('gives way to what the store has of a session, which stays when another works on it', async () => {
    const store = createMemoryStore();
    const options: WatchOptions = { preset: 'zagens', store };
    const before = createWatch(options).run('chat');
    await before.begin();
    repeat(before, 2);
    await before.saved();
    const watch = createWatch({ ...options, state: before.state });
    const chat = watch.run('chat');
    await chat.begin();
    expect(repeat(watch.run('other'), 1, 3)).toEqual(['answer']);
    expect(repeat(chat, 1, 3)).toEqual(['answer']);
  });

  it('belongs to the first run that is begun, named or not', () => {
    const first = createWatch({ preset: 'zagens' });
    repeat(first.start(), 2);
    const { state } = (() => {
      const run = createWatch({ preset: 'zagens' }).start();
      repeat(run, 2);
      return run;
    })();
    for (const begin of ['start', 'run'] as const) {
      const watch = createWatch({ preset: 'zagens', state });
      expect(repeat(watch[begin](), 1, 3)).toEqual(['answer']);
      expect(repeat(watch.start(), 1, 3)).toEqual(['run']);
    }
  });

  it.each([
    ['no object', 7],
    ['another version', { version: 2, desks: [] }],
    ['no desks', { version: 1, guard: {} }],
    ['a broken desk', { version: 1, desks: [{ agent: 1 }] }],
    [
      'a broken nudge',
      { version: 1, desks: [{ agent: '', nudges: [{}], told: [], question: null, stop: null }] },
    ],
    [
      'a broken reason',
      { version: 1, desks: [{ agent: '', nudges: [], told: [], question: null, stop: { reason: {} } }] },
    ],
    ['a broken guard', { version: 1, desks: [], guard: 'x' }],
  ])('that holds %s is refused', (_what, state) => {
    expect(() => createWatch({ state })).toThrow(DeloopError);
  });
});

describe('a watch', () => {
  it('refuses options that can never work, at once', () => {
    expect(() => createWatch({ preset: 'kodda' as never })).toThrow(DeloopError);
    expect(() => createWatch({ onAks: 1 } as never)).toThrow(
      /^deloop has no option "onAks"; known are preset, .*onAsk/,
    );
    expect(() => createWatch({ onDecision: 1 as never })).toThrow(DeloopError);
    expect(() => createWatch({ store: new Map() as never })).toThrow(/store is .*createFileStore/);
    for (const name of ['onAsk', 'onStop', 'onStrongerModel', 'now'])
      expect(() => createWatch({ [name]: 5 })).toThrow(`${name} is 5; it must be a function`);
    expect(() => createWatch({ lastTurn: 'no' as never })).toThrow(
      'lastTurn is "no"; it must be true or false',
    );
    for (const session of ['', 42])
      expect(() => createWatch({ session: session as never })).toThrow(
        `session is ${JSON.stringify(session)}; it must be a text that is not empty`,
      );
  });

  it('lets no error of the one who hears of errors out, now or later', async () => {
    const heard: unknown[] = [];
    const onError = async (error: unknown) => {
      heard.push(error);
      throw new Error('broken too');
    };
    const onAsk = () => Promise.reject(new Error('gone'));
    const run = createWatch({ onError, onAsk }).start();
    const unheard = vi.fn();
    process.once('unhandledRejection', unheard);
    repeat(run, 7);
    await run.settle();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unheard);
    expect([heard.length, unheard.mock.calls.length]).toEqual([1, 0]);
  });

  it('goes on where the clock that it was given breaks, and tells of it', () => {
    const onError = vi.fn();
    // It may only be called as a method of its object.
    const run = createWatch({ onError, now: performance.now }).start();
    run.user('Find it.');
    expect(repeat(run, 6).at(-1)).toBe('answer');
    run.tell({ type: 'round-done' });
    expect(onError.mock.calls.length).toBeGreaterThan(2);
    expect(String(onError.mock.calls[0]?.[0])).toContain('Performance');
  });

  it('keeps the runs that were used last', () => {
    const watch = createWatch();
    const first = watch.run('first');
    for (let n = 0; n < 2047; n++) watch.run(`${n}`);
    expect(watch.run('first')).toBe(first);
    for (let n = 0; n < 2048; n++) watch.run(`more ${n}`);
    expect(watch.run('first')).not.toBe(first);
  });

  it('tells whose decision it was', () => {
    const onDecision = vi.fn();
    const watch = createWatch({ onDecision });
    repeat(watch.run('chat'), 3);
    expect(onDecision.mock.calls[0]?.[2]).toBe('chat');
    expect(watch.run('chat').session).toBe('chat');
  });

  it('never throws, whatever it is given', () => {
    const onError = vi.fn(() => {
      throw new Error('broken too');
    });
    const run = createWatch({ onError }).start();
    const hostile = [undefined, null, 7, 'x', [], { toJSON: () => 10n }, 10n, Symbol('x')];
    for (const value of hostile) {
      run.before({ id: value as string, tool: value as string, args: value });
      run.after({ id: 'a', tool: 'look', args: value }, { output: value, status: value as 'ok' });
      run.turn({ text: value as string, usage: value as never });
      run.user(value as string);
      run.delta('content', value as string);
      run.tell(value === null || value === undefined ? ({} as never) : (value as never));
      run.failed(call(1), value);
    }
    expect(run.before(call(1)).do).toBe('run');
  });
});

describe('LoopHalted', () => {
  const reason: StopReason = {
    by: 'deloop',
    action: 'halt',
    detector: 'd',
    subject: 's',
    count: 1,
    evidence: [1],
    message: 'Stopped.',
    call: 1,
  };

  it('is told from other errors, also where a host has wrapped it', () => {
    const error = new LoopHalted(reason, { text: 'so far' });
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.message, error.partial]).toEqual([
      'LoopHalted',
      'Stopped.',
      { text: 'so far' },
    ]);
    expect([isLoopHalted(error), isLoopHalted(new Error('Stopped.')), isLoopHalted(null)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(findLoopHalted(new Error('outer', { cause: Object.assign(new Error('inner'), { error }) }))).toBe(
      error,
    );
    expect(findLoopHalted(new Error('other'))).toBeNull();
    const circle = new Error('circle');
    circle.cause = circle;
    expect(findLoopHalted(circle)).toBeNull();
  });
});
