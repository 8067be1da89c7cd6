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
  if (!digestFlat(digest, args)) digestRaw(digest, rawPrefix(args, limit));
  return finish(digest);
}

const LITTLE_TEXT = 64;

/** Takes in an object of so little text that no prefix could cut it, in the order of its keys; false = it is not one. */
function digestFlat(digest: Digest, args: unknown): boolean {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return false;
  const fields = args as { readonly [key: string]: unknown };
  const keys = Object.keys(fields);
  let size = 0;
  for (const key of keys) {
    const item = fields[key];
    if (typeof item === 'string') size += item.length;
    else if (typeof item !== 'number' && typeof item !== 'boolean') return false;
    size += key.length;
  }
  if (size > LITTLE_TEXT) return false;
  for (const key of keys) {
    digestShort(digest, key);
    digestJson(digest, fields[key]);
  }
  return true;
}
