import { describe, expect, it } from 'vitest';
import { testAdapter } from '../../src/testing/index.ts';
import { wrappedTools } from './generic-host.ts';

/** The names of the tests that fail. */
async function failing(host: Parameters<typeof testAdapter>[0]): Promise<readonly string[]> {
  const tests: { readonly name: string; readonly body: () => void | Promise<void> }[] = [];
  testAdapter(host, {
    describe: (_name, body) => body(),
    it: (name, body) => tests.push({ name, body }),
  });
  const failed: string[] = [];
  for (const { name, body } of tests)
    await (async () => body())().catch(() => {
      failed.push(name);
    });
  expect(tests.length).toBeGreaterThan(25);
  return failed;
}

describe('testAdapter', () => {
  it('passes an adapter that does what it should', async () => {
    expect(await failing(wrappedTools)).toEqual([]);
  });

  it('fails a host without a guard', async () => {
    const bare = {
      ...wrappedTools,
      open: (setup: Parameters<typeof wrappedTools.open>[0]) =>
        wrappedTools.open({
          ...setup,
          model: (request) => (setup.options !== null && count() > 30 ? {} : setup.model(request)),
          options: null,
        }),
    };
    let calls = 0;
    const count = () => {
      calls += 1;
      if (calls > 40) calls = 0;
      return calls;
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
