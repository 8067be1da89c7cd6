import { describe, expect, it } from 'vitest';
import { type AdapterHost, testAdapter } from '../../src/testing/index.ts';
import { faultyHost } from './faulty-host.ts';
import { wrappedTools } from './generic-host.ts';

/** The names of the tests that fail. */
async function failing(host: AdapterHost): Promise<readonly string[]> {
  return [...(await failures(host)).keys()];
}

/** The tests that fail, and why. */
async function failures(host: AdapterHost): Promise<ReadonlyMap<string, unknown>> {
  const tests: { readonly name: string; readonly body: () => void | Promise<void> }[] = [];
  testAdapter(host, {
    describe: (_name, body) => body(),
    it: (name, body) => tests.push({ name, body }),
  });
  const failed = new Map<string, unknown>();
  for (const { name, body } of tests)
    await (async () => body())().catch((error: unknown) => {
      failed.set(name, error);
    });
  expect(tests.length).toBeGreaterThan(25);
  return failed;
}

describe('testAdapter', () => {
  it('passes an adapter that does what it should', async () => {
    expect(await failing(wrappedTools)).toEqual([]);
  });

  it('fails a host without a guard, and comes to an end', async () => {
    const bare = {
      ...wrappedTools,
      open: (setup: Parameters<typeof wrappedTools.open>[0]) =>
        wrappedTools.open({ ...setup, options: null }),
    };
    expect(await failing(bare)).toEqual(
      expect.arrayContaining([
        'of identical calls is nudged at the 3rd, blocked from the 5th, halted at the 7th',
        'ends with a typed reason',
        'shadow changes nothing and reports',
        'that onAsk answers with no stops the run',
        'resumes after a halt',
        'decides the same from a store',
      ]),
    );
  });

  it('says of an adapter that does not end that it does not', async () => {
    const errors = await failures(faultyHost('endless'));
    expect([...errors.values()].map(String)).toContainEqual(
      expect.stringContaining('the run does not end: after 60 responses'),
    );
    const stubborn = await failures(faultyHost('stubborn'));
    expect([...stubborn.values()].map(String)).toContainEqual(
      expect.stringContaining('the run does not end'),
    );
  });

  it.each([
    ['runs what is blocked', 'runs-blocked', '6 calls ran, not 4: a call that is refused must not run'],
    ['says a nudge again and again', 'nudge-again', 'the nudge is said once'],
  ] as const)('says of an adapter that %s what is wrong', async (_, fault, words) => {
    const errors = await failures(faultyHost(fault));
    expect(
      String(errors.get('of identical calls is nudged at the 3rd, blocked from the 5th, halted at the 7th')),
    ).toContain(words);
  });

  it.each([
    [
      'that keeps decisions to itself',
      'no-onDecision',
      'ends with a typed reason',
      'no decision was heard: the adapter is given onDecision with all the other options',
    ],
    [
      'that has one session for all',
      'one-session',
      'has all in the store when it ends',
      'the store has it by the name of the session',
    ],
    [
      'to which a failure is a result like others',
      'no-failed',
      'tells a dead end to whoever comes to it seventh, and keeps the twelfth from it',
      'worker 7: from the seventh on, each hears that others have failed',
    ],
  ] as const)('says of an adapter %s what is wrong', async (_, fault, test, words) => {
    expect(String((await failures(faultyHost(fault))).get(test))).toContain(words);
  });

  it.each([
    [
      'that puts the nudge first',
      'nudge-first',
      'of identical calls is nudged at the 3rd, blocked from the 5th, halted at the 7th',
    ],
    ['that never settles', 'no-settle', 'about a result is asked before the model is called again'],
    ['that does not wait until its last step is saved', 'no-saved-end', 'has all in the store when it ends'],
    ['that does not tell what was said', 'no-text', 'of the same words beside other calls is seen'],
    ['that does not tell what was thought', 'no-reasoning', 'of thoughts is heard: they reach the guard'],
    [
      'that counts tokens twice',
      'usage-twice',
      'that costs too much is seen by its tokens, each of them counted once',
    ],
    [
      'that counts some tokens only',
      'usage-half',
      'that costs too much is seen by its tokens, each of them counted once',
    ],
    [
      'to which data is `[object Object]`',
      'data-lost',
      'whose equal calls bring other results is left alone',
    ],
    ['that keeps onStop to itself', 'no-onStop', 'ends with a typed reason'],
    [
      'that keeps onStrongerModel to itself',
      'no-onStrongerModel',
      'of failures is nudged at the 3rd and the 6th, halted at the 10th',
    ],
  ] as const)('notices an adapter %s', async (_, fault, test) => {
    expect(await failing(faultyHost(fault))).toEqual([test]);
  });

  it.each([
    ['to which all results are one', 'same-output', 'whose equal calls bring other results is left alone'],
    ['that tells each response twice', 'turn-twice', 'is counted in responses, each of them once'],
    [
      'that knows calls by their ids alone',
      'ids-once',
      'with the same ids in every response is seen all the same',
    ],
    ['that tells what a person says twice', 'user-twice', 'hears each message of a person once'],
    ['that never waits until all is saved', 'no-saved', 'decides the same from a store'],
  ] as const)('notices an adapter %s', async (_, fault, test) => {
    expect(await failing(faultyHost(fault))).toContain(test);
  });

  it.each([
    [{ holds: 'it has no way to ask' }, /cannot has no option "holds"; known are .*hold/],
    [{ hold: '' }, /cannot\["hold"\] is ""; it must be the reason/],
    [{ hold: ' ' }, /cannot\["hold"\] is " "; it must be the reason/],
    [{ hold: true }, /cannot\["hold"\] is true; it must be the reason/],
  ])('refuses the inability %j', (cannot, words) => {
    const host = { ...wrappedTools, cannot } as AdapterHost;
    const runner = { describe: () => {}, it: () => {} };
    expect(() => testAdapter(host, runner)).toThrow(words);
  });

  it('passes the same adapter without a fault', async () => {
    expect(await failing(faultyHost(null))).toEqual([]);
  });

  it('fails an adapter that swallows the nudge', async () => {
    const deaf = {
      ...wrappedTools,
      open: async (setup: Parameters<typeof wrappedTools.open>[0]) =>
        wrappedTools.open({
          ...setup,
          model: ({ sent, tools }) =>
            setup.model({ sent: sent.replace(/has given the same result \d+ times/g, ''), tools }),
        }),
    };
    expect(await failing(deaf)).toContain(
      'of identical calls is nudged at the 3rd, blocked from the 5th, halted at the 7th',
    );
  });
});
