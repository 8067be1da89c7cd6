import { createLastingNudges, type LastingNudges } from '../lasting-nudges.ts';
import type { HostCall, Run } from '../run.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Verdict } from '../verdict.ts';
import { idIn, isRefusal } from './items.ts';
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
  /** How many items the model was sent last. */
  sent: number;
};

export type ToolCall = HostCall & { readonly id: string };

/** A call of the last response. */
export type Call = {
  /** As the response has made it, while the run does not know of it: so far no guardrail was asked about it. */
  said: { readonly item: Item; readonly agent: Agent } | null;
  /** As it was looked at, until it has ended: by its input as the tool reads it, where a person may be asked. */
  judged: ToolCall | null;
  /** It runs now. */
  isOpen: boolean;
  /** It must not run: a question that comes up in between must not free it. */
  refused: Verdict | null;
  /** A person was asked about it, and has said yes: one answer is for all. */
  isFreed: boolean;
  /** The run inside of it. */
  inner: Invocation | null;
};

/** What was done, and how much of it when each agent last handed over. */
type Work = { calls: number; readonly handedOver: Map<string | undefined, number> };

/** One call of `run` under a guard, or of an agent that is a tool: in it one agent speaks after another, never two at once. */
export type Invocation = {
  readonly run: Run;
  /** Calls that the run knows of. */
  readonly known: Set<string>;
  /** Calls that run, or ran, although a question was open: the SDK has asked nobody. */
  readonly unheld: Set<string>;
  /** Those of the last response. */
  readonly calls: Map<string, Call>;
  callAt(id: string): Call;
  /** A response has made the call, or of some no more than the result is shown. `false` = that is known. */
  say(item: Item, agent: Agent): boolean;
  readonly work: Work;
  /** The one that this is inside of, by way of a tool. */
  readonly around: Invocation | null;
  /** Of the runs inside of this one. */
  readonly seats: Seats;
  /** The runs inside of its calls that wait for a person, as the SDK has saved them, by the names of the tools and the ids of the calls. */
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
  /** That of the run, as it was seen last. */
  context: Context | undefined;
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
  callOf(agent: Agent, id: string, tool: string, args: unknown): ToolCall;
  /** Ends whatever is waited for. */
  signal: AbortSignal | undefined;
  /** Before a call runs. */
  check(call: ToolCall, context: Context): Promise<Verdict>;
  /** Asks what there is to ask. */
  settle(agent: string | undefined): Promise<void>;
  /** The SDK runs the call now, whatever is open. */
  runs(call: ToolCall): void;
  /** After it ran. A text = what the model may get instead of the result, if that may be any text (`isFree`). */
  finish(id: string, output: unknown, status: 'ok' | 'error', isFree: boolean): string | null;
  /** The call threw. */
  fail(id: string, error: unknown): void;
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
  asked: Agent;
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
  /** Of the run, by its agents. */
  readonly nudges: Map<string | undefined, LastingNudges>;
};

export function createInvocation({
  run,
  agent: first,
  speaker = first,
  around,
  isInner = around !== undefined,
  isPlain = false,
  meter,
  nudges,
}: InvocationOptions): Invocation {
  let path = around === undefined ? '' : null;
  let mark = '';
  const known = new Set<string>();
  const unheld = new Set<string>();
  const calls = new Map<string, Call>();
  const work: Work = { calls: 0, handedOver: new Map() };
  const voices = new Map<string | undefined, Voice>();
  const agents = new WeakMap<Context, Agent>();

  /** Null = it does not run: it has failed before, and its error function has said so. */
  function end(id: string): ToolCall | null {
    const { judged = null, isOpen = false } = calls.get(id) ?? {};
    if (!isOpen) return null;
    Object.assign(invocation.callAt(id), { judged: null, isOpen: false });
    return judged;
  }

  const invocation: Invocation = {
    run,
    around: around ?? null,
    known,
    unheld,
    calls,
    work,
    items: [],
    partial: null,
    signal: around?.signal,
    isManaged: false,
    isTold: true,
    isPlain,
    message: null,
    current: null,
    asked: speaker,
    nudgesOf(agent) {
      const said = nudges.get(agent) ?? createLastingNudges();
      nudges.set(agent, said);
      return said;
    },
    seats: createSeats(() => path ?? ''),
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
    context: undefined,
    agentIn: (context) => agents.get(context),
    see(context, agent) {
      if (context !== undefined) {
        agents.set(context, agent);
        invocation.context = context;
      }
      if (invocation.asked !== agent) invocation.pass(agent);
      invocation.asked = agent;
    },
    pass(agent) {
      const { message } = invocation;
      if (message === null || message.heardBy.has(agent.name)) return;
      message.heardBy.add(agent.name);
      const id = invocation.idOf(agent);
      if (message.isNew) nudges.delete(id);
      run.user(message.text, { by: message.by, agent: id });
    },
    renew(agent) {
      if (invocation.message !== null) invocation.message.isNew = true;
      nudges.delete(invocation.idOf(agent));
    },
    rest() {
      // What was spent until now is nobody else's.
      if (invocation.current !== null) invocation.turn(invocation.idOf(invocation.current));
      invocation.asked = invocation.current ?? speaker;
    },
    callAt(id) {
      const call = calls.get(id) ?? {
        said: null,
        judged: null,
        isOpen: false,
        refused: null,
        isFreed: false,
        inner: null,
      };
      calls.set(id, call);
      return call;
    },
    say(item, agent) {
      const id = idIn(item);
      if (known.has(id) || calls.get(id)?.said) return false;
      invocation.callAt(id).said = { item, agent };
      return true;
    },
    callOf: (agent, id, tool, args) => ({ id, tool, args: argumentsOf(args), agent: invocation.idOf(agent) }),
    async check(call, context) {
      if (!run.isReady) await run.ready();
      invocation.turn(call.agent, context);
      known.add(call.id);
      Object.assign(invocation.callAt(call.id), { said: null, judged: call });
      let verdict = run.judge(call);
      if (verdict instanceof Promise)
        verdict = await unlessAborted(verdict, invocation.signal).catch(() => ABORTED);
      if (verdict.do === 'run') {
        invocation.callAt(call.id).isOpen = true;
        work.calls += 1;
      }
      return verdict;
    },
    settle: (agent) => unlessAborted(run.settle(agent), invocation.signal).catch(() => {}),
    runs(call) {
      unheld.add(call.id);
      invocation.callAt(call.id).isOpen = true;
    },
    finish(id, output, status, isFree) {
      const call = end(id);
      if (call === null) return null;
      return run.after(
        call,
        { output, status },
        { replaceable: isFree && status === 'ok' && typeof output === 'string' },
      );
    },
    fail(id, error) {
      const call = end(id);
      if (call === null) return;
      if (isRefusal(error)) run.after(call, { output: error.message, status: 'invalid' });
      else run.failed(call, error, invocation.signal);
    },
    failAll(error) {
      for (const id of calls.keys()) invocation.fail(id, error);
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
        sent: 0,
      };
      voices.set(agent, voice);
      return voice;
    },
    answered(agent, { isLast, isAsked }) {
      if (isLast) run.takeLastTurn(agent);
      if (isAsked) invocation.voiceOf(agent).isAsked = true;
    },
    turn(agent, context = invocation.context) {
      const voice = invocation.voiceOf(agent);
      if (!voice.isDue) return;
      const { text, reasoning } = voice.late;
      run.turn({ text, reasoning, usage: context && meter(context.usage), agent });
      Object.assign(voice, { isDue: false, late: SILENCE });
    },
  };
  return invocation;
}
