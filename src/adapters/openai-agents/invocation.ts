import type { LastingNudges } from '../lasting-nudges.ts';
import type { HostCall, Run } from '../run.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Verdict } from '../verdict.ts';
import type { Message } from './message.ts';
import { createSeats, markOf, type Seats } from './seats.ts';
import { type Agent, argumentsOf, type Context, type Item } from './shapes.ts';
import type { UsageMeter } from './usage-meter.ts';

/** What a response is asked for in. */
export type Circumstances = {
  /** It is the last turn. */
  readonly isLast: boolean;
  /** A question is open that nobody was asked yet. */
  readonly isAsked: boolean;
};
export const ORDINARY: Circumstances = { isLast: false, isAsked: false };

/** The responses of one agent. */
export type Voice = {
  /** It was asked before. */
  isHeard: boolean;
  /** It is heard as it speaks: its model is watched. */
  isLive: boolean;
  /** A response is on its way that the run does not know of. */
  isDue: boolean;
  /** What the response before has said: the SDK shows it only then. */
  late: { readonly text: string; readonly reasoning: string };
  /** A filter has seen to the next response already; its model may be watched all the same, by way of a runner. */
  filtered: Circumstances | null;
  /** The next response is without the tools in `guard.tools`, because the agent is stopped. */
  isBare: boolean;
  /** A question was open when the last response was asked for. */
  isAsked: boolean;
  /** It is stopped by a question that could not be asked, and has not heard of it. */
  isUnasked: boolean;
  /** What the model could not be told as the result of a call. */
  untold: string;
};

/** A call that a response has made. */
type Said = { readonly item: Item; readonly agent: Agent };

/** What is known of the calls and responses of an invocation. */
type Traces = {
  /** Calls that run now. */
  readonly open: Map<string, HostCall>;
  /** Calls that the run knows of. */
  readonly known: Set<string>;
  /** Calls that the run does not know of yet: so far no guardrail was asked about them. */
  readonly said: Map<string, Said>;
  /** Calls that run, or ran, although a question was open: the SDK has asked nobody. */
  readonly unheld: Set<string>;
  /** Calls of the last response that were looked at before a person was asked: by their input as the tool reads it. */
  readonly judged: Map<string, HostCall>;
  /** Those of them that must not run: a question that comes up in between must not free them. */
  readonly refused: Map<string, Verdict>;
  /** Calls that a person was asked about, and has said yes: one answer is for all. */
  readonly freed: Set<string>;
  readonly work: Work;
};

/** What was done, and how much of it when each agent last handed over. */
type Work = { calls: number; readonly handedOver: Map<string | undefined, number> };

