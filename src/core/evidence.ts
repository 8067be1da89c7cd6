import { parsedArgs, rawPrefix } from './arguments.ts';
import { type Digest, digestJson, digestRaw, digestShort, finish, startDigest } from './digest.ts';
import type { DigestText } from './digest-text.ts';
import type { Json, Status } from './types.ts';

/** The same number for the same tool with the same arguments, whatever the order of keys and the white space of the JSON. */
export function digestCall(tool: string, args: unknown, digestText: DigestText): number {
  const digest = startDigest(digestText);
  digestShort(digest, tool);
  const { value, raw } = typeof args === 'string' ? parsedArgs(args) : { value: args, raw: false };
  if (raw) digestRaw(digest, value as string);
  else digestJson(digest, value);
  return finish(digest);
}

/** The same number for the same output and the same kind of ending. */
export function digestOutcome(output: Json, status: Status, digestText: DigestText): number {
  const digest = startDigest(digestText);
  digestShort(digest, status);
  if (typeof output === 'string') digestRaw(digest, output);
  else digestJson(digest, output);
  return finish(digest);
}

/** The same number for arguments that begin with the same `limit` bytes, as they were sent. */
export function digestPrefix(tool: string, args: unknown, limit: number, digestText: DigestText): number {
  const digest = startDigest(digestText);
  digestShort(digest, tool);
  if (!digestFlat(digest, args, limit)) digestRaw(digest, rawPrefix(args, limit));
  return finish(digest);
}

/** Takes in an object of so little text that the limit cannot cut it, in the order of its keys; false = it is not one. */
function digestFlat(digest: Digest, args: unknown, limit: number): boolean {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return false;
  const fields = args as { readonly [key: string]: unknown };
  const keys = Object.keys(fields);
  if (keys.length === 0) return false;
  let size = 2;
  for (const key of keys) {
    const item = fields[key];
    // A character takes three bytes at most, written as it is or escaped, control characters aside.
    if (typeof item === 'string') size += 3 * item.length + 2;
    else if (typeof item === 'number' || typeof item === 'boolean') size += 25;
    else if (item !== undefined) return false;
    size += 3 * key.length + 4;
  }
  if (size > limit) return false;
  for (const key of keys) {
    if (fields[key] === undefined) continue;
    digestShort(digest, key);
    digestJson(digest, fields[key]);
  }
  return true;
}
