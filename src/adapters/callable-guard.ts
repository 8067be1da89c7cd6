import type { Run } from './run.ts';
import type { StopReason } from './stop-reason.ts';
import type { Watch } from './watch.ts';

/** What a guard can be asked that is itself a function over agents. */
type Asked = {
  run(session?: string): Run;
  readonly stopped: StopReason | null;
};

/** The function, with runs to be asked for; `latest` = that of the agent or call that came last. */
export function callableGuard<Guard extends object>(
  guard: Guard,
  watch: Watch,
  latest: () => { readonly run: Run; readonly agent: string | undefined } | null,
): Guard & Asked {
  const run = (session?: string) =>
    session === undefined ? (latest()?.run ?? watch.run()) : watch.run(session);
  const stopped = () => {
    const last = latest();
    return last === null ? null : last.run.stoppedFor(last.agent);
  };
  return Object.defineProperties(guard, { run: { value: run }, stopped: { get: stopped } }) as Guard & Asked;
}
