import { type Fields, nameOf, numberOf, textOf } from '../../../transcripts/fields.ts';
import { type Database, openDatabase } from './database.ts';
import { parsedText } from './parsed-text.ts';
import type { SessionSource } from './session-source.ts';

const INSTEAD = '`opencode export SESSION > FILE` and scan the file';

/** `opencode.db`: sessions, messages and their parts, in a table each; read as `opencode export` would write it. */
export const opencodeDatabase: SessionSource = {
  *list(path) {
    const database = openDatabase(path, INSTEAD);
    try {
      for (const { id, time_updated } of database.rows(
        'SELECT id, time_updated FROM session ORDER BY time_updated DESC',
      )) {
        if (typeof id === 'string') yield { session: id, updatedAt: numberOf(time_updated) };
      }
    } finally {
      database.close();
    }
  },
  *read(path, session, onProblem = () => {}) {
    const database = openDatabase(path, INSTEAD);
    try {
      let line = 1;
      yield { line, key: 'info', value: infoOf(database, session) };
      const ids = database.rows(
        'SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id',
        session,
      );
      for (const { id } of ids) {
        line += 1;
        if (typeof id !== 'string') continue;
        const [message] = database.rows('SELECT data FROM message WHERE id = ?', id);
        const info = parsedText(textOf(message?.['data']) ?? '');
        if (info === undefined) {
          onProblem(line, `message ${id} is not JSON`);
          continue;
        }
        const parts: unknown[] = [];
        for (const { id: part, data } of database.rows(
          'SELECT id, data FROM part WHERE message_id = ? ORDER BY id',
          id,
        )) {
          const value = parsedText(textOf(data) ?? '');
          if (value === undefined) onProblem(line, `part ${String(part)} is not JSON`);
          else parts.push(value);
        }
        yield { line, key: 'messages', value: { info, parts } };
      }
    } finally {
      database.close();
    }
  },
};

function infoOf(database: Database, session: string): Fields {
  const [row = {}] = database.rows('SELECT * FROM session WHERE id = ?', session);
  return {
    id: session,
    directory: nameOf(row['directory']),
    version: nameOf(row['version']),
    parentID: nameOf(row['parent_id']),
    model: parsedText(textOf(row['model']) ?? 'null'),
    time: { created: row['time_created'], updated: row['time_updated'] },
  };
}
