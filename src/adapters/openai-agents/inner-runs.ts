import type { AsyncLocalStorage } from 'node:async_hooks';
import type { InvocationIn } from './input-filter.ts';
import type { Invocation } from './invocation.ts';
import type { InputFilter } from './shapes.ts';

/** Runs of agents that are tools: the SDK begins them itself, so they are met in what it reads and calls at their beginning. */
export type InnerRuns = {
  /** Runs what is inside of a tool. */
  readonly within: <Result>(call: () => Result) => Result;
  /** For the options of such a run: read whenever one begins, so each has an invocation of its own. */
  filter(): InputFilter;
};

type InnerRunsOptions = {
  readonly invocations: AsyncLocalStorage<Invocation>;
  /** `traces` = those of the one around, where the two cannot be told apart in every hook. */
  readonly open: (around: Invocation, traces?: Invocation) => Invocation;
  readonly filterOf: (invocation: InvocationIn) => InputFilter;
};

export function createInnerRuns({ invocations, open, filterOf }: InnerRunsOptions): InnerRuns {
  /** Read before any run, and used in all of them: here runs are told from each other by their agents, and by their beginnings. */
  function loose(): InputFilter {
    const inner = new WeakMap<Invocation, Map<string, Invocation>>();
    return filterOf(({ name }, items) => {
      const around = invocations.getStore();
      // Where the tool is guarded, its run is known already.
      if (around === undefined || (around.around !== null && (around.current?.name ?? name) === name))
        return around;
      const all = inner.get(around) ?? new Map<string, Invocation>();
      inner.set(around, all);
      const isNew = items.at(-1)?.role === 'user';
      const known = (isNew ? undefined : all.get(name)) ?? open(around, around);
      all.set(name, known);
      return known;
    });
  }

  return {
    within(call) {
      const around = invocations.getStore();
      return around === undefined ? call() : invocations.run(open(around), call);
    },
    filter() {
      const around = invocations.getStore();
      if (around === undefined) return loose();
      around.rest();
      const isNew = around.around !== null && around.current === null;
      const now = isNew ? around : open(around);
      invocations.enterWith(now);
      return filterOf(() => now);
    },
  };
}
