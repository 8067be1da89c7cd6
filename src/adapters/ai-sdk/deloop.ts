import { createLastingNudges } from '../lasting-nudges.ts';
import { LoopHalted } from '../loop-halted.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { watchedApprovals } from './approvals.ts';
import { createSession, HEARING, hear, nextStep, observe, type Session } from './session.ts';
import { type PrepareStep, type Settings, type StopCondition, textOf } from './shapes.ts';
import { watchedModel } from './watched-model.ts';
import { watchedTools } from './watched-tools.ts';

export type AiSdkOptions = WatchOptions & {
  /** Takes the next step when the guard says that a stronger model might help. */
  readonly strongerModel?: unknown;
};

/** Whose run this is. Without a session every call is a run of its own. */
export type Whose = {
  readonly session?: string | undefined;
  /** The sub-agent; absent for the main agent. */
  readonly agent?: string | undefined;
};

/**
 * The guard of the AI SDK. It is called with the settings of `generateText` or `streamText`, or as the `prepareCall` of a
 * `ToolLoopAgent`, and gives the settings back guarded.
 */
export type AiSdkGuard = {
  <Given extends object>(settings: Given, whose?: Whose): Given;
  /** `generateText` or `streamText` itself, guarded: for AI SDK 6, where callbacks written inside `guard(...)` lose their types. */
  wrap<Given extends (settings: never) => unknown>(run: Given, whose?: Whose): Given;
  /** The run of a session; without a name, the one that was begun last. */
  run(session?: string): Run;
  /** Why the run that was begun last was stopped. */
  readonly stopped: StopReason | null;
};

/** Throws when an option can never work. */
export function deloop({ strongerModel, ...options }: AiSdkOptions = {}): AiSdkGuard {
  const watch = createWatch(options);
  const canHold = options.attended === true && options.onAsk === undefined;
  let latest: Run | null = null;

  function begin({ session = options.session, agent }: Whose): Session {
    latest = session === undefined ? watch.start() : watch.run(session);
    // Not waited for here: whatever needs it waits until it is ready.
    latest.begin();
    return createSession(latest, agent);
  }

  function guarded(settings: Settings, whose: Whose): Settings {
    const session = begin(whose);
    const { run, agent } = session;
    const nudges = createLastingNudges();
    const { tools, toolApproval, stopWhen = isFirstStep, experimental_prepareStep } = settings;
    const { prepareStep: own = experimental_prepareStep } = settings;

    /** Most steps go on as they are, and then nobody waits for anything. */
    const prepareStep: PrepareStep = (step) => {
      const { steps, messages } = step;
      if (own !== undefined || steps.length === 0 || !run.isReady) return prepared(step);
      observe(session, steps);
      if (!run.isQuiet(agent) || nudges.into(messages, undefined) !== messages) return prepared(step);
      nextStep(session);
      return undefined;
    };

    const prepared: PrepareStep = async (step) => {
      const { steps, messages } = step;
      if (!run.isReady) await run.ready();
      if (steps.length === 0) {
        const { role, content } = messages.at(-1) ?? { role: '', content: '' };
        if (role === 'user') run.user(textOf(content), { agent });
        hear(session, messages);
        await run.settle(agent);
      }
      observe(session, steps);
      const reason = run.stoppedFor(agent);
      if (reason !== null && run.isOver(agent)) throw new LoopHalted(reason, steps);
      const mine = own === undefined ? undefined : await own(step);
      const isLast = run.takeLastTurn(agent);
      const nudge = run.takeNudge(agent);
      const said = mine?.messages ?? messages;
      const all = nudges.into(said, nudge?.text);
      const model = mine?.model ?? (nudge?.strongerModel === true ? strongerModel : undefined);
      nextStep(session);
      if (all === said && model === undefined && !isLast) return mine;
      return {
        ...mine,
        ...(all !== said && { messages: all }),
        ...(model !== undefined && { model: watchedModel(model, HEARING, session) }),
        // No tools rather than `toolChoice: 'none'`, which throws when the model calls one all the same.
        ...(isLast && { activeTools: [], toolChoice: 'auto' }),
      };
    };

    const settled = async () => {
      if (run.questionFor(agent) !== null) await run.settle(agent);
      await run.saved();
      return run.isOver(agent);
    };

    const isOver: StopCondition = ({ steps }) => {
      observe(session, steps);
      return run.isQuiet(agent) ? false : settled();
    };

    return {
      ...settings,
      ...('model' in settings && { model: watchedModel(settings.model, HEARING, session) }),
      ...(tools !== undefined && { tools: watchedTools(tools, session, canHold) }),
      ...(tools !== undefined && canHold && { toolApproval: watchedApprovals(toolApproval, tools, session) }),
      prepareStep,
      stopWhen: [...(Array.isArray(stopWhen) ? stopWhen : [stopWhen]), isOver],
    };
  }

  const guard = (settings: object, whose: Whose = {}) => guarded(settings, whose);
  return Object.defineProperties(guard, {
    wrap: {
      value:
        (call: (settings: Settings) => unknown, whose: Whose = {}) =>
        (settings: Settings) =>
          call(guarded(settings, whose)),
    },
    run: {
      value: (session?: string) => (session === undefined ? (latest ?? watch.run()) : watch.run(session)),
    },
    stopped: { get: () => latest?.stopped ?? null },
  }) as unknown as AiSdkGuard;
}

/** What the SDK does of itself where no condition is given. */
const isFirstStep: StopCondition = ({ steps }) => steps.length === 1;
