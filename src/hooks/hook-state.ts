import { DeloopError } from '../core/errors.ts';
import { resembles, type Shape } from '../core/snapshot.ts';
import type { Json } from '../core/types.ts';
import { MAX_AGENTS } from '../core/world.ts';

/** What is known of one agent of a session beside what the guard remembers. */
export type AgentNotes = {
  /** Empty = the main agent. */
  readonly agent: string;
  /** The host tells where model responses end, so that nothing has to be guessed. */
  told: boolean;
  /** The next call begins a model response. */
  fresh: boolean;
  /** The number of the response, where the host counts them; -1 = it does not. */
  round: number;
  /** When the response began, in milliseconds since the epoch. */
  since: number;
  /** Calls of the response that have not ended, by their keys. */
  open: string[];
  /** Calls of the response that a hook was asked about, by their keys. */
  shown: string[];
  /** What the model has not been told yet; empty = nothing. */
  nudge: string;
  /** Why nothing more may run until a person speaks; empty = it may. */
  stop: string;
  /** When a call was last refused because of it. */
  stoppedAt: number;
  /** A call ran all the same, because the host never came by the place where it would have been stopped. */
  slipped: boolean;
  /** The question that a person must be asked before the next call; empty = none. */
  question: string;
  /** What the model is told where nobody answers it. */
  reason: string;
  /** 1 = a question was put that nobody has answered with yes. */
  asked: number;
  /** When the response began in which it was put. */
  askedIn: number;
  /** The call that the last question was about, by its key. */
  about: string;
  /** How much of the transcript was looked at, in bytes; -1 = nothing yet. */
  offset: number;
  /** The last responses whose tokens were counted, and how many. */
  counted: (readonly [id: string, input: number, cached: number, output: number])[];
  /** Tokens that the guard has not been told of yet. */
  unpaid: readonly [input: number, cached: number, output: number];
};

/** What lives between two hooks of a session. */
export type HookState = {
  readonly version: 1;
  /** What the guard remembers; null = nothing yet. */
  guard: Json;
  /** Most recently active first. */
  readonly agents: AgentNotes[];
  /** The id of the last prompt; empty = it had none. */
  prompt: string;
  /** When the agent last came to rest, in milliseconds since the epoch. */
  restedAt: number;
  /** Digests of the last payloads, where these have no ids. */
  payloads: string[];
  /** Calls that a person has allowed, by their digests. */
  allowed: string[];
  /** What is to be told to the swarm, and what it said; null = nothing. */
  swarm: Json;
};

const VERSION = 1;
const NOTES: Shape = {
  agent: '',
  told: true,
  fresh: true,
  round: 0,
  since: 0,
  open: [''],
  shown: [''],
  nudge: '',
  stop: '',
  stoppedAt: 0,
  slipped: true,
  question: '',
  reason: '',
  asked: 0,
  askedIn: 0,
  about: '',
  offset: 0,
  counted: [['', 0, 0, 0]],
  unpaid: [0, 0, 0],
};
const STATE: Shape = {
  version: VERSION,
  guard: null,
  agents: [NOTES],
  prompt: '',
  restedAt: 0,
  payloads: [''],
  allowed: [''],
  swarm: null,
};

export function newHookState(): HookState {
  return {
    version: VERSION,
    guard: null,
    agents: [],
    prompt: '',
    restedAt: 0,
    payloads: [],
    allowed: [],
    swarm: null,
  };
}

/** A saved state, as it was; throws when it is damaged or comes from a newer deloop. */
export function parseHookState(saved: unknown): HookState {
  const state = completed(saved);
  if (!resembles(state, STATE)) throw new DeloopError('state', 'the state of the session is damaged');
  return state as HookState;
}

/** A state may have been saved before there were swarms, tokens and words for persons in it. */
function completed(saved: unknown): unknown {
  const { swarm = null, agents } = (saved ?? {}) as Partial<HookState>;
  if (!Array.isArray(agents)) return saved;
  const whole = agents.map((notes: Partial<AgentNotes> | null) => ({
    counted: [],
    unpaid: [0, 0, 0],
    reason: notes?.question ?? '',
    ...notes,
  }));
  return { ...(saved as HookState), swarm, agents: whole };
}

/** The notes on an agent, put first among those remembered. */
export function notesOn(state: HookState, agent: string | undefined): AgentNotes {
  const name = agent ?? '';
  const { agents } = state;
  const index = agents.findIndex((notes) => notes.agent === name);
  const notes = index < 0 ? newNotes(name) : (agents[index] as AgentNotes);
  if (index >= 0) agents.splice(index, 1);
  agents.unshift(notes);
  if (agents.length > MAX_AGENTS)
    agents.splice(
      agents.findLastIndex((other) => other.agent !== ''),
      1,
    );
  return notes;
}

function newNotes(agent: string): AgentNotes {
  return {
    agent,
    told: false,
    fresh: true,
    round: -1,
    since: 0,
    open: [],
    shown: [],
    nudge: '',
    stop: '',
    stoppedAt: 0,
    slipped: false,
    question: '',
    reason: '',
    asked: 0,
    askedIn: 0,
    about: '',
    offset: -1,
    counted: [],
    unpaid: [0, 0, 0],
  };
}
