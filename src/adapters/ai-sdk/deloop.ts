import { callableGuard } from '../callable-guard.ts';
import { createLastingNudges } from '../lasting-nudges.ts';
import { LoopHalted } from '../loop-halted.ts';
import { mustAnswerFirst, toolsAtLast } from '../needs-of-providers.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { unlessBroken } from '../unless-broken.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { watchedApprovals } from './approvals.ts';
import { HEARING, hearResults } from './hearing.ts';
import type { NamedTools } from './named-tools.ts';
import { isSaidAgain } from './said-again.ts';
import { isSeated, leave, mustWait, othersAsk, sit } from './seats.ts';
import {
  createSession,
  hear,
  isUnasked,
  nextCall,
  nextStep,
  observe,
  observeEnd,
  refuseUnasked,
  type Session,
  sends,
  settle,
} from './session.ts';
import {
  type Message,
  type OnStep,
  type PrepareStep,
  type Settings,
  type StepOptions,
  type StopCondition,
  textOf,
} from './shapes.ts';
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
  /**
   * Whether a message of the user is your program's, and no person's. Without it, it is a person's, unless a program is seen to say it behind
   * the results of one step after the other.
   */
  readonly byHost?: ByHost | undefined;
};

type ByHost = (message: Message) => boolean | undefined;

/**
 * The guard of the AI SDK. It is called with the settings of `generateText` or `streamText`, or as the `prepareCall` of a
 * `ToolLoopAgent`, and gives the settings back guarded.
 */
export type AiSdkGuard = {
  <Given extends object, Name extends string>(settings: Given & NamedTools<Name>, whose?: Whose): Given;
  /** `generateText` or `streamText` itself, guarded: for AI SDK 6, where callbacks written inside `guard(...)` lose their types. */
  wrap<Given extends (settings: never) => unknown>(run: Given, whose?: Whose): Given;
  /** The run of a session; without a name, the one that was begun last. */
  run(session?: string): Run;
  /** Why the agent whose call was begun last was stopped. */
  readonly stopped: StopReason | null;
} & GuardsOthers;

/**
 * For settings that TypeScript takes for those of nobody otherwise, because what a generic function gives is a function
 * (`stopWhen: hasToolCall('done')`). By itself it would lose the types of callbacks.
 */
type GuardsOthers = <Given extends object, Name extends string>(
  settings: (Given & NamedTools<Name>) | Given,
  whose?: Whose,
) => Given;

/** Throws when an option can never work. */
export function deloop({ strongerModel, ...options }: AiSdkOptions = {}): AiSdkGuard {
  const watch = createWatch(options, { ownOptions: ['strongerModel'] });
  const canHold = options.attended === true && options.onAsk === undefined;
  let latest: Session | null = null;

  function begin({ session = options.session, agent }: Whose, settings: Settings): Session {
    const run = session === undefined ? watch.start() : watch.run(session);
    // Not waited for here: whatever needs it waits until it is ready.
    run.begin();
    latest = createSession(run, agent, settings, canHold, options.onError);
    return latest;
  }

  function guarded(settings: Settings, whose: Whose): Settings {
    const byHost = whose.byHost && unlessBroken(whose.byHost, options.onError, 'byHost');
    const { model: given, tools, toolApproval, experimental_prepareStep } = settings;
    const { prepareStep: own = experimental_prepareStep, stopWhen = stepsOf(settings) } = settings;
    const session = begin(whose, settings);
    const { run } = session;
    const watched = tools === undefined ? null : watchedTools(tools, session);
    let nudges = createLastingNudges();

    /** A model that is given by its name, as the SDK has found it. */
    const foundModel = ({ model }: StepOptions) => (isName(given) ? model : undefined);

    /** Most steps go on as they are, and then nobody waits for anything. */
    const prepareStep: PrepareStep = (step) => {
      const { steps, messages, experimental_steeringMessages: said } = step;
      if (own !== undefined || steps.length === 0 || said !== undefined || !run.isReady || !isSeated(session))
        return prepared(step);
      observe(session, steps);
      if (!run.isQuiet(session.agent) || nudges.into(messages, undefined) !== messages) return prepared(step);
      watched?.update();
      const model = foundModel(step);
      nextStep(session, { model });
      return model === undefined ? undefined : { model: watchedModel(model, HEARING, session) };
    };

    const prepared: PrepareStep = (step) =>
      prepare(step).catch((error) => {
        leave(session);
        throw error;
      });

    const prepare = async (step: StepOptions): Promise<Awaited<ReturnType<PrepareStep>>> => {
      const { steps, messages } = step;
      if (!run.isReady) await run.ready();
      if (mustWait(session)) await othersAsk(session);
      sit(session, messages);
      const { agent } = session;
      if (steps.length === 0) {
        nudges = createLastingNudges();
        await begun(session, messages, byHost);
      }
      observe(session, steps);
      if (steps.length > 0) hearSteering(session, step.experimental_steeringMessages, byHost);
      const isOver = run.isOver(agent);
      const reason = run.stoppedFor(agent);
      if (isOver && reason !== null && steps.length === 0) throw new LoopHalted(reason, steps);
      const mine = await own?.(asOwn(step, given, nudges.without(messages)));
      const said = mine?.messages ?? messages;
      sends(session, nudges.without(said).length, settings.providerOptions, mine?.providerOptions);
      watched?.update();
      // Another call in the same session may have had the last turn: then this one has to end, too.
      const isLast = run.takeLastTurn(agent) || run.isOver(agent);
      const nudge = run.takeNudge(agent);
      const stronger = nudge?.strongerModel === true ? strongerModel : undefined;
      const model = mine?.model ?? stronger ?? foundModel(step);
      const all = nudges.into(
        said,
        nudge?.text ?? (isOver || isUnasked(session) ? reason?.message : undefined),
        mustAnswerFirst(model ?? given),
      );
      nextStep(session, { asked: run.questionFor(agent) !== null, isLast, model });
      if (all === said && model === undefined && !isLast) return mine;
      return {
        ...mine,
        ...(all !== said && { messages: all }),
        ...(model !== undefined && { model: watchedModel(model, HEARING, session) }),
        // No tools rather than `toolChoice: 'none'`, which throws when the model calls one all the same.
        ...(isLast && { activeTools: toolsAtLast(model ?? given, tools ?? {}), toolChoice: 'auto' }),
      };
    };

    const settled = async () => {
      const { agent } = session;
      if (run.questionFor(agent) !== null) await settle(session);
      await run.saved();
      return run.isOver(agent);
    };

    const stopsHere: StopCondition = ({ steps }) => {
      observe(session, steps);
      return run.isQuiet(session.agent) ? false : settled();
    };

    return {
      ...settings,
      ...('model' in settings && { model: watchedModel(given, HEARING, session) }),
      ...(isName(strongerModel) || own !== undefined ? observedEnds(settings, session) : {}),
      ...(watched !== null && { tools: watched.tools }),
      ...(tools !== undefined &&
        (canHold || toolApproval !== undefined) && {
          toolApproval: watchedApprovals(toolApproval, tools, session),
        }),
      prepareStep,
      stopWhen: [...(Array.isArray(stopWhen) ? stopWhen : [stopWhen]), stopsHere],
    };
  }

  const guard = (settings: object, whose: Whose = {}) => guarded(settings, whose);
  const wrap =
    (call: (settings: Settings) => unknown, whose: Whose = {}) =>
    (settings: Settings) =>
      call(guarded(settings, whose));
  return callableGuard(
    Object.defineProperty(guard, 'wrap', { value: wrap }),
    watch,
    () => latest,
  ) as unknown as AiSdkGuard;
}

