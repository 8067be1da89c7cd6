import type { Usage } from '../../core/types.ts';
import { createConversation, timeOf } from '../conversation.ts';
import { contentText, type Fields, fieldsOf, isFields, jsonOf, listOf, nameOf, textOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink, TranscriptRecord } from '../format.ts';
import { jsonText, outputOf } from '../output.ts';
import { usageIn, usageSum } from '../usage.ts';
import { type AiSdkEnding, aiSdkEnding, aiSdkFailure } from './ai-sdk-ending.ts';

/** Model messages of the AI SDK from version 4 on, and the steps of a run, which tell their usage. */
export const aiSdk: Format = {
  name: 'ai-sdk',
  title: 'AI SDK model messages',
  recognises({ records }: Sample): boolean {
    return records.some(isOfAiSdk);
  },
  open(sink: Sink): Reader {
    const talk = createConversation(sink);
    /** A run may be told twice, by its messages and by its steps: whoever begins is believed. */
    let told: 'messages' | 'steps' | null = null;
    let total: Usage | undefined;

    function part(value: unknown, at: number | undefined, line: number): void {
      const { type, text, toolCallId, toolName, input, args } = fieldsOf(value);
      const [id, tool] = [nameOf(toolCallId), nameOf(toolName)];
      if (type === 'reasoning') talk.say('reasoning', textOf(text) ?? '');
      else if (type === 'tool-call') {
        if (tool === undefined) sink.problem(line, 'a tool call without a name');
        else talk.add({ type: 'tool-call', id, tool, args: jsonOf(input ?? args), at }, line);
      } else if (type === 'tool-result' || type === 'tool-error') {
        talk.add({ type: 'tool-result', id, tool, ...endingOf(fieldsOf(value)), at }, line);
      }
    }

    function message(value: unknown, line: number): void {
      const fields = fieldsOf(value);
      const { role, content } = fields;
      const at = timeOf(fields);
      if (role === 'assistant') {
        talk.begin(nameOf(fields['id']), { at }, line);
        talk.say('text', contentTextOf(content));
        talk.spend(usageIn(fields['usage']));
        told = 'messages';
      } else if (role === 'user') talk.pass({ type: 'user', text: contentText(content), at }, line);
      else if (role === 'system')
        talk.pass({ type: 'user', by: 'host', text: contentText(content), at }, line);
      for (const item of listOf(content)) part(item, at, line);
    }

    function step(value: unknown, line: number): void {
      const { content, text, reasoningText, toolCalls, toolResults, usage, response, model } =
        fieldsOf(value);
      const spent = usageIn(usage);
      if (told === 'messages') {
        total = usageSum(total, spent);
        return;
      }
      told = 'steps';
      const { timestamp, modelId } = fieldsOf(response);
      const at = timeOf({ timestamp });
      talk.begin(undefined, { at, model: nameOf(fieldsOf(model)['modelId'] ?? modelId) }, line);
      talk.spend(spent);
      if (Array.isArray(content)) {
        talk.say('text', contentTextOf(content));
        for (const item of content) part(item, at, line);
        return;
      }
      talk.say('text', textOf(text) ?? '');
      talk.say('reasoning', textOf(reasoningText) ?? '');
      for (const item of listOf(toolCalls)) part({ type: 'tool-call', ...fieldsOf(item) }, at, line);
      for (const item of listOf(toolResults)) part({ type: 'tool-result', ...fieldsOf(item) }, at, line);
    }

    return {
      read({ line, key, value }) {
        const list = key === '' ? (isStep(value) ? 'steps' : 'messages') : key;
        if (list === 'steps') step(value, line);
        else if (list === 'messages') {
          if (told !== 'steps' || key === '') message(value, line);
        } else if (list === 'response' && told !== 'steps') {
          for (const item of listOf(fieldsOf(value)['messages'])) message(item, line);
        } else talk.beside(key, value);
      },
      flush() {
        talk.flush();
        sink.facts({ usage: total });
      },
    };
  },
};

/** Parts of reasoning have a text too. */
function contentTextOf(content: unknown): string {
  if (!Array.isArray(content)) return contentText(content);
  return contentText(content.filter((part) => fieldsOf(part)['type'] === 'text'));
}

function isOfAiSdk({ key, value }: TranscriptRecord): boolean {
  if (key === 'steps') return isStep(value);
  if (key !== '' && key !== 'messages') return false;
  if (key === '' && isStep(value)) return true;
  const { role, content } = fieldsOf(value);
  if (role !== 'assistant' && role !== 'tool') return false;
  return listOf(content).some((part) => {
    const { type, toolCallId } = fieldsOf(part);
    return (type === 'tool-call' || type === 'tool-result') && typeof toolCallId === 'string';
  });
}

function isStep(value: unknown): boolean {
  const { finishReason, usage, content, toolCalls, role, steps } = fieldsOf(value);
  if (role !== undefined || steps !== undefined || finishReason === undefined || !isFields(usage))
    return false;
  return Array.isArray(content) || Array.isArray(toolCalls);
}

/** How a call ended, in the words of a message, of a step, or of version 4. */
function endingOf({ type, output, result, error, isError }: Fields): AiSdkEnding {
  if (type === 'tool-error') return aiSdkFailure(errorText(error));
  const { type: kind, value, reason } = fieldsOf(output);
  switch (kind) {
    case 'text':
    case 'json':
      return aiSdkEnding(value);
    case 'content':
      return { status: 'ok', output: outputOf(value) };
    case 'error-text':
    case 'error-json':
      return aiSdkFailure(jsonText(value));
    case 'execution-denied':
      return { status: 'denied', output: textOf(reason) ?? '' };
    default: {
      const told = output ?? result;
      return isError === true ? aiSdkFailure(jsonText(told)) : aiSdkEnding(told);
    }
  }
}

function errorText(error: unknown): string {
  const { message } = fieldsOf(error);
  return textOf(message) ?? jsonText(error);
}
