import { basename, dirname, join } from 'node:path';
import type { TranscriptRecord } from '../../../transcripts/format.ts';
import { namesIn, readJsonFile } from './json-file.ts';
import type { OnProblem } from './session-source.ts';

/** `event-00012-<id>.json` since OpenHands has its SDK, `12.json` before. */
const EVENT_FILE = /^(?:event-)?(\d{1,15})(?:-[^/]{1,200})?\.json$/;
const STATE_FILE = 'base_state.json';

/**
 * A session that has one file an event, in the order of their numbers, and before them the state of the whole.
 * `path` = the folder of the session, or the folder `events` in it.
 */
export function* openFolder(path: string, onProblem: OnProblem = () => {}): Iterable<TranscriptRecord> {
  const events = basename(path) === 'events' ? path : join(path, 'events');
  const session = dirname(events);
  let line = 0;

  function* record(folder: string, key: string): Iterable<TranscriptRecord> {
    line += 1;
    const read = readJsonFile(join(folder, key));
    if ('why' in read) onProblem(line, `${key}: ${read.why}`);
    else yield { line, key, value: read.value };
  }

  if (namesIn(session).includes(STATE_FILE)) yield* record(session, STATE_FILE);
  for (const key of eventFilesIn(events)) yield* record(events, key);
}

/** Whether there is such a session in a folder. */
export function isOpenFolder(path: string): boolean {
  return eventFilesIn(basename(path) === 'events' ? path : join(path, 'events')).length > 0;
}

function eventFilesIn(folder: string): readonly string[] {
  const numbered: { readonly name: string; readonly number: number }[] = [];
  for (const name of namesIn(folder)) {
    const number = EVENT_FILE.exec(name)?.[1];
    if (number !== undefined) numbered.push({ name, number: Number(number) });
  }
  return numbered.sort((one, other) => one.number - other.number).map(({ name }) => name);
}
