import type { Json, Status, Usage } from '../core/types.ts';
import type { Fields } from '../transcripts/fields.ts';

/**
 * Where in a run a host asks its hooks. `call`: before a tool runs; `result`: after it ran; `batch`: all results of a model
 * response are in; `turn`: the model is about to be asked again; `prompt`: somebody has written; `permission`: a call
 * waits for a permission; `rest`: the agent has said its last word for now; `compaction`: the conversation is cut short; `usage`: a
 * model response was counted.
 */
type Place = 'call' | 'result' | 'batch' | 'turn' | 'prompt' | 'permission' | 'rest' | 'compaction' | 'usage';

/** A call as a hook is shown it, and how it ended. */
export type Ending = {
  readonly id: string | undefined;
  readonly tool: string;
  readonly args: Json;
  readonly status: Status;
  readonly output: Json;
};

/** Tokens of one model response, which is known by its id: what is told of it last counts. */
export type Spent = { readonly id: string; readonly usage: Usage };

type At<Name extends Place> = {
  readonly place: Name;
  /** The host's own name of the event, which some answers must repeat. */
  readonly event: string;
  readonly session: string;
  /** Absent for the main agent. */
  readonly agent: string | undefined;
  /** Milliseconds since the epoch, where the host says. */
  readonly at: number | undefined;
  readonly cwd: string | undefined;
  /** The file that the host writes the session down in. */
  readonly transcript: string | undefined;
};

/** What a host tells a hook, whatever its words. */
export type Signal =
  | (At<'call'> & {
      readonly id: string | undefined;
      readonly tool: string;
      readonly args: Json;
      /** The number of the model response, where the host counts them. */
      readonly round: number | undefined;
    })
  | (At<'result'> & Ending)
  | (At<'batch'> & { readonly endings: readonly Ending[] })
  | (At<'prompt'> & {
      readonly text: string;
      /** A person wrote it, not the host; `unless` = only when it does not carry the id of the one before. */
      readonly by: 'person' | 'host' | 'unless-known';
      readonly id: string | undefined;
    })
  | (At<'usage'> & { readonly spent: readonly Spent[] })
  | At<'turn'>
  | At<'permission'>
  | At<'rest'>
  | At<'compaction'>;

/** What is to be answered. `halt` where the place cannot end a run is a refusal, and where it cannot refuse either, a word to the model. */
export type Reply =
  | { readonly action: 'allow' }
  | { readonly action: 'nudge' | 'block' | 'halt'; readonly message: string }
  /** The message is for the person; `reason` = what the model is told after a no. */
  | { readonly action: 'ask'; readonly message: string; readonly reason: string };

/** How to find calls in a transcript that hooks were never asked about; tokens are read there, too. */
export type MissedCalls = {
  /** The name of the transcript's format. */
  readonly format: string;
  /** Words, as they stand in the file, without which there is no such call; what is looked for first, because it is quick. */
  readonly markers: readonly string[];
};

/** One coding agent: what its payloads say, and the answers that it understands. */
export type Host = {
  /** As in `deloop hook AGENT`. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Whether a text that is answered here gets through to the model. */
  reaches(signal: Signal): boolean;
  /** Whether a single call can be refused. */
  readonly blocks: boolean;
  /** Whether a person can be asked, without harm where nobody is there. */
  readonly asks: boolean;
  /** Where a run can be ended. */
  readonly halts: readonly Place[];
  /** Whether this call is still to come by such a place, if it is let pass here. */
  comesBy?(call: Signal & { readonly place: 'call' }): boolean;
  /** Its own detector acts at so many identical calls, and then ours has come too late. */
  readonly actsAt: number | undefined;
  /** Payloads without ids are told apart by the time in them: the same payload again is a hook that is installed twice. */
  readonly stamped?: boolean;
  /** Where calls stand that no hook is asked about: those of tools that do not exist, and those whose arguments are refused. */
  readonly missed?: MissedCalls;
  /** How a call ended, by the end of the transcript, where the payload does not say; undefined = it does not say either. */
  endingIn?(tail: string, id: string): Status | undefined;
  /** Null = nothing for a guard, or nothing of this host's. */
  decode(payload: Fields, env: Environment): Signal | null;
  /** The whole answer; null = none, which lets the host go on. */
  encode(reply: Reply, signal: Signal): Json;
};

export type Environment = { readonly [name: string]: string | undefined };