/** One call of `run` under a guard, or of an agent that is a tool: in it one agent speaks after another, never two at once. */
export type Invocation = Traces & {
  readonly run: Run;
  /** The one that this is inside of, by way of a tool. */
  readonly around: Invocation | null;
  /** Of the runs inside of this one. */
  readonly seats: Seats;
  /** The runs inside of tools that it has called since its last response, by the ids of the calls. */
  readonly within: Map<string, Invocation>;
  /** Those of them that wait for a person, as the SDK has saved them, by the names of the tools and the ids of the calls. */
  paused: ReadonlyMap<string, string>;
  /** Calls in this run, and in those inside of it, that a person was asked about before it went on; true = and has said no. */
  readonly waited: Map<string, boolean>;
  /** It goes on from where it was, and the SDK looks for its tools before it does: with this context, or true = with the first that comes. */
  reader: Context | true | null;
  /** The provider keeps the conversation: the model is sent only what is new. */
  isManaged: boolean;
  /** The agent's task was told. */
  isTold: boolean;
  /** It was begun without a word to the guard: nobody may ever show its conversation. */
  readonly isPlain: boolean;
  /** The name that the guard knows an agent by; undefined = the main one, with which the run was begun. */
  idOf(agent: Agent): string | undefined;
  /** Whose context it is: not every hook tells the agent. */
  agentIn(context: Context): Agent | undefined;
  /** The agent has the word. */
  see(context: Context | undefined, agent: Agent): void;
  /** What a person has written, or an agent was asked for; null = it goes on from where it was. */
  message: Message | null;
  /** Tells the agent the message, unless it was told. */
  pass(agent: Agent): void;
  /** Nothing was said in its conversation so far, whatever was said in another. */
  renew(agent: Agent): void;
  /** A run begins inside of this one: whoever was seen since the last response belongs to that. */
  rest(): void;
  callOf(agent: Agent, id: string, tool: string, args: unknown): HostCall;
  /** Ends whatever is waited for. */
  signal: AbortSignal | undefined;
  /** Before a call runs. */
  check(call: HostCall, context: Context): Promise<Verdict>;
  /** Asks what there is to ask. */
  settle(agent: string | undefined): Promise<void>;
  /** The SDK runs the call now, whatever is open. */
  runs(call: HostCall): void;
  /** After it ran. A text = what the model may get instead of the result, if that may be any text (`isFree`). */
  finish(call: HostCall, output: unknown, status: 'ok' | 'error', isFree: boolean): string | null;
  /** The call threw. */
  fail(call: HostCall, error: unknown): void;
  /** Whatever threw has ended the run: so do the calls that were on their way. */
  failAll(error: unknown): void;
  voiceOf(agent: string | undefined): Voice;
  /** A response has come, or nothing can keep it from coming. */
  answered(agent: string | undefined, asked: Circumstances): void;
  /** The agent has answered: told once a response, before its calls. */
  turn(agent: string | undefined, context?: Context): void;
  /** Who answers, or has last; null = nobody has yet. */
  current: Agent | null;
  /** Whose tools were asked for last: its model answers next. */
  readonly asked: Agent;
  /** All items until the last response. */
  items: readonly Item[];
  /** All items until the last turn. */
  partial: readonly Item[] | null;
  nudgesOf(agent: string | undefined): LastingNudges;
};

/** The SDK shows it nobody. */
export const ABORTED: Verdict = { do: 'answer', text: 'The run was aborted.' };
export const NONE: ReadonlyMap<string, string> = new Map();
const SILENCE = { text: '', reasoning: '' } as const;

export type InvocationOptions = {
  readonly run: Run;
  /** The agent that it was begun with. */
  readonly agent: Agent;
  /** The one that has the word, where another process has begun it. */
  readonly speaker?: Agent | undefined;
  /** Inside of another all agents have names. */
  readonly around?: Invocation | undefined;
  /** And in runs that are not guarded. */
  readonly isInner?: boolean | undefined;
  /** It was begun without a word to the guard. */
  readonly isPlain?: boolean | undefined;
  readonly meter: UsageMeter;
  readonly nudgesOf: Invocation['nudgesOf'];
  /** A new conversation begins: nothing was said in it. */
  readonly forgetNudges: (agent: string | undefined) => void;
};

