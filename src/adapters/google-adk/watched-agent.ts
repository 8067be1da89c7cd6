import type { Usage } from '../../core/types.ts';
import type { JsonPlace } from '../json-laps.ts';
import type { HostCall, HostResult, Run } from '../run.ts';
import { type Content, EXIT, type Scope, type ToolParams } from './shapes.ts';
import { noTasks, type Tasks } from './tasks.ts';

/** A call of which the run does not know yet what came of it. */
export type OpenCall = {
  readonly call: HostCall;
  /** What came of it, as far as it is known: somebody may still change it. */
  readonly result: HostResult | null;
};

/** What the agents of a run have in common. */
export type Shared = {
  /** What the guard has said to any of them: the others read it, too. */
  readonly nudges: Set<string>;
  /** How many tools have run, other than to hand over; and how many had, when an agent last did so, by its name. */
  calls: number;
  readonly handedOver: Map<string | undefined, number>;
};

/** One agent of a session under a run. What it does are functions of modules, which an engine compiles once for all sessions. */
export type WatchedAgent = {
  readonly run: Run;
  /** The agent's in the run; absent for the root agent, whose own name is `root`. */
  readonly name: string | undefined;
  readonly root: string | undefined;
  /** What ADK calls it. */
  readonly label: string | undefined;
  readonly fail: (error: unknown) => void;
  /** Whether somebody behind the guard may change results. */
  isFollowed: boolean;
  /** What it was given to do. */
  readonly tasks: Tasks;
  readonly shared: Shared;
  /** The run of a node that it takes part in; null = none, or that is over. */
  scope: Scope | null;
  /** Whether it is part of a workflow. */
  isNode: boolean;
  /** Whether it was run anew, and its model was not called yet. */
  isFresh: boolean;
  /** Whether it has called tools since it was run anew, other than to end. */
  hasCalled: boolean;
  /** Calls that run, by their ids. */
  readonly open: Map<string, OpenCall>;
  /** Calls of which the run knows all already: they were not run. */
  readonly settled: Set<string>;
  /** Tools that have ended the loop around it whenever they were last called: what ends a loop is no part of one. */
  readonly exits: Set<string>;
  /** The `stateDelta` of the response that is awaited, by which its event is known; null = it was heard. */
  awaited: object | null;
  /** A response with calls of tools that do not exist, whose names somebody may still repair. */
  doubtful: Content | null;
  /** Where reading a response that has to be JSON has come to; null = it may be anything. */
  json: JsonPlace | null;
  /** What was heard of a stream that has not become a response yet, unless it was cut. */
  text: string;
  thought: string;
  isCut: boolean;
  /** Whether the response that the model gives now was told; and what was told of its tokens. */
  isAnswered: boolean;
  spent: Required<Usage>;
  /** The tools of the response that is awaited, to which callbacks may still add some; null = `tools` has their names. */
  offered: object | null;
  tools: readonly string[];
};

/** ADK wants promises, of which one is enough. */
export const NOTHING: Promise<undefined> = Promise.resolve(undefined);

export const NO_USAGE: Required<Usage> = { input: 0, output: 0, cachedInput: 0 };

export function watchAgent(
  run: Run,
  name: string | undefined,
  root: string | undefined,
  label: string | undefined,
  shared: Shared,
  fail: (error: unknown) => void,
): WatchedAgent {
  return {
    run,
    name,
    root,
    label,
    fail,
    isFollowed: false,
    tasks: noTasks(),
    shared,
    scope: null,
    isNode: false,
    isFresh: true,
    hasCalled: false,
    open: new Map(),
    settled: new Set(),
    exits: new Set([EXIT]),
    awaited: null,
    doubtful: null,
    json: null,
    text: '',
    thought: '',
    isCut: false,
    isAnswered: false,
    spent: NO_USAGE,
    offered: null,
    tools: [],
  };
}

/** The names of the agent's tools, once its model has answered: toolsets make new tools for each request, which must not stay with the session. */
export function toolsOf(agent: WatchedAgent): readonly string[] {
  if (agent.offered !== null) agent.tools = Object.keys(agent.offered);
  agent.offered = null;
  return agent.tools;
}

/** Nothing for ADK, once all is saved. */
export function whenSaved({ run, name }: WatchedAgent): Promise<undefined> {
  return run.isIdle(name) ? NOTHING : run.saved().then(() => undefined);
}

export function callOf({ name }: WatchedAgent, { tool, toolArgs, toolContext }: ToolParams): HostCall {
  return { id: toolContext.functionCallId, tool: tool.name, args: toolArgs, agent: name };
}
