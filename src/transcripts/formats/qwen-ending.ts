import type { Json, Status } from '../../core/types.ts';
import { type Fields, nameOf } from '../fields.ts';
import { geminiEnding } from './gemini-ending.ts';
import { QWEN_BRIDGE } from './qwen-call.ts';

/** What packages/core/src/tools/tool-error.ts calls them; `execution_denied` is a hook's or a rule's doing. */
const STATUS_OF_ERROR = new Map<unknown, Status>([
  ['invalid_tool_params', 'invalid'],
  ['tool_not_registered', 'unknown-tool'],
  ['execution_denied', 'blocked'],
]);

/** How a call ended: by `toolCallResult`, which a sub-agent's records lack, else by the response. */
export function qwenEnding(
  name: unknown,
  response: unknown,
  { status: told, errorType }: Fields,
): {
  readonly tool: string | undefined;
  readonly status: Status;
  readonly output: Json;
  readonly errorType: string | undefined;
} {
  const tool = name === QWEN_BRIDGE ? undefined : nameOf(name);
  const { status, output } = geminiEnding(tool, response, told);
  return {
    tool,
    status: (status === 'error' ? STATUS_OF_ERROR.get(errorType) : undefined) ?? status,
    output,
    errorType: nameOf(errorType),
  };
}
