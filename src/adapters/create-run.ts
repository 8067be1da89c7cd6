import type { Guard } from '../core/guard.ts';
import { stronger } from '../core/ladder.ts';
import { ALLOW } from '../core/rounds.ts';
import type { AgentEvent, Decision, Json, ToolCallEvent, ToolResultEvent, Usage } from '../core/types.ts';
import type { Store } from '../stores/store.ts';
import type { Member } from '../swarm/member.ts';
import type { CallListener, Seat, Tallies } from '../swarm/seat.ts';
import { type Desk, emptyDesk, type Nudge, place, refuse } from './desk.ts';
import { createDesks } from './desks.ts';
import type { HostCall, HostResult, Run } from './run.ts';
import { parseRunState, type RunState } from './run-state.ts';
import { createSessionKeeper, DONE } from './session-keeper.ts';
import type { Answer, Question, StopReason } from './stop-reason.ts';
import { createStretches, type Stretch } from './stretches.ts';
import { RUN, type Verdict } from './verdict.ts';

/** A run's place in a swarm. */
export type RunSwarm = { readonly seat: Seat; readonly member: Member; readonly listener: CallListener };

export type RunOptions = {
  readonly session?: string | undefined;
  readonly store?: Store | undefined;
  readonly state?: unknown;
  readonly makeGuard: (state: unknown) => Guard;
  readonly swarm?: RunSwarm | undefined;
  readonly onAsk?: ((question: Question) => Answer | Promise<Answer>) | undefined;
  readonly onStop?: ((reason: StopReason) => unknown) | undefined;
  readonly onStrongerModel?: ((nudge: Nudge, agent: string | undefined) => unknown) | undefined;
  readonly onError?: ((error: unknown, about: unknown) => unknown) | undefined;
  readonly lastTurn?: boolean | undefined;
  /** `true` = the guard counts the pieces of a stream, so they must come to it as they are. */
  readonly countsPieces?: boolean | undefined;
  readonly now?: (() => number) | undefined;
};

/** `known` = the guard has seen the call, so that it need not be presented again after a yes; `asked` = what the swarm will say to it. */
type Judged = {
  readonly verdict: Verdict;
  readonly known: boolean;
  readonly number?: number;
  readonly asked?: Tallies | undefined;
};

/** Calls whose ids are remembered while a question is open. */
const MAX_HELD = 64;

