import type { Usage } from '../../core/types.ts';
import {
  argumentsOf,
  contentText,
  countOf,
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  listOf,
  nameOf,
  textOf,
  usageOf,
} from '../fields.ts';
import type { Reader, Sink } from '../format.ts';
import { outputOf } from '../output.ts';
import { createTurns } from '../turns.ts';
import { piStatus } from './pi-status.ts';

/** Roles of what extensions put into the conversation. */
const HOST_ROLES = new Set<unknown>(['custom', 'hookMessage']);
/** How OpenClaw begins words of its own: context, and what it has to tell of a task in the background. */
const INTERNAL = /^(?:<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>|\[[^\]\n]{1,60}\] A [a-z]+ (?:task|job) ")/;

/**
 * Reads the entries of a pi session, which OpenClaw keeps too, and what pi writes to stdout: there a message comes in
 * pieces, and whole with `message_end`. Branches that were left stay told: they were paid for.
 */
export function openPiSession(sink: Sink): Reader {
  const turns = createTurns(sink);
  /**
   * Entries before this time were copied from the session that this one was forked from. As in all formats that mark
   * it, nothing of that is told again: it was paid for, and looped or not, there.
   */
  let copiedBefore = 0;
  let model: string | undefined;

  function readHeader({ id, timestamp, cwd, modelId, parentSession, branchedFrom }: Fields): void {
    const startedAt = instantOf(timestamp);
    if (typeof (parentSession ?? branchedFrom) === 'string') copiedBefore = startedAt ?? 0;
    sink.facts({ session: nameOf(id), project: nameOf(cwd), startedAt });
    readModel(modelId);
  }

  function readModel(name: unknown): void {
    if (typeof name !== 'string' || name === '' || name === model) return;
    model = name;
    sink.facts({ model });
  }

  function readResponse(message: Fields, id: string | undefined, at: number | undefined, line: number): void {
    const { content, usage, stopReason, provider } = message;
    // OpenClaw notes so what it has sent to a channel.
    if (provider === 'openclaw') return;
    readModel(message['model']);
    turns.begin(id, { at, model }, line);
    turns.spend(usageOfPi(usage));
    const broken = stopReason === 'error' || stopReason === 'aborted';
    if (typeof content === 'string') turns.say('text', content);
    for (const block of listOf(content)) {
      const { type, text, thinking, id: call, name, arguments: args } = fieldsOf(block);
      if (type === 'text') turns.say('text', textOf(text) ?? '');
      else if (type === 'thinking') turns.say('reasoning', textOf(thinking) ?? '');
      else if (type === 'toolCall' && !broken) {
        // The calls of a response that broke off are never run.
        const tool = nameOf(name);
        if (tool === undefined) sink.problem(line, 'a call without a tool');
        else turns.add({ type: 'tool-call', id: nameOf(call), tool, args: argumentsOf(args), at }, line);
      }
    }
  }

  function readMessage(message: Fields, id: string | undefined, at: number | undefined, line: number): void {
    const { role, content, toolCallId, toolName } = message;
    if (role === 'assistant') readResponse(message, id, at, line);
    else if (role === 'toolResult') {
      const output = outputOf(content);
      const status = piStatus(message, contentText(content));
      turns.add(
        { type: 'tool-result', id: nameOf(toolCallId), tool: nameOf(toolName), status, output, at },
        line,
      );
    } else if (role === 'user') readUser(content, isHost(message), at, line);
    else if (HOST_ROLES.has(role)) readUser(content, true, at, line);
    else if (role === 'bashExecution' && message['excludeFromContext'] !== true) {
      readUser(message['command'], false, at, line);
    }
  }

  function readUser(content: unknown, byHost: boolean, at: number | undefined, line: number): void {
    const text = contentText(content);
    const by = byHost || INTERNAL.test(text) ? ('host' as const) : undefined;
    turns.pass({ type: 'user', text, by, at }, line);
  }

  return {
    read({ line, value }) {
      const entry = fieldsOf(value);
      const { type, timestamp, message: said } = entry;
      const at = instantOf(timestamp);
      if (type === 'session') readHeader(entry);
      else if (type === 'model_change') readModel(entry['modelId'] ?? entry['model']);
      else if ((at ?? instantOf(fieldsOf(said)['timestamp']) ?? copiedBefore) < copiedBefore) return;
      switch (type) {
        case 'message':
        case 'message_end': {
          const { message, id } = entry;
          if (isFields(message))
            readMessage(message, nameOf(id), at ?? instantOf(message['timestamp']), line);
          else sink.problem(line, 'a message without content');
          break;
        }
        case 'custom_message':
          readUser(entry['content'], true, at, line);
          break;
        case 'compaction':
        case 'reset':
          turns.pass({ type: 'compaction', at }, line);
          break;
        case 'auto_compaction_end':
        case 'compaction_end':
          if (isFields(entry['result'])) turns.pass({ type: 'compaction', at }, line);
      }
    },
    flush: turns.close,
  };
}

/** What is written into the cache is input. */
export function usageOfPi(usage: unknown): Usage | undefined {
  const { input, output, cacheRead, cacheWrite } = fieldsOf(usage);
  const sent = countOf(input);
  return usageOf(sent === undefined ? undefined : sent + (countOf(cacheWrite) ?? 0), output, cacheRead);
}

/** OpenClaw writes down where a user's message comes from, unless a person sent it. */
function isHost({ provenance }: Fields): boolean {
  const { kind } = fieldsOf(provenance);
  return typeof kind === 'string' && kind !== 'external_user';
}
