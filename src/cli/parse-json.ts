import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { DeloopError } from '../core/errors.ts';

/** JSON with or without a byte order mark; what is wrong is told with file, line and column. */
export function parseJson(text: string, where: string): unknown {
  const bare = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return JSON.parse(bare);
  } catch (cause) {
    throw new DeloopError('option', `${where}${firstFault(bare)}`, { cause });
  }
}

/** The engine's own message does not always say where. */
function firstFault(text: string): string {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch {
    // Nested deeper than the stack: what was found until then must do.
  }
  const [fault] = errors;
  if (fault === undefined) return ': not JSON';
  const before = text.slice(0, fault.offset).split('\n');
  const column = (before.at(-1) as string).length + 1;
  return `:${before.length}:${column}: not JSON: ${printParseErrorCode(fault.error)}`;
}
