import type { Usage } from '../../core/types.ts';
import {
  countOf,
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  jsonOf,
  nameOf,
  usageWithin,
} from '../fields.ts';
import type { Reader, Sink } from '../format.ts';
import { createTurns } from '../turns.ts';
import { joinedText, partsText } from './gemini-parts.ts';
import { qwenCall } from './qwen-call.ts';
import { qwenEnding } from './qwen-ending.ts';

/** Users who are none: what ended in the background, a timer, a goal. */
const HOST_SUBTYPES = new Set<unknown>(['notification', 'cron', 'goal_runtime']);
const [REMINDER, REMINDER_END] = ['<system-reminder>', '</system-reminder>'];

/** Reads the session files of Qwen Code. What `ui_telemetry` says of calls and tokens is said again where it belongs. */
export function openQwenSession(sink: Sink): Reader {
  const turns = createTurns(sink);
  /** The open response has no results yet, so that a sub-agent's next call still belongs to it. */
  let open = false;
  let sidechain: boolean | undefined;
  let told = '';

  function readFacts({ sessionId, agentId, isSidechain, cwd, version }: Fields): void {
    sidechain ??= isSidechain === true;
    const facts = {
      session: nameOf(sidechain ? agentId : sessionId),
      parent: sidechain ? nameOf(sessionId) : undefined,
      project: nameOf(cwd),
      version: nameOf(version),
    };
    const now = Object.values(facts).join('\n');
    if (now === told) return;
    told = now;
    sink.facts(facts);
  }

  function readUser(record: Fields, parts: readonly unknown[], at: number | undefined, line: number): void {
    const { subtype, provenance } = record;
    const byHost =
      sidechain === true ||
      HOST_SUBTYPES.has(subtype) ||
      (typeof provenance === 'string' && provenance !== 'real_user');
    let [person, host] = ['', ''];
    for (const part of parts) {
      const text = nameOf(fieldsOf(part)['text']) ?? '';
      const end = byHost ? text.length : reminderEnd(text);
      host = joinedText(host, text.slice(0, end));
      person = joinedText(person, text.slice(end).trimStart());
    }
    open = false;
    if (host !== '') turns.pass({ type: 'user', text: host, by: 'host', at }, line);
    if (person !== '') turns.pass({ type: 'user', text: person, at }, line);
  }

  function readResponse(
    record: Fields,
    parts: readonly unknown[],
    at: number | undefined,
    line: number,
  ): void {
    const agent = agentOf(record);
    const usage = fieldsOf(record['usageMetadata']);
    const text = partsText(parts, false);
    // A sub-agent's response is told in several records, the first with its usage.
    if (!(open && record['isSidechain'] === true && record['usageMetadata'] === undefined && text === '')) {
      turns.begin(nameOf(record['uuid']), { at, agent, model: nameOf(record['model']) }, line);
      open = true;
    }
    turns.say('text', text);
    turns.say('reasoning', partsText(parts, true));
    turns.spend(usageOfMetadata(usage));
    for (const part of parts) {
      const { functionCall } = fieldsOf(part);
      if (!isFields(functionCall)) continue;
      const call = qwenCall(functionCall['name'], jsonOf(functionCall['args']));
      if (call === null) sink.problem(line, 'a call without a tool');
      else turns.add({ type: 'tool-call', id: nameOf(functionCall['id']), ...call, at, agent }, line);
    }
  }

  function readResults(
    record: Fields,
    parts: readonly unknown[],
    at: number | undefined,
    line: number,
  ): void {
    const agent = agentOf(record);
    const result = fieldsOf(record['toolCallResult']);
    const responses = parts.map((part) => fieldsOf(part)['functionResponse']).filter(isFields);
    if (responses.length === 0 && typeof result['callId'] === 'string') {
      responses.push({ id: result['callId'], response: result['resultDisplay'] });
    }
    for (const { id, name, response } of responses) {
      const ending = qwenEnding(
        name,
        response,
        responses.length === 1 || result['callId'] === id ? result : {},
      );
      turns.add({ type: 'tool-result', id: nameOf(id), ...ending, at, agent }, line);
    }
    open = false;
  }

  function readSystem({ subtype, systemPayload }: Fields, at: number | undefined, line: number): void {
    const { modelId, parentSessionId } = fieldsOf(systemPayload);
    if (subtype === 'chat_compression') turns.pass({ type: 'compaction', at }, line);
    else if (subtype === 'session_model') sink.facts({ model: nameOf(modelId) });
    else if (subtype === 'parent_session') sink.facts({ parent: nameOf(parentSessionId) });
  }

  /** Sub-agents whose records stand among those of the session. */
  function agentOf({ isSidechain, agentId }: Fields): string | undefined {
    return sidechain !== true && isSidechain === true ? nameOf(agentId) : undefined;
  }

  return {
    read({ line, key, value }) {
      if (key !== '') {
        readNote(key, value, sink);
        return;
      }
      const record = fieldsOf(value);
      const { type, message } = record;
      if (typeof record['sessionId'] !== 'string') return;
      readFacts(record);
      if (isCopied(record)) return;
      const at = instantOf(record['timestamp']);
      if (type === 'system') {
        readSystem(record, at, line);
        return;
      }
      if (type !== 'user' && type !== 'assistant' && type !== 'tool_result') return;
      const { parts } = fieldsOf(message);
      if (!Array.isArray(parts)) sink.problem(line, 'a message without parts');
      else if (type === 'user') readUser(record, parts, at, line);
      else if (type === 'assistant') readResponse(record, parts, at, line);
      else readResults(record, parts, at, line);
    },
    flush: turns.close,
  };
}

/**
 * A branch begins with what its parent said. As in all formats that mark it, nothing of that is told again: it was
 * paid for, and looped or not, in the parent. Which model was chosen there still counts.
 */
function isCopied({ forkedFrom, subtype }: Fields): boolean {
  return isFields(forkedFrom) && subtype !== 'session_model';
}

/** The note beside the file of a sub-agent, member by member. */
function readNote(key: string, value: unknown, sink: Sink): void {
  if (key === 'agentId') sink.facts({ session: nameOf(value) });
  else if (key === 'parentSessionId') sink.facts({ parent: nameOf(value) });
  else if (key === 'createdAt') sink.facts({ startedAt: instantOf(value) });
  else if (key === 'model') sink.facts({ model: nameOf(value) });
}

/** Where the reminders end that the host puts before the person's words. */
function reminderEnd(text: string): number {
  if (!text.startsWith(REMINDER)) return 0;
  const end = text.lastIndexOf(REMINDER_END);
  return end < 0 ? text.length : end + REMINDER_END.length;
}

/** Thoughts stand beside the candidates' tokens for Gemini's models, and are a part of them for all others: the total tells. */
export function usageOfMetadata(metadata: Fields): Usage | undefined {
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, totalTokenCount } = metadata;
  const [sent, received] = [countOf(promptTokenCount), countOf(candidatesTokenCount)];
  const rest = (countOf(totalTokenCount) ?? 0) - (sent ?? 0) - (received ?? 0);
  const thoughts = Math.max(0, Math.min(countOf(thoughtsTokenCount) ?? 0, rest));
  return usageWithin(
    sent,
    received === undefined ? undefined : received + thoughts,
    metadata['cachedContentTokenCount'],
  );
}
