// Counts items of OpenAI's Responses straight from their JSON.
import { figures, messagesOf, time } from '../messages-of.mjs';

const HOSTED = /^(?:web_search|file_search|code_interpreter|image_generation|mcp)_call$|^hosted_tool_call$/;

export function count(text) {
  const { messages, beside } = messagesOf(text, 'input', 'output', 'items', 'data');
  const isCall = ({ type }) => /_call$/.test(type);
  const isResult = ({ type }) => /_call_(?:output|result)$/.test(type);
  const isModel = (item) => item.role === 'assistant' || item.type === 'reasoning' || isCall(item);
  const ended = messages.filter((item) => isResult(item) || HOSTED.test(item.type));
  return figures({
    calls: messages.filter(isCall).map(({ created_at }) => ({ at: time(created_at) })),
    results: ended.map((item) => ({ at: time(item.created_at), failed: failed(item) })),
    turns: messages
      .filter((item, index) => isModel(item) && !(index > 0 && isModel(messages[index - 1])))
      .map(() => ({})),
    total: beside.usage && {
      input: beside.usage.input_tokens - (beside.usage.input_tokens_details?.cached_tokens ?? 0),
      output: beside.usage.output_tokens,
      cached: beside.usage.input_tokens_details?.cached_tokens,
    },
  });
}

function failed({ type, status, error, output }) {
  if (type === 'shell_call_output')
    return output.some(({ outcome }) => outcome.type !== 'exit' || outcome.exit_code !== 0);
  if (type === 'apply_patch_call_output' || HOSTED.test(type))
    return Boolean(error) || status === 'failed' || status === 'incomplete';
  return false;
}
