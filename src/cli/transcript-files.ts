import { closeSync, openSync, readSync } from 'node:fs';
import { FORMATS } from '../transcripts/formats.ts';
import { createTranscript } from '../transcripts/transcript.ts';

/** How the names of transcripts end; most are JSON Lines. */
export const TRANSCRIPT_ENDINGS: readonly string[] = ['.jsonl', '.json', '.traj', '.ndjson'];

/** So much of a file tells what it is. */
const HEAD_BYTES: number = 1024 * 1024;

/** Whether a file begins like a transcript; one that cannot be read does not. */
export function isTranscript(path: string): boolean {
  const transcript = createTranscript(FORMATS, { event() {}, facts() {}, problem() {} });
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    const file = openSync(path, 'r');
    try {
      transcript.push(head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0)));
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  transcript.end();
  return transcript.format !== null;
}