export function createInvocation({
  run,
  agent: first,
  speaker = first,
  around,
  isInner = around !== undefined,
  isPlain = false,
  meter,
  nudgesOf,
  forgetNudges,
}: InvocationOptions): Invocation {
  let asked = speaker;
  let latest: Context | undefined;
  let path = around === undefined ? '' : null;
  let mark = '';
  const traces: Traces = {
    open: new Map(),
    known: new Set(),
    said: new Map(),
    unheld: new Set(),
    judged: new Map(),
    refused: new Map(),
    freed: new Set(),
    work: { calls: 0, handedOver: new Map() },
  };
  const { open, known, said, unheld, judged, work } = traces;
  const voices = new Map<string | undefined, Voice>();
  const agents = new WeakMap<Context, Agent>();

  function end(call: HostCall): void {
    if (call.id === undefined) return;
    open.delete(call.id);
    judged.delete(call.id);
  }

  const invocation: Invocation = {
    run,
    around: around ?? null,
    ...traces,
    items: [],
    partial: null,
    signal: around?.signal,
    isManaged: false,
    isTold: true,
    isPlain,
    message: null,
    current: null,
    get asked() {
      return asked;
    },
    nudgesOf,
    seats: createSeats(() => path ?? ''),
    within: new Map(),
    paused: NONE,
    waited: around?.waited ?? new Map(),
    reader: null,
    idOf({ name }) {
      if (!isInner && name === first.name) return undefined;
      if (path === null) {
        path = around?.seats.take(name) ?? '';
        mark = markOf(path);
      }
      return name + mark;
    },
    agentIn: (context) => agents.get(context),
    see(context, agent) {
      if (context !== undefined && (asked !== agent || agents.get(context) !== agent))
        agents.set(context, agent);
      if (context !== undefined) latest = context;
      if (asked !== agent) invocation.pass(agent);
      asked = agent;
    },
    pass(agent) {
      const { message } = invocation;
      if (message === null || message.heardBy.has(agent.name)) return;
      message.heardBy.add(agent.name);
      const id = invocation.idOf(agent);
      if (message.isNew) forgetNudges(id);
      run.user(message.text, { agent: id });
    },
    renew(agent) {
      if (invocation.message !== null) invocation.message.isNew = true;
      forgetNudges(invocation.idOf(agent));
    },
    rest() {
      // What was spent until now is nobody else's.
      if (invocation.current !== null) invocation.turn(invocation.idOf(invocation.current));
      asked = invocation.current ?? speaker;
    },
    callOf: (agent, id, tool, args) => ({ id, tool, args: argumentsOf(args), agent: invocation.idOf(agent) }),
    async check(call, context) {
      if (!run.isReady) await run.ready();
      invocation.turn(call.agent, context);
      if (call.id !== undefined) {
        known.add(call.id);
        said.delete(call.id);
      }
      let verdict = run.judge(call);
      if (verdict instanceof Promise)
        verdict = await unlessAborted(verdict, invocation.signal).catch(() => ABORTED);
      if (verdict.do === 'run' && call.id !== undefined) {
        open.set(call.id, call);
        work.calls += 1;
      }
      return verdict;
    },
    settle: (agent) => unlessAborted(run.settle(agent), invocation.signal).catch(() => {}),
    runs(call) {
      if (call.id === undefined) return;
      unheld.add(call.id);
      open.set(call.id, call);
    },
    finish(call, output, status, isFree) {
      // It has failed, and its error function has said so.
      if (call.id !== undefined && !open.has(call.id)) return null;
      end(call);
      return run.after(
        call,
        { output, status },
        { replaceable: isFree && status === 'ok' && typeof output === 'string' },
      );
    },
    fail(call, error) {
      end(call);
      run.failed(call, error, invocation.signal);
    },
    failAll(error) {
      for (const call of [...open.values()]) invocation.fail(call, error);
    },
    voiceOf(agent) {
      const voice = voices.get(agent) ?? {
        isHeard: false,
        isLive: false,
        isDue: false,
        late: SILENCE,
        filtered: null,
        isBare: false,
        isAsked: false,
        isUnasked: false,
        untold: '',
      };
      voices.set(agent, voice);
      return voice;
    },
    answered(agent, { isLast, isAsked }) {
      if (isLast) run.takeLastTurn(agent);
      if (isAsked) invocation.voiceOf(agent).isAsked = true;
    },
    turn(agent, context = latest) {
      const voice = invocation.voiceOf(agent);
      if (!voice.isDue) return;
      const { text, reasoning } = voice.late;
      run.turn({ text, reasoning, usage: context && meter(context.usage), agent });
      Object.assign(voice, { isDue: false, late: SILENCE });
    },
  };
  return invocation;
}
