import { createHash } from 'node:crypto';

/** A longer one is told by its digest. */
const MAX_LENGTH = 96;
const PLAIN = /^[\w.-]*$/;

/**
 * A name as a part of a key. It holds no character that keys, hash tags or patterns give a meaning to, and no two names
 * give the same: so whatever somebody chooses, it cannot reach into the keys of somebody else.
 */
export function encodeName(name: string, maxLength: number = MAX_LENGTH): string {
  const encoded = PLAIN.test(name) ? name : name.replaceAll(/[^A-Za-z0-9_.-]/g, hexOf);
  if (encoded.length <= maxLength) return encoded;
  return `~${createHash('sha256').update(encoded).digest('base64url')}`;
}

/** What `encodeName` was given, unless it was too long. */
export function decodeName(encoded: string): string {
  if (!encoded.includes('%')) return encoded;
  return encoded.replaceAll(/%([0-9a-f]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function hexOf(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Names come again and again: what was worked out once is remembered, up to so many. */
const MAX_REMEMBERED = 4096;

export function remembered<Result>(work: (name: string) => Result): (name: string) => Result {
  const known = new Map<string, Result>();
  return (name) => {
    const last = known.get(name);
    if (last !== undefined) return last;
    const result = work(name);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(name, result);
    return result;
  };
}
