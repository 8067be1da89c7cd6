import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import {
  type ModelName,
  modelSaying,
  type StepArgs,
  type StepResult,
  type Tool,
  threadOf,
  wordsIn,
} from './shapes.ts';
import { type WatchedCall, watchCall } from './watched-call.ts';

/** The guard of Mastra: an input processor, for the `inputProcessors` of one or more agents. */
export type MastraGuard = {
  readonly id: 'deloop';
  readonly name: string;
  processInputStep(args: StepArgs): Promise<StepResult>;
  /** The run of a session; without a name, that of the call that was begun last. */
  run(session?: string): Run;
  /** Why the call that was begun last was stopped. */
  readonly stopped: StopReason | null;
};

/** Throws when an option can never work. */
export function deloop(options: WatchOptions = {}): MastraGuard {
  const watch = createWatch(options);
  const calls = new WeakMap<object, WatchedCall>();
  /** The agent that a run was begun for; others in it are sub-agents. */
  const mains = new WeakMap<Run, string | undefined>();
  let latest: WatchedCall | null = null;

  function watched(args: StepArgs): WatchedCall {
    const known = calls.get(args.state) ?? begun(args);
    calls.set(args.state, known);
    latest = known;
    return known;
  }

  function begun(args: StepArgs): WatchedCall {
    const session = options.session ?? threadOf(args);
    const run = session === undefined ? watch.start() : watch.run(session);
    // Not waited for here: whatever needs it waits until it is ready.
    run.begin();
    const id = args.agent?.id;
    if (!mains.has(run)) mains.set(run, id);
    return watchCall(run, id === mains.get(run) ? undefined : id);
  }

  return {
    id: 'deloop',
    name: 'deloop',
    async processInputStep(args) {
      const { stepNumber, messages, messageList, model, tools = {} } = args;
      const call = watched(args);
      const { run, agent } = call;
      if (!run.isReady) await run.ready();
      call.begin(messages, tools);
      const last = messages.at(-1);
      if (stepNumber === 0 && last?.role === 'user') run.user(wordsIn(last), { agent });
      if (!run.isIdle(agent)) await run.settle(agent);
      const isLast = run.takeLastTurn(agent);
      const isOver = !isLast && run.isOver(agent);
      const nudge = isOver ? null : run.takeNudge(agent);
      if (nudge !== null) {
        args.rotateResponseMessageId?.();
        messageList.add({ role: 'user', content: nudge.text }, 'input');
      }
      if (!run.isIdle(agent)) await run.saved();
      if (isOver) return ended(modelSaying(run.stoppedFor(agent)?.message ?? '', model as ModelName));
      return {
        model: call.model(model) as never,
        tools: call.tools(tools as { readonly [name: string]: Tool }),
        ...(isLast && { activeTools: [] }),
      };
    },
    run: (session) => (session === undefined ? (latest?.run ?? watch.run()) : watch.run(session)),
    get stopped() {
      return latest === null ? null : latest.run.stoppedFor(latest.agent);
    },
  };
}

function ended(model: object): StepResult {
  return { model: model as never, activeTools: [] };
}
