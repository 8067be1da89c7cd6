import { parsedArgs } from './arguments.ts';
import { digestJson, digestRaw, digestShort, finish, startDigest } from './digest.ts';
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

/** The same number for the same beginning of arguments that are compared as they were sent. */
export function digestPrefix(tool: string, prefix: string, digestText: DigestText): number {
  const digest = startDigest(digestText);
  digestShort(digest, tool);
  digestRaw(digest, prefix);
  return finish(digest);
}
