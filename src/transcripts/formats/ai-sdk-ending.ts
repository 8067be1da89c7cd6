import type { Json, Status } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import { jsonText } from '../output.ts';

export type AiSdkEnding = { readonly status: Status; readonly output: Json };

/** How a call ended that gave something back; an MCP server says inside of it that it failed. */
export function aiSdkEnding(output: unknown): AiSdkEnding {
  const text = output === undefined || output === null ? '' : jsonText(output);
  return { status: fieldsOf(output)['isError'] === true ? 'error' : 'ok', output: text };
}

/** How a call ended that threw; the AI SDK has fixed words for those that never reached a tool. */
export function aiSdkFailure(text: string): AiSdkEnding {
  const head = text.slice(0, 400);
  if (head.includes("Model tried to call unavailable tool '"))
    return { status: 'unknown-tool', output: text };
  const refused = head.startsWith('Invalid input for tool ') || head.includes('InvalidToolInputError');
  return { status: refused ? 'invalid' : 'error', output: text };
}
