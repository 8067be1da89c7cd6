import { type Fields, instantOf, nameOf } from '../fields.ts';
import type { SessionFacts, Sink } from '../format.ts';

/** Whose session it is, and who speaks in it. */
export type ClaudeCodeSession = {
  /** Passes on what a record says of the session. */
  introduce(record: Fields): void;
  /** The same of a record that another session began with, which says nothing of when this one did. */
  belong(record: Fields): void;
  tell(name: Fact, value: string | undefined): void;
  /** The sub-agent that a record belongs to; undefined = the agent whose file it is. */
  agentOf(record: Fields): string | undefined;
  /** Whether the file is a sub-agent's own, so that nobody speaks in it but agents. */
  readonly ofSubAgent: boolean;
};
type Fact = 'session' | 'parent' | 'project' | 'version' | 'model';

/** Records of sub-agents without an id, by which the next record finds its sub-agent. */
const MAX_LINKS = 1024;

export function createClaudeCodeSession(sink: Sink): ClaudeCodeSession {
  const facts: { -readonly [Name in keyof SessionFacts]: SessionFacts[Name] } = {};
  const links = new Map<string, string>();
  /** The sub-agent whose own file this is; null = the file of a main agent. */
  let owner: string | null | undefined;

  function tell(name: Fact, value: string | undefined): void {
    if (value === undefined || facts[name] === value) return;
    facts[name] = value;
    sink.facts({ [name]: value });
  }

  /** Before sub-agents had ids: the first record of the chain of parents stands for the sub-agent. */
  function linked(uuid = 'sidechain', parent = ''): string {
    const agent = links.get(parent) ?? uuid;
    links.set(uuid, agent);
    if (links.size > MAX_LINKS) links.delete(links.keys().next().value as string);
    return agent;
  }

  function belong({ sessionId, session_id, cwd, version }: Fields): void {
    if (typeof owner !== 'string') tell('session', nameOf(sessionId) ?? nameOf(session_id));
    if (facts.project === undefined) tell('project', nameOf(cwd));
    tell('version', nameOf(version));
  }

  return {
    belong,
    introduce(record) {
      const { timestamp } = record;
      belong(record);
      if (facts.startedAt !== undefined) return;
      facts.startedAt = instantOf(timestamp);
      sink.facts({ startedAt: facts.startedAt });
    },
    tell,
    agentOf({ isSidechain, agentId, sessionId, parent_tool_use_id, uuid, parentUuid }) {
      if (isSidechain === false) owner = null;
      if (isSidechain !== true) return nameOf(parent_tool_use_id);
      const agent = nameOf(agentId);
      if (agent === undefined) return linked(nameOf(uuid), nameOf(parentUuid));
      if (owner === undefined) {
        owner = agent;
        tell('session', agent);
        tell('parent', nameOf(sessionId));
      }
      return agent === owner ? undefined : agent;
    },
    get ofSubAgent() {
      return typeof owner === 'string';
    },
  };
}
