// The adapter: the host's hooks to the words of a run, and back. `deloop/generic` brings sessions, stores, questions and stops.
import { deloop } from 'deloop/generic';

/** A guard for `runAgent`: `hooks(session, own)` are its hooks, and your own run as before. */
export function guardAgents(options) {
  const guard = deloop(options);
  return {
    run: (session) => guard.of(session),
    hooks(session, own = {}) {
      const run = guard.of(session);
      run.begin();
      return {
        async beforeModel(messages) {
          await run.ready();
          const mine = await own.beforeModel?.(messages);
          await run.settle();
          await run.saved();
          if (run.isOver()) return { end: true };
          const isLast = run.takeLastTurn();
          const nudge = run.takeNudge();
          if (nudge !== null) messages.push({ role: 'user', content: nudge.text });
          return isLast ? { ...mine, tools: false } : mine;
        },
        async afterModel(response) {
          run.turn(response);
          await run.saved();
          await own.afterModel?.(response);
        },
        async beforeTool(call) {
          const verdict = await run.check(call);
          return verdict.do === 'run' ? own.beforeTool?.(call) : verdict.text;
        },
        async afterTool(call, output, status) {
          run.after(call, { output, status });
          await run.saved();
          await own.afterTool?.(call, output, status);
        },
        async onToolError(call, error) {
          run.failed(call, error);
          await run.saved();
          await own.onToolError?.(call, error);
        },
      };
    },
  };
}
