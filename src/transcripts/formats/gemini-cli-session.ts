import {
  countOf,
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  jsonOf,
  listOf,
  nameOf,
  textOf,
  usageWithin,
} from '../fields.ts';
import type { Reader, Sink } from '../format.ts';
import { createRecent } from '../recent.ts';
import { createTurns } from '../turns.ts';
import { geminiEnding } from './gemini-ending.ts';
import { isHostWords, workspaceOf } from './gemini-host-words.ts';
import { joinedText, partsText } from './gemini-parts.ts';

/** Messages whose update may still come. */
const MESSAGES = 512;
const CALLS = 1024;
/** What the host answers to its own summary, in the model's name. */
const ACKNOWLEDGEMENT = 'Got it. Thanks for the additional context!';

/** Reads the session files of Gemini CLI. A message is written again when its calls have ended, and after a compaction all are. */
export function openGeminiSession(sink: Sink): Reader {
  const turns = createTurns(sink);
  const messages = createRecent(MESSAGES);
  const called = createRecent(CALLS);
  const answered = createRecent(CALLS);
  const compacted = createRecent(MESSAGES);
  /** The message that the open response is, and what of it was said. */
  let open = { id: '', text: false, reasoning: false };
  let began = false;
  let subagent = false;
  let model: string | undefined;

  function answer(
    id: string,
    tool: string | undefined,
    response: unknown,
    told: unknown,
    at: unknown,
    line: number,
  ): void {
    if (!called.has(id) || !answered.add(id)) return;
    const ending = geminiEnding(tool, response, told);
    turns.add({ type: 'tool-result', id, tool, ...ending, at: instantOf(at) }, line);
  }

  function readCall(value: unknown, fallback: string, at: number | undefined, line: number): void {
    const { id, name, args, result, status, timestamp } = fieldsOf(value);
    const tool = nameOf(name);
    if (tool === undefined) return;
    const call = nameOf(id) ?? fallback;
    if (called.add(call)) turns.add({ type: 'tool-call', id: call, tool, args: jsonOf(args), at }, line);
    if (isOpen(status) || (result == null && status === undefined)) return;
    answer(call, tool, responseOf(result, call), status, timestamp, line);
  }

  function readResponse(message: Fields, id: string, line: number): void {
    const { content, thoughts, tokens, toolCalls, timestamp } = message;
    const [at, calls, parts] = [instantOf(timestamp), listOf(toolCalls), listOf(content)];
    // The host writes messages in the model's name too, which nobody paid for.
    if (message['model'] === undefined && !isFields(tokens) && calls.length === 0) return;
    if (messages.add(id)) {
      open = { id, text: false, reasoning: false };
      turns.begin(id, { at }, line);
    }
    if (open.id === id) {
      if (!open.text)
        open.text = say('text', typeof content === 'string' ? content : partsText(parts, false));
      if (!open.reasoning) open.reasoning = say('reasoning', thoughtsOf(thoughts) || partsText(parts, true));
      turns.spend(usageOfTokens(fieldsOf(tokens)));
    }
    for (const part of parts) {
      const { functionCall } = fieldsOf(part);
      if (nameOf(fieldsOf(functionCall)['id']) !== undefined) readCall(functionCall, '', at, line);
    }
    for (const [index, call] of calls.entries()) readCall(call, `${id}#${index}`, at, line);
    if (nameOf(message['model']) !== undefined && message['model'] !== model) {
      model = nameOf(message['model']);
      sink.facts({ model });
    }
  }

  function say(part: 'text' | 'reasoning', text: string): boolean {
    turns.say(part, text);
    return text !== '';
  }

  function readUser({ content, timestamp }: Fields, id: string, byHost: boolean, line: number): void {
    const at = instantOf(timestamp);
    const known = !messages.add(id);
    let [person, host] = ['', ''];
    for (const part of typeof content === 'string' ? [content] : listOf(content)) {
      const { text, functionResponse } = fieldsOf(part);
      const { id: call, name, response } = fieldsOf(functionResponse);
      if (typeof call === 'string') answer(call, nameOf(name), response, undefined, timestamp, line);
      const words = textOf(part) ?? textOf(text) ?? '';
      if (byHost || isHostWords(words)) host = joinedText(host, words);
      else person = joinedText(person, words);
    }
    if (known) return;
    if (host.startsWith('<session_context>')) sink.facts({ project: workspaceOf(host) });
    if (person !== '') turns.pass({ type: 'user', text: person, at }, line);
    if (host !== '') turns.pass({ type: 'user', text: host, by: 'host', at }, line);
  }

  function readMessage(value: unknown, byHost: boolean, line: number): void {
    const message = fieldsOf(value);
    const id = nameOf(message['id']);
    const { type } = message;
    if (type !== 'user' && type !== 'gemini') return;
    if (id === undefined) {
      sink.problem(line, 'a message without an id');
      return;
    }
    began = true;
    if (type === 'user') readUser(message, id, byHost, line);
    else readResponse(message, id, line);
  }

  /** The whole conversation once more, as the host now has it: after the first message, only a compaction is news. */
  function readCheckpoint(list: readonly unknown[], line: number): void {
    if (!began) {
      for (const message of list) readMessage(message, true, line);
      return;
    }
    for (const message of list) {
      const { id, type, content, timestamp } = fieldsOf(message);
      if (
        type !== 'gemini' ||
        typeof id !== 'string' ||
        partsText(listOf(content), false) !== ACKNOWLEDGEMENT
      )
        continue;
      if (compacted.add(id)) turns.pass({ type: 'compaction', at: instantOf(timestamp) }, line);
    }
  }

  function readFacts({ sessionId, startTime, directories, kind }: Fields): void {
    if (kind !== undefined) subagent = kind === 'subagent';
    sink.facts({
      session: nameOf(sessionId),
      startedAt: instantOf(startTime),
      project: nameOf(listOf(directories)[0]),
    });
  }

  return {
    read({ line, key, value }) {
      if (key === 'messages') readMessage(value, subagent, line);
      else if (key === 'directories') readFacts({ directories: [value] });
      else if (key !== '') readFacts({ [key]: value });
      else {
        const record = fieldsOf(value);
        const update = record['$set'];
        if (isFields(update)) {
          readFacts(update);
          readCheckpoint(listOf(update['messages']), line);
        } else if (record['type'] !== undefined) readMessage(record, subagent, line);
        else {
          readFacts(record);
          for (const message of listOf(record['messages'])) readMessage(message, subagent, line);
        }
      }
    },
    flush() {
      turns.close();
      open = { id: '', text: false, reasoning: false };
    },
  };
}

