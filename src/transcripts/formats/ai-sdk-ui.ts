import type { ToolResultEvent } from '../../core/types.ts';
import { createConversation, timeOf } from '../conversation.ts';
import { contentText, type Fields, fieldsOf, jsonOf, listOf, nameOf, textOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink, TranscriptRecord } from '../format.ts';
import { createRecent } from '../recent.ts';
import { usageIn } from '../usage.ts';
import { type AiSdkEnding, aiSdkEnding, aiSdkFailure } from './ai-sdk-ending.ts';

const TOOL = 'tool-';
const REMEMBERED = 1024;

/** UI messages of the AI SDK, as applications save them: a part of a message holds a call and its end. */
export const aiSdkUi: Format = {
  name: 'ai-sdk-ui',
  title: 'AI SDK UI messages',
  recognises({ records }: Sample): boolean {
    return records.some(isOfUi);
  },
  open(sink: Sink): Reader {
    const talk = createConversation(sink);
    const calls = createRecent(REMEMBERED);
    const ended = createRecent(REMEMBERED);

    function answer(message: Fields, line: number): void {
      const { id, metadata, parts } = message;
      const about = fieldsOf(metadata);
      const [at, model] = [timeOf(message) ?? timeOf(about), nameOf(about['model'] ?? about['modelId'])];
      let steps = 0;
      let begun = false;
      let results: ToolResultEvent[] = [];

      function settle(): void {
        for (const result of results) talk.add(result, line);
        results = [];
      }

      function begin(): void {
        if (begun) return;
        begun = true;
        steps += 1;
        talk.begin(nameOf(id) === undefined ? undefined : `${id}/${steps}`, { at, model }, line);
      }

      for (const value of listOf(parts)) {
        const part = fieldsOf(value);
        const { type, text } = part;
        if (type === 'step-start') {
          settle();
          begun = false;
        } else if (type === 'text' || type === 'reasoning') {
          begin();
          // The first version had the reasoning in a member of that name.
          talk.say(type, textOf(text ?? part['reasoning']) ?? '');
        } else {
          const call = callIn(part);
          if (call === null) continue;
          begin();
          if (call.tool === undefined) {
            sink.problem(line, 'a tool call without a name');
            continue;
          }
          const { id: callId, tool } = call;
          // A message that was saved again holds its calls again.
          const known = nameOf(id) === undefined || callId === undefined ? null : `${id}/${callId}`;
          if (known === null || calls.add(known)) {
            talk.add({ type: 'tool-call', id: callId, tool, args: jsonOf(call.input), at }, line);
          }
          const ending = endingOf(part, call);
          if (ending === null || (known !== null && !ended.add(known))) continue;
          results.push({ type: 'tool-result', id: callId, tool, ...ending, at });
        }
      }
      settle();
      talk.spend(usageIn(about['usage'] ?? about['totalUsage']));
    }

    return {
      read({ line, key, value }) {
        if (key !== '' && key !== 'messages') {
          talk.beside(key, value);
          return;
        }
        const message = fieldsOf(value);
        if (message['role'] === 'assistant') answer(message, line);
        else if (message['role'] === 'user' || message['role'] === 'system') {
          const by = message['role'] === 'user' ? undefined : 'host';
          const at = timeOf(message) ?? timeOf(fieldsOf(message['metadata']));
          talk.pass({ type: 'user', by, text: contentText(message['parts']), at }, line);
        }
      },
      flush: talk.flush,
    };
  },
};

type Call = {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly state: unknown;
};

/** Null = no call, or one of which the model was still writing the arguments. */
function callIn(part: Fields): Call | null {
  const { type, toolName, toolInvocation } = part;
  if (typeof type !== 'string') return null;
  // Version 4.
  if (type === 'tool-invocation') {
    const { toolCallId, toolName: tool, args, state } = fieldsOf(toolInvocation);
    return state === 'partial-call'
      ? null
      : { id: nameOf(toolCallId), tool: nameOf(tool), input: args, state };
  }
  if (type !== 'dynamic-tool' && !type.startsWith(TOOL)) return null;
  const { toolCallId, input, rawInput, state } = part;
  if (state === 'input-streaming') return null;
  const tool = type === 'dynamic-tool' ? nameOf(toolName) : nameOf(type.slice(TOOL.length));
  return { id: nameOf(toolCallId), tool, input: input ?? rawInput, state };
}

/** Null = it has not come to its end. */
function endingOf(part: Fields, { state, input }: Call): AiSdkEnding | null {
  const { output, errorText, approval, rawInput, preliminary } = part;
  switch (state) {
    case 'output-available':
      return preliminary === true ? null : aiSdkEnding(output);
    case 'result':
      return aiSdkEnding(fieldsOf(part['toolInvocation'])['result']);
    case 'output-error': {
      const ending = aiSdkFailure(textOf(errorText) ?? '');
      // Arguments that were refused are kept apart, raw.
      const refused = ending.status === 'error' && rawInput !== undefined && input === rawInput;
      return refused ? { ...ending, status: 'invalid' } : ending;
    }
    case 'output-denied':
      return { status: 'denied', output: textOf(fieldsOf(approval)['reason']) ?? '' };
    default:
      return null;
  }
}

function isOfUi({ key, value }: TranscriptRecord): boolean {
  if (key !== '' && key !== 'messages') return false;
  const { role, parts } = fieldsOf(value);
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return false;
  return listOf(parts).some((part) => {
    const { type, text, toolCallId, toolInvocation } = fieldsOf(part);
    if (type === 'text' || type === 'reasoning') return typeof text === 'string';
    if (type === 'step-start') return true;
    if (type === 'tool-invocation') return toolInvocation !== undefined;
    return typeof type === 'string' && typeof toolCallId === 'string';
  });
}
