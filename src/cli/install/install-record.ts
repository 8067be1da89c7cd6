import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestText } from '../../core/digest-text.ts';
import { isFields } from '../../transcripts/fields.ts';

/** How a file was before we changed it; what makes an uninstall exact. */
export type InstallRecord = {
  readonly path: string;
  /** Null = there was none. */
  readonly before: string | null;
  /** As we left it. */
  readonly after: string;
  /** Folders that we made for it, outermost first. */
  readonly folders: readonly string[];
};

const FOLDER = 'installs';

export function readRecord(state: string, path: string): InstallRecord | null {
  try {
    const value: unknown = JSON.parse(readFileSync(recordPath(state, path), 'utf8'));
    if (!isFields(value) || value['path'] !== path) return null;
    const { before, after, folders } = value;
    const whole = (before === null || typeof before === 'string') && typeof after === 'string';
    return whole && Array.isArray(folders) ? (value as InstallRecord) : null;
  } catch {
    return null;
  }
}

/** Settings may hold secrets: the record is for its owner alone. */
export function writeRecord(state: string, record: InstallRecord): void {
  mkdirSync(join(state, FOLDER), { recursive: true, mode: 0o700 });
  writeFileSync(recordPath(state, record.path), JSON.stringify(record), { mode: 0o600 });
}

export function dropRecord(state: string, path: string): void {
  rmSync(recordPath(state, path), { force: true });
}

function recordPath(state: string, path: string): string {
  return join(state, FOLDER, `${digestText(path).toString(36)}.json`);
}