/**
 * Major 7 remembers what was said between the steps: the user's own function counts messages without it. The model that it gives back is
 * listened to then, so it gets the one that is not yet.
 */
function asOwn(step: StepOptions, model: unknown, messages: readonly Message[]): StepOptions {
  return { ...step, ...(typeof model === 'object' && { model }), messages };
}

/** A call of the SDK has begun. */
async function begun(
  session: Session,
  messages: readonly Message[],
  byHost: ByHost | undefined,
): Promise<void> {
  // A program may say something as the system behind what a person has said.
  const said = messages.filter(({ role }) => role !== 'system');
  const last = said.at(-1);
  nextCall(session);
  hearResults(session, messages);
  if (last?.role === 'user') {
    const isAgain = isSaidAgain(session, said);
    hearUser(session, last, byHost?.(last) ?? isAgain);
  }
  hear(session, messages);
  await settle(session);
  if (last?.role === 'assistant') refuseUnasked(session);
}

/** A person may speak while the call runs. */
function hearSteering(
  session: Session,
  said: readonly Message[] = [],
  byHost: ByHost = () => undefined,
): void {
  for (const message of said)
    if (message.role === 'user') hearUser(session, message, byHost(message) === true);
}

function hearUser({ run, agent }: Session, { content }: Message, isHosts: boolean): void {
  run.user(textOf(content), { by: isHosts ? 'host' : 'person', agent });
}

/** A model that only a step names is not heard, and after the last step the SDK asks nobody: but it tells of it. */
function observedEnds({ onStepEnd, onStepFinish }: Settings, session: Session): Settings {
  const onStep =
    (own: OnStep | undefined): OnStep =>
    (step) => {
      if (session.isHeard) return own?.(step);
      observeEnd(session, step);
      const told = own?.(step);
      return session.run.isIdle(session.agent) ? told : Promise.all([told, session.run.saved()]);
    };
  // Where there are both, major 7 calls the first and major 6 the other.
  return {
    ...(onStepEnd !== undefined && { onStepEnd: onStep(onStepEnd) }),
    onStepFinish: onStep(onStepFinish),
  };
}

/** What the SDK does of itself where no condition is given: settings that ask for nothing yet are those of an agent. */
function stepsOf(settings: Settings): StopCondition {
  return 'prompt' in settings || 'messages' in settings ? isFirstStep : isTwentiethStep;
}

function isName(model: unknown): boolean {
  return typeof model === 'string';
}

const isFirstStep: StopCondition = ({ steps }) => steps.length === 1;
const isTwentiethStep: StopCondition = ({ steps }) => steps.length === 20;
