import type { StopReason } from '../adapters/stop-reason.ts';
import type { WatchOptions } from '../adapters/watch.ts';
import type { Json, Usage } from '../core/types.ts';
import type { Inabilities } from './abilities.ts';

export type ScriptedCall = { readonly id: string; readonly tool: string; readonly args: Json };
/** What the scripted model answers; without calls the host's loop ends. */
export type ScriptedTurn = {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: Usage;
};
export type ModelRequest = {
  /** Everything the model is sent, as one JSON text. */
  readonly sent: string;
  /** Whether it may call tools. */
  readonly tools: boolean;
};
/** The scripted model: the driver wires it into the host's own model interface, and calls it once a response. */
export type ScriptedModel = (request: ModelRequest) => ScriptedTurn;
export type ScriptedTool = (args: unknown) => Json | Promise<Json>;

export type HostSetup = {
  readonly model: ScriptedModel;
  /** Every tool takes any object. What one throws must reach the host as it is. */
  readonly tools: { readonly [name: string]: ScriptedTool };
  /** null = the host on its own, without deloop. */
  readonly options: WatchOptions | null;
  /** Where given: the user's own hooks are set, as many as the host has, and each tells its name when it runs. */
  readonly onOwnHook?: (name: string) => void;
};

export type Ending = {
  /** `held` = a person is asked in the host's own way; `stopped` = by deloop. */
  readonly ended: 'done' | 'held' | 'stopped';
  /** What the model said last, or what there is of it. */
  readonly text: string;
  /** As the adapter tells it to its user. */
  readonly reason: StopReason | null;
  /** What the host threw at its user. */
  readonly error?: unknown;
  /** Errors of tools, as objects, where the host shows them to its user. */
  readonly toolErrors?: readonly unknown[];
  /** The partial result as the adapter hands it over, where the run ended by an error. */
  readonly partial?: unknown;
};

/** A conversation in the host: what was said stays in its history. */
export type HostSession = {
  /** A person writes, and the agent runs until it ends. */
  send(prompt: string): Promise<Ending>;
  /** The person answers a held question in the host's own way, and the agent goes on. */
  answer?(yes: boolean): Promise<Ending>;
  /** After a stop: lets the agent go on where it was, without a new message where the host can do that. */
  resume(): Promise<Ending>;
  /** The state to save, as the adapter gives it. */
  state(): unknown;
};

/** A host with its adapter, as the suite drives it. */
export type AdapterHost = {
  readonly name: string;
  readonly cannot?: Inabilities;
  open(setup: HostSetup): HostSession | Promise<HostSession>;
};
