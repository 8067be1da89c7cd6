import type { Json, Status } from '../../core/types.ts';
import { type Fields, fieldsOf, listOf, nameOf, numberOf } from '../fields.ts';
import { jsonText, outputOf, unseen } from '../output.ts';

/** How a call ended. */
export type ResponsesEnding = { readonly status: Status; readonly output: Json };

/** In an item of its own; of a function there is no sign how it went. */
export function endingOf({ type, status, output }: Fields): ResponsesEnding {
  if (type === 'shell_call_output') return { status: shellStatus(output), output: shellText(output) };
  if (type !== 'apply_patch_call_output') return { status: 'unknown', output: outputOf(output) };
  return { status: status === 'failed' ? 'error' : 'ok', output: outputOf(output) };
}

/** In the item of the call: what ran at the provider. */
export function hostedEnding(
  { id, status, error, output, outputs, results }: Fields,
  line: number,
): ResponsesEnding {
  if (error !== undefined && error !== null) {
    const { message } = fieldsOf(error);
    return { status: 'error', output: nameOf(message) ?? jsonText(error) };
  }
  const told = output ?? outputs ?? results ?? undefined;
  return {
    status: status === 'failed' || status === 'incomplete' ? 'error' : 'ok',
    output: told === undefined ? unseen(nameOf(id) ?? line) : outputOf(told),
  };
}

/** Of several commands, the first that went wrong. */
function shellStatus(output: unknown): Status {
  const endings = listOf(output).map((part) => fieldsOf(fieldsOf(part)['outcome']));
  if (endings.length === 0) return 'unknown';
  const wrong = endings.some(
    ({ type, exit_code, exitCode }) => type !== 'exit' || numberOf(exit_code ?? exitCode) !== 0,
  );
  return wrong ? 'error' : 'ok';
}

function shellText(output: unknown): Json {
  if (!Array.isArray(output)) return outputOf(output);
  const texts: string[] = [];
  for (const part of output) {
    const { stdout, stderr } = fieldsOf(part);
    for (const text of [stdout, stderr]) if (typeof text === 'string' && text !== '') texts.push(text);
  }
  return texts.join('\n');
}
