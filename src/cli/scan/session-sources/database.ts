import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DeloopError } from '../../../core/errors.ts';
import { type Fields, fieldsOf } from '../../../transcripts/fields.ts';
import { whyNot } from '../../why-not.ts';

/** A SQLite database that is only read. */
export type Database = {
  rows(query: string, ...values: readonly (string | number)[]): readonly Fields[];
  close(): void;
};

/** The part of `node:sqlite` that is used. */
type Sqlite = {
  readonly DatabaseSync: new (
    path: URL,
    options: { readonly readOnly: boolean },
  ) => {
    prepare(query: string): { all(...values: readonly (string | number)[]): readonly unknown[] };
    close(): void;
  };
};

/** The first Node whose SQLite takes the address of a file, by which it can be told to leave no trace. */
const SINCE = [22, 15] as const;

/** `instead` = what a person can do where this runtime has no SQLite. */
export function openDatabase(path: string, instead: string): Database {
  const sqlite = sqliteOf();
  if (sqlite === null) {
    const need = `use Node ${SINCE.join('.')} or newer${instead === '' ? '' : `, or ${instead}`}`;
    throw new DeloopError('event', `this Node (${process.version}) cannot read SQLite; ${need}`);
  }
  let address: URL;
  try {
    address = addressOf(path);
  } catch (cause) {
    throw new DeloopError('event', whyNot(cause), { cause });
  }
  const database = asked(() => new sqlite.DatabaseSync(address, { readOnly: true }));
  return {
    rows: (query, ...values) =>
      asked(() =>
        database
          .prepare(query)
          .all(...values)
          .map(fieldsOf),
      ),
    close: () => database.close(),
  };
}

/** Null = this runtime has none, or one too old. */
function sqliteOf(): Sqlite | null {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < SINCE[0] || (major === SINCE[0] && minor < SINCE[1])) return null;
  const { emitWarning } = process;
  // Node 22 warns of an experiment, which is not the reader's concern.
  process.emitWarning = () => {};
  try {
    return (process.getBuiltinModule?.('node:sqlite') as Sqlite | undefined) ?? null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Even a reader writes two files beside a database that has a write-ahead log, unless it is told that nobody changes it;
 * so it is told, as long as there is no log.
 */
function addressOf(path: string): URL {
  const address = pathToFileURL(path);
  const logged = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!logged && usesLog(path)) address.searchParams.set('immutable', '1');
  return address;
}

/** The 19th byte says how it is written: https://www.sqlite.org/fileformat.html */
const [WRITE_VERSION, LOG] = [18, 2];

function usesLog(path: string): boolean {
  const head = Buffer.alloc(WRITE_VERSION + 1);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return head[WRITE_VERSION] === LOG;
}

/** https://www.sqlite.org/rescode.html */
const REASONS: { readonly [code: number]: string } = {
  5: 'the database is locked; close the program that writes to it and try again',
  6: 'the database is locked; close the program that writes to it and try again',
  11: 'the database is damaged',
  14: 'the database could not be opened',
  26: 'it is not a SQLite database',
};
/** A code of SQLite has its kind in the last eight bits. */
const KIND = 0xff;

function asked<Answer>(ask: () => Answer): Answer {
  try {
    return ask();
  } catch (cause) {
    const { errcode, message } = cause as { errcode?: number; message?: string };
    const reason =
      REASONS[(errcode ?? 0) & KIND] ?? `the database could not be read (${message ?? String(cause)})`;
    throw new DeloopError('event', reason, { cause });
  }
}
