import { digestText } from '../../core/digest-text.ts';
import type { Run } from '../run.ts';
import type { Crew } from './crew.ts';
import type { RunningAgents } from './running-agents.ts';
import { type Block, STRUCTURED_OUTPUT, type ToolUse, wordsIn } from './shapes.ts';
import type { WatchedAgent } from './watched-agent.ts';

/**
 * What goes on with one `invocationState`. The SDK hands it on to agents that are tools, and to the nodes of a graph; but a program
 * may also give one to all that it calls.
 */
export type Work = {
  /** Those that are at it. */
  readonly running: RunningAgents;
  /** What a person has asked for last. */
  task: Task;
  /** The run of the agent that a person has spoken to first. */
  by: Run | null;
  /** Whether persons have spoken to agents of several runs. */
  isShared: boolean;
  /** What the latest node of a `Swarm` has handed on. */
  handoff: Handoff | null;
};

/** What a person has asked for, known by the object that it is. */
export type Task = { readonly type: 'task' };

/** What an agent was told in a task. */
export type Heard = { readonly task: Task; readonly texts: Set<number> };

type Handoff = { readonly to: string; readonly words: string };

/** A graph may go round, and an agent may go on by itself: so many times, other words are news to it. */
const MAX_NEWS = 4;
/** Agents of a run of which it is known what they were told. */
const MAX_HEARD = 64;
/** What a `Graph` puts before the words of another node, as a block of its own. */
const FROM_NODE = /^\[node: .+\]$/;

export function newTask(): Task {
  return { type: 'task' };
}

export function newWork(): Work {
  return { running: new Set(), task: newTask(), by: null, isShared: false, handoff: null };
}

/** A node of a `Swarm` says in its structured answer who goes on, and with what words. */
export function noteHandoff(work: Work | null, { name, input }: ToolUse): void {
  if (work === null || name !== STRUCTURED_OUTPUT || typeof input !== 'object' || input === null) return;
  const { agentId: to, message: words }: { agentId?: unknown; message?: unknown } = input;
  work.handoff = typeof to === 'string' && typeof words === 'string' ? { to, words } : null;
}

/**
 * Whether words from outside are a new task for the agent. Those of a person always are. Those of another agent or of a graph are if
 * they are the first ones in a task, or others than before, unless they come round again and again.
 */
export function isNews(agent: WatchedAgent, content: readonly Block[], text: string): boolean {
  const digest = digestText(text);
  if (agent.resumes === 0) place(agent, content, digest);
  const { crew, name = '', caller, resumes } = agent;
  const before = crew.heard.get(name);
  if (before?.task !== agent.task) {
    remember(crew, name, { task: agent.task, texts: new Set([digest]) });
    return true;
  }
  const { texts } = before;
  if (texts.has(digest)) return false;
  texts.add(digest);
  return resumes > 0 ? resumes < MAX_NEWS : caller !== null || texts.size <= MAX_NEWS;
}

/** Finds out who has sent the agent its words. */
function place(agent: WatchedAgent, content: readonly Block[], digest: number): void {
  const from = content.findIndex(({ type, text }) => type === 'textBlock' && FROM_NODE.test(String(text)));
  agent.isNode = from !== -1 || isHandedOn(agent, content);
  agent.prompt = from === -1 ? digest : digestText(wordsIn(content.slice(0, from)));
  const { caller, isNode, prompt } = agent;
  // All nodes of a graph have its prompt: one that calls a tool at the same time has not called this one.
  if (isNode && caller?.prompt === prompt) agent.caller = caller.caller;
  agent.task = taskOf(agent);
}

function isHandedOn({ agent, work }: WatchedAgent, content: readonly Block[]): boolean {
  const { to, words } = work?.handoff ?? {};
  return to === agent.id && content[0]?.text === words;
}

function taskOf({ run, work, caller, isNode }: WatchedAgent): Task {
  if (caller !== null) return caller.task;
  if (work === null) return newTask();
  if (isNode) return work.task;
  work.isShared ||= work.by !== null && work.by !== run;
  work.by ??= run;
  work.task = newTask();
  return work.task;
}

function remember({ heard }: Crew, name: string, told: Heard): void {
  heard.delete(name);
  heard.set(name, told);
  if (heard.size > MAX_HEARD) heard.delete(heard.keys().next().value as string);
}
