import type { Usage } from '../../core/types.ts';
import {
  blocksOf,
  contentText,
  countOf,
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  jsonOf,
  nameOf,
  textOf,
  usageOf,
} from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { lineWith, withoutMember } from '../member.ts';
import { outputOf } from '../output.ts';
import { createRecent } from '../recent.ts';
import { createTurnsOfAgents } from '../turns-of-agents.ts';
import { isClaudeCode } from './claude-code-sample.ts';
import { createClaudeCodeSession } from './claude-code-session.ts';
import { claudeCodeStatus } from './claude-code-status.ts';

/** What Claude Code says in a person's place; a text with `<command-message>` in front is a prompt that a person called up. */
const HOST_TEXT =
  /^\s{0,80}(?:<(?:system-reminder|local-command-|command-name|bash-|task-notification|user-prompt-submit-hook|ide_|teammate-message)|\[Request interrupted by user|Caveat: The messages below|Stop hook feedback:)/;
const CALLS: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

/** A file may hold records twice, the second time after all the others. */
const REMEMBERED_RECORDS = 4096;

const isProgress = lineWith('type', 'progress');
/** The result once more, with the whole of a file that was changed: it says nothing beyond whether it was interrupted. */
const withoutResult = withoutMember('toolUseResult', 'message', '"interrupted":true');

/**
 * Sessions in `~/.claude/projects`, and what `--output-format stream-json` prints. What `progress` records repeat of
 * sub-agents stands whole in the files of those.
 */
export const claudeCode: Format = {
  name: 'claude-code',
  title: 'Claude Code',
  recognises({ shape, records }: Sample): boolean {
    return shape === 'lines' && records.some(({ value }) => isClaudeCode(value));
  },
  lean: (line) => (isProgress(line) ? '' : withoutResult(line)),
  open,
};

function open(sink: Sink): Reader {
  const turns = createTurnsOfAgents(sink);
  const session = createClaudeCodeSession(sink);
  const records = createRecent(REMEMBERED_RECORDS);
  let compacted = false;

  function readResponse(record: Fields, { id, model, content, usage }: Fields, line: number): void {
    // An error of the API, or a stop-gap, in the shape of a response.
    if (model === '<synthetic>' || record['isApiErrorMessage'] === true) return;
    const [agent, at] = [session.agentOf(record), instantOf(record['timestamp'])];
    const ofAgent = turns.of(agent);
    ofAgent.begin(nameOf(id), { at, agent, model: nameOf(model) }, line);
    ofAgent.spend(spent(usage));
    for (const value of blocksOf(content)) {
      const block = fieldsOf(value);
      const { type, name, input, text, thinking, id: callId } = block;
      if (type === 'text') ofAgent.say('text', textOf(text) ?? '');
      else if (type === 'thinking') ofAgent.say('reasoning', textOf(thinking) ?? '');
      else if (CALLS.has(type)) {
        const tool = nameOf(name);
        if (tool === undefined) sink.problem(line, 'a call without the name of its tool');
        else
          ofAgent.add({ type: 'tool-call', id: nameOf(callId), tool, args: jsonOf(input), at, agent }, line);
      } else if (typeof type === 'string' && type.endsWith('_tool_result')) {
        readResult(record, block, agent, line);
      }
    }
  }

  function readResult(record: Fields, block: Fields, agent: string | undefined, line: number): void {
    const { tool_use_id, content, is_error } = block;
    const [output, at] = [outputOf(content), instantOf(record['timestamp'])];
    const failed = is_error === true || isFailure(content);
    const status = claudeCodeStatus(record, failed, contentText(content));
    turns.of(agent).add({ type: 'tool-result', id: nameOf(tool_use_id), status, output, at, agent }, line);
  }

  function readMessage(record: Fields, { content }: Fields, line: number): void {
    const agent = session.agentOf(record);
    const hosts = isHosts(record) || agent !== undefined || session.ofSubAgent;
    const said: string[] = [];
    const told: string[] = [];
    let beside = false;
    for (const value of blocksOf(content)) {
      const block = fieldsOf(value);
      const text = textOf(block['text']) ?? '';
      if (block['type'] === 'tool_result') {
        readResult(record, block, agent, line);
        // What stands beside a result is a note of the host's.
        beside = true;
      } else if (hosts || beside || HOST_TEXT.test(text)) told.push(text);
      else said.push(text);
    }
    if (told.length > 0) hear(told.join('\n'), 'host', record, agent, line);
    if (said.length > 0) hear(said.join('\n'), undefined, record, agent, line);
  }

  function hear(
    text: string,
    by: 'host' | undefined,
    record: Fields,
    agent: string | undefined,
    line: number,
  ): void {
    const event = { type: 'user', text, by, at: instantOf(record['timestamp']), agent } as const;
    if (by === 'host') turns.of(agent).add(event, line);
    else turns.of(agent).pass(event, line);
  }

  /** What a person says while the model works comes as an attachment, and so does what hooks add. */
  function readAttachment(record: Fields, line: number): void {
    const { type, prompt, content, isMeta, origin, commandMode = 'prompt' } = fieldsOf(record['attachment']);
    if (type !== 'hook_additional_context' && type !== 'queued_command') return;
    const agent = session.agentOf(record);
    const { kind = 'human' } = fieldsOf(origin);
    const isPersons =
      type === 'queued_command' && commandMode === 'prompt' && isMeta !== true && kind === 'human';
    const by = isPersons && agent === undefined && !session.ofSubAgent ? undefined : 'host';
    hear(contentText(type === 'queued_command' ? prompt : content), by, record, agent, line);
  }

  function compact(record: Fields, line: number): void {
    const agent = session.agentOf(record);
    turns.of(agent).pass({ type: 'compaction', at: instantOf(record['timestamp']), agent }, line);
  }

  function readSystem(record: Fields, line: number): void {
    const { subtype, model, claude_code_version } = record;
    if (subtype === 'compact_boundary') {
      compacted = true;
      compact(record, line);
    } else if (subtype === 'init') {
      session.introduce(record);
      session.tell('model', nameOf(model));
      session.tell('version', nameOf(claude_code_version));
    }
  }

  return {
    read({ line, value }) {
      const record = fieldsOf(value);
      const { type, uuid, message, isCompactSummary, event } = record;
      if (isCopied(record)) {
        session.belong(record);
        return;
      }
      if (typeof uuid === 'string' && !records.add(uuid)) return;
      if (type === 'assistant' || type === 'user') {
        session.introduce(record);
        if (!isFields(message)) sink.problem(line, `a record of the type ${type} without a message`);
        else if (type === 'assistant') readResponse(record, message, line);
        else {
          if (isCompactSummary === true && !compacted) compact(record, line);
          compacted = false;
          readMessage(record, message, line);
        }
      } else if (type === 'attachment') readAttachment(record, line);
      else if (type === 'system') readSystem(record, line);
      else if (type === 'stream_event') {
        const { type: kind, usage } = fieldsOf(event);
        if (kind === 'message_delta') turns.of(session.agentOf(record)).spend(spent(usage));
      }
    },
    flush: turns.close,
  };
}

/**
 * A branch begins with what its parent said. As in all formats that mark it, nothing of that is told again: it was
 * paid for, and looped or not, in the parent.
 */
function isCopied({ forkedFrom }: Fields): boolean {
  return isFields(forkedFrom);
}

/** Tokens of a response: what is written into the cache is input, what is read from it is counted beside it. */
export function spent(value: unknown): Usage | undefined {
  const { input_tokens, cache_creation_input_tokens, output_tokens, cache_read_input_tokens } =
    fieldsOf(value);
  const input = countOf(input_tokens);
  if (input === undefined) return undefined;
  const written = countOf(cache_creation_input_tokens) ?? 0;
  return usageOf(input + written, output_tokens, cache_read_input_tokens);
}

/** A tool that ran at the provider's says in its content that it failed. */
function isFailure(content: unknown): boolean {
  const { type } = fieldsOf(content);
  return typeof type === 'string' && type.endsWith('_tool_result_error');
}

/** Whatever the text: the host wrote it, or passed on what another agent wrote. */
function isHosts(record: Fields): boolean {
  const { isMeta, isCompactSummary, isSynthetic, sourceToolUseID, origin, promptSource } = record;
  if (isMeta === true || isCompactSummary === true || isSynthetic === true) return true;
  const { kind = 'human' } = fieldsOf(origin);
  return sourceToolUseID !== undefined || kind !== 'human' || promptSource === 'system';
}
