import type { Json, Status } from '../../core/types.ts';
import { contentText, type Fields, fieldsOf, nameOf, textOf } from '../../transcripts/fields.ts';
import { geminiEnding, geminiFailure } from '../../transcripts/formats/gemini-ending.ts';
import { isHostWords } from '../../transcripts/formats/gemini-host-words.ts';
import type { Host, Reply, Signal } from '../host.ts';
import { callOf, commonOf } from '../payload.ts';

/** What packages/core/src/tools/tool-error.ts calls them. */
const STATUS_OF_ERROR = new Map<unknown, Status>([
  ['invalid_tool_params', 'invalid'],
  ['tool_not_registered', 'unknown-tool'],
]);

/** Gemini CLI: hooks in its settings. Seen in 0.61.0. Payloads have no ids of calls or of agents. */
export const geminiCli: Host = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  reaches: ({ place }) => place === 'result',
  blocks: true,
  // `ask` hangs for ever where nobody is there.
  asks: false,
  halts: ['call', 'result'],
  actsAt: 5,
  stamped: true,
  missed: { format: 'gemini-cli', markers: ['\\" not found', '"params must ', '"params/'] },
  decode(payload) {
    const common = commonOf(payload);
    if (common === null) return null;
    const { event } = common;
    const call = callOf(payload, undefined);
    if (event === 'BeforeTool') return call && { ...common, ...call, place: 'call', round: undefined };
    if (event === 'AfterTool' && call !== null)
      return { ...common, ...call, place: 'result', ...responseOf(call.tool, payload['tool_response']) };
    if (event === 'BeforeAgent') {
      const text = textOf(payload['prompt']) ?? '';
      const by = text === '' || isHostWords(text) ? 'host' : 'person';
      return { ...common, place: 'prompt', text, by, id: undefined };
    }
    if (event === 'AfterAgent') return { ...common, place: 'rest' };
    // It comes before every model response, whether or not anything is compressed then.
    if (event === 'PreCompress') return { ...common, place: 'turn' };
    return null;
  },
  encode(reply: Reply, { place, event }: Signal): Json {
    if (reply.action === 'allow') return null;
    const { action, message } = reply;
    if (action === 'nudge')
      return { hookSpecificOutput: { hookEventName: event, additionalContext: message } };
    if (action === 'halt') return { continue: false, stopReason: message };
    return place === 'call' ? { decision: 'deny', reason: message } : null;
  },
};

/** `{llmContent, returnDisplay, error}`: what the model sees, and whether it failed; a shell's exit code stands in the text. */
export function responseOf(
  tool: string,
  response: unknown,
): { readonly status: Status; readonly output: Json } {
  const { llmContent, error } = fieldsOf(response);
  const output = contentText(llmContent) || textOf(fieldsOf(error)['message']) || '';
  if (error === undefined || error === null) return geminiEnding(tool, { output });
  return { status: failureOf(fieldsOf(error), output), output };
}

function failureOf({ type }: Fields, output: string): Status {
  return STATUS_OF_ERROR.get(nameOf(type)) ?? geminiFailure(output);
}
