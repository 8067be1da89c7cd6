import { digestText } from '../../core/digest-text.ts';
import type { AgentEvent, Intervention } from '../../core/types.ts';
import type { Attributes } from './api.ts';

/** Longer names are cut: a model may call a tool by any text. */
const MAX_NAME = 64;
/** Ids are longer: a session's may be made of the app's, the user's and its own. */
const MAX_ID = 256;
const MAX_DIGEST = 12;

/** What a decision is about: names, numbers and digests. Never arguments, outputs or messages. */
export function attributesOf(
  { action, level, finding, call, agent }: Intervention,
  event: AgentEvent,
  session: string | undefined,
  mode: string,
): Attributes {
  const { detector, subject, count, evidence } = finding;
  const tool = toolOf(finding, event);
  return {
    'deloop.action': action,
    ...(level !== undefined && { 'deloop.level': level }),
    'deloop.detector': detector,
    'deloop.subject': whole(subject),
    'deloop.count': count,
    'deloop.call': call,
    'deloop.evidence': [...evidence],
    'deloop.event': event.type,
    'deloop.mode': mode,
    ...(tool !== undefined && { 'gen_ai.tool.name': tool }),
    ...(session !== undefined && { 'gen_ai.conversation.id': whole(session) }),
    ...(agent !== undefined && { 'gen_ai.agent.id': whole(agent) }),
  };
}

/** The tool that a finding is about, or that the event is. */
export function toolOf({ facts }: Intervention['finding'], event: AgentEvent): string | undefined {
  const told = facts?.['tool'] ?? ('tool' in event ? event.tool : undefined);
  return typeof told === 'string' ? brief(told) : undefined;
}

function brief(name: string): string {
  return name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name;
}

/** As it is, so that it can be searched for; one that is far too long is cut and told apart by a digest. */
function whole(id: string): string {
  return id.length > MAX_ID ? `${id.slice(0, MAX_ID - MAX_DIGEST)}~${digestText(id).toString(36)}` : id;
}