/** States of a call that still runs, or waits. */
function isOpen(status: unknown): boolean {
  return typeof status === 'string' && status !== 'success' && status !== 'error' && status !== 'cancelled';
}

/** What was answered to one call: a message with the answers to all calls of a round may stand here. */
function responseOf(result: unknown, call: string): unknown {
  if (!Array.isArray(result)) return result;
  const responses = result.map((part) => fieldsOf(fieldsOf(part)['functionResponse']));
  const found =
    responses.find(({ id }) => id === call) ?? responses.find(({ response }) => response !== undefined);
  return found?.['response'];
}

export function usageOfTokens({
  input,
  output,
  cached,
  thoughts,
  tool,
}: Fields): ReturnType<typeof usageWithin> {
  const sent = countOf(input);
  const received = countOf(output);
  return usageWithin(
    sent === undefined ? undefined : sent + (countOf(tool) ?? 0),
    received === undefined ? undefined : received + (countOf(thoughts) ?? 0),
    cached,
  );
}

function thoughtsOf(thoughts: unknown): string {
  let text = '';
  for (const thought of listOf(thoughts)) {
    const { subject, description } = fieldsOf(thought);
    text = joinedText(text, [textOf(subject), textOf(description)].filter(Boolean).join(': '));
  }
  return text;
}
