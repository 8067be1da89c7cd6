import { DeloopError } from '../core/errors.ts';

/** JSON with or without a byte order mark; what is wrong is told with file, line and column. */
export function parseJson(text: string, where: string): unknown {
  const bare = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return JSON.parse(bare);
  } catch (cause) {
    const at = firstFault(bare);
    const before = bare.slice(0, at).split('\n');
    const column = (before.at(-1) as string).length + 1;
    throw new DeloopError('option', `${where}:${before.length}:${column}: not JSON: ${complaint(bare[at])}`, {
      cause,
    });
  }
}

function complaint(found: string | undefined): string {
  if (found === undefined) return 'it ends too early';
  if (found === '"') return 'a text starts there that does not belong there, or is broken';
  return `${JSON.stringify(found)} does not belong there`;
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** What may come next: a value, a value or the end of the list, a key and so on. */
type Expecting = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

/**
 * Where a text stops being JSON; its length when it only ends too early. The engine's own message does not always say.
 */
export function firstFault(text: string): number {
  const open: ('[' | '{')[] = [];
  let expecting: Expecting = 'value';
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const matched = pattern.test(text);
    if (matched) at = pattern.lastIndex;
    return matched;
  };
  for (;;) {
    take(SPACE);
    const character = text[at];
    if (character === undefined) return text.length;
    if (expecting === 'comma-or-end') {
      if (open.length === 0) return at;
      const inside = open.at(-1);
      if (character === ',') expecting = inside === '[' ? 'value' : 'key';
      else if (character === (inside === '[' ? ']' : '}')) open.pop();
      else return at;
      at += 1;
    } else if (expecting === 'colon') {
      if (character !== ':') return at;
      at += 1;
      expecting = 'value';
    } else if (expecting === 'key' || expecting === 'key-or-end') {
      if (character === '}' && expecting === 'key-or-end') {
        at += 1;
        open.pop();
        expecting = 'comma-or-end';
      } else if (take(STRING)) expecting = 'colon';
      else return at;
    } else if (character === ']' && expecting === 'value-or-end') {
      at += 1;
      open.pop();
      expecting = 'comma-or-end';
    } else if (character === '[' || character === '{') {
      at += 1;
      open.push(character);
      expecting = character === '[' ? 'value-or-end' : 'key-or-end';
    } else if (take(STRING) || take(SCALAR)) expecting = 'comma-or-end';
    else return at;
  }
}
