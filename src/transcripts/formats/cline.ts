import type { AgentEvent } from '../../core/types.ts';
import {
  blocksOf,
  contentText,
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  jsonOf,
  nameOf,
  textOf,
  usageWithin,
} from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { createTurns } from '../turns.ts';
import { clineResult } from './cline-result.ts';
import { isClineStream, readClineStream } from './cline-stream.ts';
import { createTagReader } from './cline-tags.ts';

/**
 * `<session>.messages.json`, and the `api_conversation_history.json` of the editor's extension: a list of messages.
 * Beside them `cline --json`, as lines. `ui_messages.json` shows a run again and is no session of its own, nor is the
 * card `<session>.json`.
 */
export const cline: Format = {
  name: 'cline',
  title: 'Cline',
  recognises({ shape, records }: Sample): boolean {
    if (shape === 'lines') return records.some(({ value }) => isClineStream(value));
    const keys = new Set(records.map(({ key }) => key));
    if (keys.has('sessionId') && keys.has('updated_at') && keys.has('agent')) return true;
    return records.some(({ key, value }) => key === '' && isTask(value));
  },
  open(sink: Sink): Reader {
    const turns = createTurns(sink);
    const tags = createTagReader(turns);
    const streamed = readClineStream(sink);
    let model: string | undefined;

    function readResponse(message: Fields, line: number): void {
      const { content, ts, modelInfo, metrics } = message;
      const { id, modelId } = fieldsOf(modelInfo);
      const at = instantOf(ts);
      model = nameOf(id) ?? nameOf(modelId) ?? model;
      turns.begin(undefined, { at, model }, line);
      turns.spend(usageIn(metrics));
      let native = false;
      for (const item of blocksOf(content)) {
        const { type, text, thinking, id: call, name, input } = fieldsOf(item);
        if (type === 'text') turns.say('text', textOf(text) ?? '');
        else if (type === 'thinking') turns.say('reasoning', textOf(thinking) ?? '');
        else if (type === 'tool_use') {
          native = true;
          if (typeof name !== 'string') sink.problem(line, 'a call without a name');
          else turns.add({ type: 'tool-call', id: nameOf(call), tool: name, args: jsonOf(input), at }, line);
        }
      }
      // Before it had native calls, the model wrote them into its text.
      if (!native) tags.call(contentText(content), at, line);
    }

    function readPrompt({ content, ts, metadata }: Fields, line: number): void {
      const at = instantOf(ts);
      const { kind, displayRole } = fieldsOf(metadata);
      const injected = kind !== undefined || displayRole !== undefined;
      const blocks = blocksOf(content);
      const answers = blocks.some((block) => fieldsOf(block)['type'] === 'tool_result');
      const texts: string[] = [];
      for (const item of blocks) {
        const block = fieldsOf(item);
        const { type, text } = block;
        if (type === 'text' && typeof text === 'string') texts.push(text);
        else if (type === 'tool_result') {
          const { tool_use_id: id, name, content: output, is_error } = block;
          const tool = nameOf(name);
          turns.add(
            { type: 'tool-result', id: nameOf(id), tool, ...clineResult(output, is_error === true), at },
            line,
          );
        }
      }
      if (textOf(kind)?.startsWith('compaction')) turns.pass({ type: 'compaction', at }, line);
      for (const event of promptsOf(tags.result(texts, at, line), injected, answers)) {
        turns.pass({ ...event, at }, line);
      }
    }

    return {
      read(record) {
        const { line, key, value } = record;
        if (key === 'messages' || key === '') {
          const message = fieldsOf(value);
          if (message['role'] === 'assistant') readResponse(message, line);
          else if (message['role'] === 'user') readPrompt(message, line);
          else if (message['type'] !== undefined) streamed.read(record);
          else sink.problem(line, 'a message without a role');
        } else if (key === 'sessionId') sink.facts({ session: nameOf(value) });
        else if (key === 'origin') {
          const { parentThreadId, version } = fieldsOf(value);
          sink.facts({ parent: nameOf(parentThreadId), version: nameOf(version) });
        } else if (key === 'system_prompt') sink.facts({ project: folderIn(value) });
      },
      flush() {
        turns.close();
        streamed.flush();
      },
    };
  },
};

/** What was read from the cache is a part of the input, in both ways of counting. */
function usageIn(metrics: unknown): ReturnType<typeof usageWithin> {
  const { inputTokens, outputTokens, cacheReadTokens, tokens } = fieldsOf(metrics);
  if (!isFields(tokens)) return usageWithin(inputTokens, outputTokens, cacheReadTokens);
  return usageWithin(tokens['prompt'], tokens['completion'], tokens['cached']);
}

type Prompt = Extract<AgentEvent, { readonly type: 'user' }>;

/** The person's words, and what was put beside them. */
function promptsOf(texts: readonly string[], injected: boolean, answers: boolean): readonly Prompt[] {
  const [person, host]: [string[], string[]] = [[], []];
  for (const text of texts) {
    const words = injected ? undefined : wordsIn(text);
    if (words !== undefined) person.push(words);
    else if (injected || answers || HOST_TEXT.test(text)) host.push(text);
    else person.push(text);
  }
  const prompts: Prompt[] = [];
  if (person.length > 0) prompts.push({ type: 'user', text: person.join('\n') });
  if (host.length > 0) prompts.push({ type: 'user', text: host.join('\n'), by: 'host' });
  return prompts;
}

const HOST_TEXT = /^\s{0,20}(?:<environment_details>|<hook_context|\[ERROR\]|\[TASK RESUMPTION\])/;
const PERSON_TAG = /<(user_input|user_command|task|feedback|answer|user_message)\b[^>]{0,200}>/;
/** The tag of a person's words stands at the head, after a notice at most. */
const HEAD = 600;

function wordsIn(text: string): string | undefined {
  const found = PERSON_TAG.exec(text.slice(0, HEAD));
  if (found === null) return undefined;
  const end = text.lastIndexOf(`</${found[1]}>`);
  return text.slice(found.index + found[0].length, end < 0 ? undefined : end).trim();
}

const FOLDER = 'Working Directory: ';

function folderIn(prompt: unknown): string | undefined {
  const text = textOf(prompt) ?? '';
  const at = text.indexOf(FOLDER);
  if (at < 0) return undefined;
  const end = text.indexOf('\n', at);
  return nameOf(text.slice(at + FOLDER.length, end < 0 ? undefined : end).trim());
}

/** A message of the editor's extension, which is an Anthropic message but for what it writes into it. */
function isTask(value: unknown): boolean {
  const { role, content, ts, modelInfo } = fieldsOf(value);
  if (role !== 'user' && role !== 'assistant') return false;
  if (typeof ts === 'number' && typeof fieldsOf(modelInfo)['modelId'] === 'string') return true;
  return blocksOf(content).some((block) =>
    /^\s{0,20}<(?:task|environment_details)>/.test(textOf(fieldsOf(block)['text']) ?? ''),
  );
}
