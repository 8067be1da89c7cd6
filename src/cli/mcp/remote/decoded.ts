import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** The body of an answer; some servers compress it although nobody has asked for that. */
export function decoded(answer: IncomingMessage): Readable {
  const coding = answer.headers['content-encoding'] ?? 'identity';
  const make = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }[coding];
  if (make === undefined) return answer;
  const plain = make();
  answer.on('error', (error) => plain.destroy(error));
  return answer.pipe(plain);
}
