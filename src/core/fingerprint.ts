import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson, parsedArgs } from './arguments.ts';

/** SHA-256, as hex, of `tool`, a line feed and the canonical arguments (RFC 8785): the same in every language and version. */
export function fingerprint(tool: string, args: unknown): string {
  const { value, raw } = parsedArgs(args);
  return bytesToHex(sha256(utf8ToBytes(`${tool}\n${raw ? (value as string) : canonicalJson(value)}`)));
}