export function createRun(options: RunOptions): Run {
  const { session, store, makeGuard, onAsk, onStop, onStrongerModel, onError, now = Date.now } = options;
  const { lastTurn = true, swarm } = options;
  /** What the swarm has not answered yet. */
  const awaited = new Set<Promise<unknown>>();
  const stretches = options.countsPieces === true ? null : createStretches();
  const desks = createDesks();
  const { deskOf } = desks;
  const asking = new Map<string, Promise<boolean>>();
  let guard: Guard;
  if (options.state === undefined) guard = makeGuard(undefined);
  else guard = restored(options.state);
  const keeper =
    store === undefined || session === undefined
      ? null
      : createSessionKeeper({ store, session, state, restore, report });

  function report(error: unknown, about: unknown = session): void {
    try {
      onError?.(error, about);
    } catch {
      // The host's own error must not reach its agent through us.
    }
  }

  function attempt(run: () => unknown, about?: unknown): void {
    try {
      const result = run();
      if (result instanceof Promise) result.catch((error) => report(error, about));
    } catch (error) {
      report(error, about);
    }
  }

  function restored(saved: unknown): Guard {
    const parsed = parseRunState(saved);
    const next = makeGuard(parsed.guard);
    desks.replace(parsed.desks);
    return next;
  }

  function restore(saved: unknown): void {
    guard = restored(saved);
  }

  function state(): RunState {
    return { version: 1, guard: guard.state, desks: desks.waiting() };
  }

  /** Puts away what the guard has answered: a preset may take all agents together, and then it names none. */
  function put(decision: Decision, agent: string | undefined, heard: boolean): void {
    keeper?.touch();
    if (decision.action === 'allow' || decision.action === 'observe') return;
    const desk = deskOf(decision.agent ?? agent);
    const before = desk.stop;
    place(desk, decision, heard, session);
    if (before === null && desk.stop !== null) stop(desk);
  }

  function stop(desk: Desk): void {
    keeper?.touch();
    if (desk.stop === null) return;
    const { reason } = desk.stop;
    if (!lastTurn) desk.stop = { reason, lastTurn: false };
    attempt(() => onStop?.(reason), reason);
  }

  /** A stopped agent is not looked at: whoever lets it go on finds it as it was. */
  function accept(event: AgentEvent): Decision | null {
    hearRest(event.agent);
    return acceptNow(event);
  }

  function acceptNow(event: AgentEvent): Decision | null {
    if (deskOf(event.agent).stop !== null) return null;
    const decision = take(event);
    put(decision, event.agent, false);
    const asked = swarm?.seat.told(event);
    if (asked) heedLater(asked, event.agent);
    return decision;
  }

  /** `false` = cut the stream here. */
  function hear({ channel, text }: Stretch, agent: string | undefined): boolean {
    const decision = acceptNow({ type: 'text-delta', channel, text, agent, at: now() });
    return decision === null || decision.action === 'allow' || decision.action === 'observe';
  }

  /** What was streamed comes before whatever happens next. */
  function hearRest(agent: string | undefined): void {
    const rest = stretches?.take(agent ?? '');
    if (rest) hear(rest, agent);
  }

  function take(event: AgentEvent): Decision {
    const decision = guard.accept(event);
    swarm?.seat.log(event);
    return decision;
  }

  /** What the guard says to what the swarm has come to; `call` = the number of the call that waits for it. */
  async function heed(asked: Tallies, agent: string | undefined, call?: number): Promise<Decision> {
    const events = await asked;
    if (deskOf(agent).stop !== null) return ALLOW;
    let decision = events.map(take).reduce(stronger, ALLOW);
    if (decision.action === 'allow') return decision;
    if (call !== undefined) {
      decision = { ...decision, call };
      if (decision.action === 'block')
        take({ type: 'tool-result', call, status: 'blocked', output: decision.message });
    }
    put(decision, agent, call !== undefined);
    return decision;
  }

  function heedLater(asked: Tallies, agent: string | undefined): void {
    const heeded = heed(asked, agent).finally(() => awaited.delete(heeded));
    awaited.add(heeded);
  }

  function judged(call: HostCall): Judged {
    hearRest(call.agent);
    const desk = deskOf(call.agent);
    if (desk.stop !== null) return { verdict: stopped(desk.stop.reason), known: false };
    if (desk.question !== null) return { verdict: hold(desk, call), known: false };
    const { id, tool, args = null, agent } = call;
    const event: ToolCallEvent = { type: 'tool-call', id, tool, args: args as Json, agent, at: now() };
    swarm?.listener.take();
    const decision = take(event);
    put(decision, agent, true);
    const verdict = verdictOf(decision, call);
    const heard = swarm?.listener.take() ?? null;
    if (heard === null || verdict.do === 'answer' || verdict.do === 'stop') return { verdict, known: true };
    return { verdict, known: true, number: guard.calls, asked: swarm?.seat.called(event, heard) };
  }

  function verdictOf(decision: Decision, call: HostCall): Verdict {
    if (decision.action === 'block') return { do: 'answer', text: decision.message };
    const desk = deskOf(decision.action === 'allow' ? call.agent : (decision.agent ?? call.agent));
    return desk.stop === null ? hold(desk, call) : stopped(desk.stop.reason);
  }

  function ask(agent: string | undefined): Promise<boolean> {
    const desk = deskOf(agent);
    const running = asking.get(desk.agent);
    if (running !== undefined) return running;
    const { question } = desk;
    if (question === null || onAsk === undefined) return Promise.resolve(false);
    const answered = (async () => {
      let said: Answer = false;
      try {
        said = await onAsk(question);
      } catch (error) {
        report(error, question);
      }
      asking.delete(desk.agent);
      answer(said, agent);
      return isYes(said);
    })();
    asking.set(desk.agent, answered);
    return answered;
  }

  function answer(said: Answer, agent?: string): void {
    const desk = deskOf(agent);
    const { question } = desk;
    if (question === null) return;
    if (!isYes(said)) {
      refuse(desk);
      stop(desk);
      return;
    }
    desk.question = null;
    const offered = said === true ? question.continuations?.find((n) => n > 0) : said;
    take(
      offered === undefined
        ? { type: 'control', do: 'approve', agent }
        : { type: 'control', do: 'grant', n: offered, agent },
    );
    keeper?.touch();
  }

  /** At once where nobody has to be waited for: an async function costs more than all the rest of it. */
  function judge(call: HostCall): Verdict | Promise<Verdict> {
    const { verdict: own, known, number, asked } = judged(call);
    const isFinal = (verdict: Verdict) => verdict.do !== 'hold' || onAsk === undefined;
    if (asked === undefined && isFinal(own)) return own;
    return (async () => {
      const verdict = asked === undefined ? own : verdictOf(await heed(asked, call.agent, number), call);
      if (isFinal(verdict)) return verdict;
      const yes = await ask(call.agent);
      return yes ? (known ? RUN : judge(call)) : judged(call).verdict;
    })();
  }

  function after(
    call: HostCall,
    { output, status = 'ok', errorType }: HostResult,
    { replaceable = false }: { readonly replaceable?: boolean } = {},
  ): string | null {
    hearRest(call.agent);
    if (deskOf(call.agent).stop !== null) return null;
    const { id, tool, args, agent } = call;
    const event: ToolResultEvent = {
      type: 'tool-result',
      id,
      tool,
      args: args as Json,
      agent,
      output: (output ?? '') as Json,
      status,
      errorType,
      at: now(),
    };
    const decision = take(event);
    const asked = swarm?.seat.ended(event, event);
    if (asked) heedLater(asked, agent);
    if (replaceable && decision.action === 'nudge' && decision.hint === 'stub') {
      take({ type: 'control', do: 'delivered', agent: decision.agent });
      keeper?.touch();
      return decision.message;
    }
    put(decision, call.agent, false);
    return null;
  }

  return {
    session,
    ready: () => keeper?.ready() ?? DONE,
    begin: () => keeper?.begin() ?? DONE,
    get isReady() {
      return swarm === undefined && (keeper?.isReady ?? true);
    },
    isIdle: (agent) => awaited.size === 0 && keeper?.isIdle !== false && deskOf(agent).question === null,
    user(text, { by, agent } = {}) {
      if (by !== 'host') {
        const desk = deskOf(agent);
        Object.assign(desk, { ...emptyDesk(desk.agent), usage: desk.usage });
      }
      accept({ type: 'user', text, by, agent, at: now() });
    },
    turn({ text, reasoning, usage, agent } = {}) {
      const desk = deskOf(agent);
      const all = sum(desk.usage, usage);
      const decision = accept({ type: 'turn', text, reasoning, usage: all ?? undefined, agent, at: now() });
      desk.usage = decision === null ? all : null;
    },
    spent(usage, agent) {
      const desk = deskOf(agent);
      desk.usage = sum(desk.usage, usage);
    },
    delta(channel, text, agent) {
      const isJoined = stretches !== null && typeof text === 'string';
      const stretch = isJoined ? stretches.add(channel, text, agent ?? '') : { channel, text };
      return stretch === null || hear(stretch, agent);
    },
    before(call) {
      const { verdict, asked } = judged(call);
      if (asked !== undefined) heedLater(asked, call.agent);
      return verdict;
    },
    check: async (call) => judge(call),
    judge,
    after,
    failed(call, error) {
      const { name, message } = error instanceof Error ? error : { name: undefined, message: String(error) };
      const status = name === 'AbortError' ? 'cancelled' : 'error';
      after(call, { output: message, status, errorType: name });
    },
    tell(event) {
      accept(event.at === undefined ? { ...event, at: now() } : event);
    },
    takeNudge(agent) {
      const desk = deskOf(agent);
      const { nudges } = desk;
      if (nudges.length === 0) return null;
      desk.nudges = [];
      for (const { about } of nudges) take({ type: 'control', do: 'delivered', agent, scope: about });
      keeper?.touch();
      const nudge: Nudge = {
        text: nudges.map(({ text }) => text).join('\n\n'),
        strongerModel: nudges.some(({ strongerModel }) => strongerModel),
      };
      if (nudge.strongerModel) attempt(() => onStrongerModel?.(nudge, agent), nudge);
      return nudge;
    },
    takeLastTurn(agent) {
      const desk = deskOf(agent);
      if (desk.stop?.lastTurn !== true) return false;
      desk.stop = { ...desk.stop, lastTurn: false };
      keeper?.touch();
      return true;
    },
    isOver(agent) {
      return deskOf(agent).stop?.lastTurn === false;
    },
    get stopped() {
      return deskOf().stop?.reason ?? null;
    },
    stoppedFor: (agent) => deskOf(agent).stop?.reason ?? null,
    questionFor: (agent) => deskOf(agent).question,
    async settle(agent) {
      if (awaited.size > 0) await Promise.all(awaited);
      if (deskOf(agent).question !== null) await ask(agent);
    },
    answer,
    resume(agent) {
      const desk = deskOf(agent);
      if (desk.question !== null) answer(true, agent);
      if (desk.stop === null) return;
      Object.assign(desk, { ...emptyDesk(desk.agent), usage: desk.usage });
      take({ type: 'control', do: 'approve', agent });
      keeper?.touch();
    },
    get state() {
      return state();
    },
    saved() {
      const kept = () => keeper?.saved() ?? DONE;
      return awaited.size === 0 ? kept() : Promise.all(awaited).then(kept);
    },
    swarm: swarm?.member ?? null,
  };
}

/** Whatever else comes from outside is no yes. */
function isYes(said: Answer): said is true | number {
  return said === true || (typeof said === 'number' && said > 0);
}

function stopped(reason: StopReason): Verdict {
  return { do: 'stop', text: reason.message, reason };
}

/** The call waits for the answer, if there is a question. */
function hold(desk: Desk, { id }: HostCall): Verdict {
  if (desk.question === null) return RUN;
  const { held = [] } = desk.question;
  if (id !== undefined && !held.includes(id))
    desk.question = { ...desk.question, held: [...held, id].slice(-MAX_HELD) };
  return { do: 'hold', text: desk.question.message, question: desk.question };
}

function sum(first: Usage | null, second: Usage | undefined): Usage | null {
  if (first === null || second === undefined) return second ?? first;
  return {
    input: first.input + second.input,
    output: first.output + second.output,
    cachedInput: (first.cachedInput ?? 0) + (second.cachedInput ?? 0),
  };
}
