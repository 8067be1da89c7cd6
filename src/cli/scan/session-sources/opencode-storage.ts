import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DeloopError } from '../../../core/errors.ts';
import { fieldsOf, numberOf } from '../../../transcripts/fields.ts';
import { namesIn, readJsonFile } from './json-file.ts';
import type { SessionSource } from './session-source.ts';

/**
 * What opencode kept before its database: `session/<project>/<session>.json`, `message/<session>/<message>.json` and
 * `part/<message>/<part>.json`, with ids that sort by time. It is read as `opencode export` would write it.
 */
export const opencodeStorage: SessionSource = {
  *list(path) {
    for (const file of sessionFiles(path)) {
      const read = readJsonFile(file);
      const { updated } = 'value' in read ? fieldsOf(fieldsOf(read.value)['time']) : {};
      yield { session: basename(file, '.json'), updatedAt: numberOf(updated) };
    }
  },
  *read(path, session, onProblem = () => {}) {
    const file = fileOf(path, session);
    if (file === null) throw new DeloopError('event', `there is no session ${session}`);
    let line = 1;
    const info = readJsonFile(file);
    if ('why' in info) onProblem(line, `${session}: ${info.why}`);
    else yield { line, key: 'info', value: info.value };
    for (const name of namesIn(join(path, 'message', session))) {
      if (!name.endsWith('.json')) continue;
      line += 1;
      const message = readJsonFile(join(path, 'message', session, name));
      if ('why' in message) {
        onProblem(line, `${name}: ${message.why}`);
        continue;
      }
      const parts: unknown[] = [];
      const folder = join(path, 'part', basename(name, '.json'));
      for (const each of namesIn(folder)) {
        if (!each.endsWith('.json')) continue;
        const part = readJsonFile(join(folder, each));
        if ('why' in part) onProblem(line, `${each}: ${part.why}`);
        else parts.push(part.value);
      }
      yield { line, key: 'messages', value: { info: message.value, parts } };
    }
  },
};

/** Null = there is no such session; an id that is a path is none. */
function fileOf(path: string, session: string): string | null {
  if (basename(session) !== session) return null;
  const folder = join(path, 'session');
  for (const project of namesIn(folder)) {
    const file = join(folder, project, `${session}.json`);
    if (existsSync(file)) return file;
  }
  return null;
}

function* sessionFiles(path: string): Iterable<string> {
  const folder = join(path, 'session');
  for (const project of namesIn(folder)) {
    for (const name of namesIn(join(folder, project))) {
      if (name.endsWith('.json')) yield join(folder, project, name);
    }
  }
}
