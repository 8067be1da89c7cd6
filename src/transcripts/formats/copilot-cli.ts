import type { Usage } from '../../core/types.ts';
import {
  argumentsOf,
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  listOf,
  nameOf,
  textOf,
  usageWithin,
} from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { createTurnsOfAgents } from '../turns-of-agents.ts';
import { usageSum } from '../usage.ts';
import { copilotCliStatus } from './copilot-cli-status.ts';

const EVENT = /^(?:session|user|assistant|tool|hook|system|permission|subagent|skill)\.[a-z_]{1,40}$/;
/** Calls whose results are to come. */
const MAX_CALLS = 1024;
/** Counted responses that are to come. */
const MAX_COUNTED = 64;

/** The `events.jsonl` of a session in `~/.copilot/session-state`. */
export const copilotCli: Format = {
  name: 'copilot-cli',
  title: 'Copilot CLI',
  recognises({ shape, records }: Sample): boolean {
    return shape === 'lines' && records.some(({ value }) => isEvent(fieldsOf(value)));
  },
  open,
};

/** Who does something, when, and where that stands. */
type Moment = { readonly agent: string | undefined; readonly at: number | undefined; readonly line: number };
type Counted = Moment & { readonly usage: Usage; readonly model: string | undefined };

function open(sink: Sink): Reader {
  const turns = createTurnsOfAgents(sink);
  const asked = new Map<string, 'model' | 'person'>();
  const counted = new Map<string, Counted>();
  let hasRecords = false;
  let model: string | undefined;

  function introduce(data: Fields): void {
    const { sessionId, selectedModel, copilotVersion, startTime, context } = data;
    const [session, project] = [nameOf(sessionId), nameOf(fieldsOf(context)['cwd'])];
    const parent = nameOf(data['detachedFromSpawningParentSessionId']);
    model = nameOf(selectedModel);
    const [version, startedAt] = [nameOf(copilotVersion), instantOf(startTime)];
    sink.facts({ session, project, parent, model, version, startedAt });
  }

  function choose(name: string | undefined): void {
    model = name ?? model;
    sink.facts({ model: name });
  }

  /** The tokens of a response are told before it. */
  function count(value: unknown, moment: Moment): void {
    const { apiCallId, model: named } = fieldsOf(value);
    const usage = usageOfCopilot(fieldsOf(value));
    if (usage === undefined) return;
    hasRecords = true;
    counted.set(nameOf(apiCallId) ?? '', { ...moment, usage, model: nameOf(named) ?? modelOf(moment.agent) });
    if (counted.size <= MAX_COUNTED) return;
    const [oldest, waiting] = counted.entries().next().value as [string, Counted];
    counted.delete(oldest);
    passCounted(waiting);
  }

  /** A response that never came, such as a summary. */
  function passCounted({ agent, at, line, usage, model: used }: Counted): void {
    const ofAgent = turns.of(agent);
    ofAgent.begin(undefined, { at, agent, model: used }, line);
    ofAgent.spend(usage);
    ofAgent.close();
  }

  /** Sub-agents may have another model than the one that the person chose. */
  function modelOf(agent: string | undefined): string | undefined {
    return agent === undefined ? model : undefined;
  }

  function respond(data: Fields, { agent, at, line }: Moment): void {
    const { apiCallId, messageId, content, reasoningText, toolRequests } = data;
    const ofAgent = turns.of(agent);
    const told = counted.get(nameOf(apiCallId) ?? '');
    counted.delete(nameOf(apiCallId) ?? '');
    const named = nameOf(data['model']);
    if (agent === undefined) model = named ?? model;
    const used = named ?? told?.model ?? modelOf(agent);
    ofAgent.begin(nameOf(apiCallId) ?? nameOf(messageId), { at, agent, model: used }, line);
    // What the message itself counts is its output alone.
    ofAgent.spend(told?.usage);
    ofAgent.say('reasoning', textOf(reasoningText) ?? '');
    ofAgent.say('text', textOf(content) ?? '');
    for (const value of listOf(toolRequests)) {
      const { toolCallId, name, arguments: given } = fieldsOf(value);
      ask(toolCallId, name, given, { agent, at, line });
    }
  }

  function ask(toolCallId: unknown, name: unknown, given: unknown, { agent, at, line }: Moment): void {
    const [id, tool] = [nameOf(toolCallId), nameOf(name)];
    if (tool === undefined) sink.problem(line, 'a call without the name of its tool');
    if (tool === undefined || asked.has(id ?? '')) return;
    remember(id, 'model');
    turns.of(agent).add({ type: 'tool-call', id, tool, args: argumentsOf(given), at, agent }, line);
  }

  function remember(id: string | undefined, by: 'model' | 'person'): void {
    if (id === undefined) return;
    asked.set(id, by);
    if (asked.size > MAX_CALLS) asked.delete(asked.keys().next().value as string);
  }

  function answer(data: Fields, { agent, at, line }: Moment): void {
    const { toolCallId, result, error } = data;
    const id = nameOf(toolCallId);
    const by = asked.get(id ?? '');
    asked.delete(id ?? '');
    if (by === 'person' || data['isUserRequested'] === true) return;
    const output = textOf(fieldsOf(result)['content']) ?? textOf(fieldsOf(error)['message']) ?? '';
    const status = copilotCliStatus(data, output);
    turns.of(agent).add({ type: 'tool-result', id, status, output, at, agent }, line);
  }

  function hear({ content, source, isAutopilotContinuation }: Fields, { agent, at, line }: Moment): void {
    const text = textOf(content) ?? '';
    const isPersons = agent === undefined && (nameOf(source) ?? 'user') === 'user';
    if (isPersons && isAutopilotContinuation !== true && !text.startsWith('<system_notification>')) {
      turns.of(agent).pass({ type: 'user', text, at }, line);
    } else turns.of(agent).add({ type: 'user', by: 'host', text, at, agent }, line);
  }

  return {
    read({ line, value }) {
      const { type, data: given, timestamp, agentId } = fieldsOf(value);
      if (typeof type !== 'string' || !EVENT.test(type)) return;
      if (!isFields(given)) {
        sink.problem(line, `an event of the type ${type} without data`);
        return;
      }
      const moment = {
        agent: nameOf(agentId) ?? nameOf(given['parentToolCallId']),
        at: instantOf(timestamp),
        line,
      };
      const { toolCallId, toolName, usage } = given;
      if (type === 'session.start') introduce(given);
      else if (type === 'session.model_change') choose(nameOf(given['newModel']));
      else if (type === 'session.usage_record') count(usage, moment);
      else if (type === 'assistant.usage') count(given, moment);
      else if (type === 'assistant.message') respond(given, moment);
      else if (type === 'tool.user_requested') remember(nameOf(toolCallId), 'person');
      else if (type === 'tool.execution_start') ask(toolCallId, toolName, given['arguments'], moment);
      else if (type === 'tool.execution_complete') answer(given, moment);
      else if (type === 'user.message') hear(given, moment);
      else if (type === 'system.notification') hear({ content: given['content'], source: 'system' }, moment);
      else if (type === 'session.compaction_complete' && given['success'] !== false) {
        turns.of(undefined).pass({ type: 'compaction', at: moment.at }, line);
      } else if (type === 'session.shutdown' && !hasRecords)
        sink.facts({ usage: totalIn(given['modelMetrics']) });
    },
    flush() {
      turns.close();
      for (const waiting of counted.values()) passCounted(waiting);
      counted.clear();
    },
  };
}

function isEvent({ type, data, id, timestamp, parentId }: Fields): boolean {
  if (typeof type !== 'string' || !EVENT.test(type) || !isFields(data)) return false;
  return typeof id === 'string' && typeof timestamp === 'string' && parentId !== undefined;
}

/** Cached tokens are a part of the input. */
export function usageOfCopilot({ inputTokens, outputTokens, cacheReadTokens }: Fields): Usage | undefined {
  return usageWithin(inputTokens, outputTokens, cacheReadTokens);
}

/** Tokens of the whole session, model by model. */
function totalIn(metrics: unknown): Usage | undefined {
  let total: Usage | undefined;
  for (const metric of Object.values(fieldsOf(metrics))) {
    total = usageSum(total, usageOfCopilot(fieldsOf(fieldsOf(metric)['usage'])));
  }
  return total;
}
