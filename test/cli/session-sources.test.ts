import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOpenFolder, openFolder } from '../../src/cli/scan/session-sources/open-folder.ts';
import { openclawDatabase } from '../../src/cli/scan/session-sources/openclaw-database.ts';
import { opencodeDatabase } from '../../src/cli/scan/session-sources/opencode-database.ts';
import { opencodeStorage } from '../../src/cli/scan/session-sources/opencode-storage.ts';
import { DeloopError } from '../../src/core/errors.ts';
import { opencode } from '../../src/transcripts/formats/opencode.ts';
import { openhands } from '../../src/transcripts/formats/openhands.ts';
import { openhandsV0 } from '../../src/transcripts/formats/openhands-v0.ts';
import { readRecords, recordsOf } from '../transcripts/records.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deloop-sources-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, content: unknown): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

function problemsOf(
  read: (onProblem: (line: number, why: string) => void) => Iterable<unknown>,
): readonly string[] {
  const problems: string[] = [];
  for (const _ of read((line, why) => problems.push(`${line}: ${why}`)));
  return problems;
}

const AT = 1_790_000_000_000;
const TOKENS = { input: 90, output: 10, reasoning: 0, cache: { read: 0, write: 0 } };
const PROMPT = { info: { role: 'user', time: { created: AT } }, parts: [{ type: 'text', text: 'mend it' }] };
const REPLY = {
  info: { role: 'assistant', modelID: 'model-1', time: { created: AT + 1 }, tokens: TOKENS },
  parts: [
    { type: 'step-start' },
    {
      type: 'tool',
      callID: 'one',
      tool: 'bash',
      state: {
        status: 'completed',
        input: { command: 'ls' },
        output: 'a.txt',
        time: { start: AT + 2, end: AT + 3 },
      },
    },
    { type: 'step-finish', tokens: TOKENS },
  ],
};
const INFO = {
  id: 'ses_1',
  directory: '/work/site',
  version: '1.18.0',
  parentID: 'ses_0',
  model: { id: 'model-0', providerID: 'p' },
  time: { created: AT, updated: AT + 9 },
};
/** The same session, as `opencode export` would write it. */
const EXPORTED = readRecords(opencode, recordsOf({ info: INFO, messages: [PROMPT, REPLY] }));

describe('a folder with one file an event', () => {
  const event = (kind: string, source: string, text: string) => ({
    kind,
    source,
    timestamp: '2026-09-21T10:00:00',
    llm_message: { content: [{ type: 'text', text }] },
  });

  it('gives the state first, and the events in the order of their numbers', () => {
    write('base_state.json', { id: 'conv-1' });
    for (const number of [2, 0, 1])
      write(`events/event-0000${number}-0123abcd.json`, event('MessageEvent', 'user', `${number}`));
    write('events/event-100000-0123abcd.json', event('MessageEvent', 'agent', 'last'));
    write('events/.eventlog.lock', '');
    for (const path of [folder, join(folder, 'events')]) {
      const { events, facts } = readRecords(openhands, openFolder(path));
      expect(events.map((each) => ('text' in each ? each.text : ''))).toEqual(['0', '1', '2', 'last']);
      expect(facts).toEqual({ session: 'conv-1' });
      expect(isOpenFolder(path)).toBe(true);
    }
    expect(openhands.recognises({ shape: 'folder', records: [...openFolder(folder)] })).toBe(true);
  });

  it('counts without leading zeros too', () => {
    for (const number of [10, 9, 1]) {
      write(`events/${number}.json`, {
        id: number,
        source: 'user',
        action: 'message',
        args: { content: `${number}` },
      });
    }
    const { events } = readRecords(openhandsV0, openFolder(folder));
    expect(events.map((each) => ('text' in each ? each.text : ''))).toEqual(['1', '9', '10']);
    expect([...openFolder(folder)].map(({ key }) => key)).toEqual(['1.json', '9.json', '10.json']);
  });

  it('reports a file that cannot be read and goes on', () => {
    write('events/0.json', '{"id":');
    mkdirSync(join(folder, 'events/1.json'));
    write('events/2.json', { id: 2 });
    expect(problemsOf((onProblem) => openFolder(folder, onProblem))).toEqual([
      '1: 0.json: not JSON',
      '2: 1.json: it is a folder, not a file',
    ]);
    expect([...openFolder(folder)]).toEqual([{ line: 3, key: '2.json', value: { id: 2 } }]);
  });

  it('finds nothing where there is nothing', () => {
    expect([...openFolder(join(folder, 'nowhere'))]).toEqual([]);
    expect(isOpenFolder(folder)).toBe(false);
  });
});

describe('the folder that opencode kept', () => {
  function store(): void {
    write('session/project-1/ses_1.json', INFO);
    write('session/project-2/ses_2.json', { id: 'ses_2' });
    for (const [name, { info, parts }] of [
      ['msg_a', PROMPT],
      ['msg_b', REPLY],
    ] as const) {
      write(`message/ses_1/${name}.json`, info);
      for (const [index, part] of parts.entries()) write(`part/${name}/prt_${index}.json`, part);
    }
  }

  it('lists its sessions', () => {
    store();
    expect([...opencodeStorage.list(folder)]).toEqual([
      { session: 'ses_1', updatedAt: AT + 9 },
      { session: 'ses_2', updatedAt: undefined },
    ]);
    expect([...opencodeStorage.list(join(folder, 'nowhere'))]).toEqual([]);
  });

  it('gives a session as an export would', () => {
    store();
    const { events, facts } = readRecords(opencode, opencodeStorage.read(folder, 'ses_1'));
    expect({ events, facts }).toEqual({ events: EXPORTED.events, facts: EXPORTED.facts });
  });

  it('reports what cannot be read and goes on', () => {
    store();
    write('message/ses_1/msg_a.json', '{');
    write('part/msg_b/prt_1.json', '[');
    expect(problemsOf((onProblem) => opencodeStorage.read(folder, 'ses_1', onProblem))).toEqual([
      '2: msg_a.json: not JSON',
      '3: prt_1.json: not JSON',
    ]);
  });

  it('says so where there is no such session', () => {
    for (const session of ['ses_9', '../ses_1']) {
      expect(() => [...opencodeStorage.read(folder, session)]).toThrow(`there is no session ${session}`);
    }
  });
});

type Sqlite = {
  DatabaseSync: new (
    path: string,
  ) => {
    exec(query: string): void;
    prepare(query: string): { run(...values: readonly unknown[]): void };
    close(): void;
  };
};

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const HAS_SQLITE = major > 22 || (major === 22 && minor >= 15);

describe.skipIf(HAS_SQLITE)('databases, where Node has no SQLite', () => {
  it('says what to do', () => {
    const need = `this Node (${process.version}) cannot read SQLite; use Node 22.15 or newer`;
    const instead = `${need}, or \`opencode export SESSION > FILE\` and scan the file`;
    expect(() => [...opencodeDatabase.list(folder)]).toThrow(new DeloopError('event', instead));
    expect(() => [...opencodeDatabase.read(folder, 'x')]).toThrow(instead);
    expect(() => [...openclawDatabase.list(folder)]).toThrow(new DeloopError('event', need));
  });
});

describe.runIf(HAS_SQLITE)('databases', () => {
  const WAL = 'PRAGMA journal_mode = WAL;';

  function database(
    name: string,
    queries: string,
    rows: readonly (readonly [string, readonly unknown[]])[] = [],
  ) {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as Sqlite;
    const path = join(folder, name);
    const made = new DatabaseSync(path);
    made.exec(queries);
    made.exec('BEGIN');
    for (const [query, values] of rows) made.prepare(query).run(...values);
    made.exec('COMMIT');
    return { path, made };
  }

  const TABLES = `CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, version TEXT, model TEXT,
      time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);`;
  const { model, ...head } = INFO;

  function opencodeDb(broken = false): ReturnType<typeof database> {
    const session = [head.id, head.parentID, head.directory, head.version, JSON.stringify(model), AT, AT + 9];
    const rows: [string, unknown[]][] = [['INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)', session]];
    rows.push(['INSERT INTO session (id, time_updated) VALUES (?, ?)', ['ses_2', AT + 99]]);
    for (const [number, { info, parts }] of [REPLY, PROMPT].entries()) {
      const id = `msg_${2 - number}`;
      const data = broken && number === 1 ? '{' : JSON.stringify(info);
      rows.push(['INSERT INTO message VALUES (?, ?, ?, ?)', [id, 'ses_1', info.time.created, data]]);
      for (const [index, part] of [...parts.entries()].reverse()) {
        const text = broken && index === 1 ? '[' : JSON.stringify(part);
        rows.push(['INSERT INTO part VALUES (?, ?, ?)', [`prt_${id}_${index}`, id, text]]);
      }
    }
    return database('opencode.db', WAL + TABLES, rows);
  }

  it('gives the sessions of opencode as an export would', () => {
    const { path, made } = opencodeDb();
    made.close();
    expect([...opencodeDatabase.list(path)]).toEqual([
      { session: 'ses_2', updatedAt: AT + 99 },
      { session: 'ses_1', updatedAt: AT + 9 },
    ]);
    const { events, facts } = readRecords(opencode, opencodeDatabase.read(path, 'ses_1'));
    expect({ events, facts }).toEqual({ events: EXPORTED.events, facts: EXPORTED.facts });
  });

  it('leaves no trace, and reads what is only in the log while the agent runs', () => {
    const { path, made } = opencodeDb();
    const live = readdirSync(folder).sort();
    expect(live).toContain('opencode.db-wal');
    expect([...opencodeDatabase.list(path)]).toHaveLength(2);
    expect(readdirSync(folder).sort()).toEqual(live);
    made.close();
    const before = readFileSync(path);
    expect([...opencodeDatabase.read(path, 'ses_1')]).toHaveLength(3);
    expect(readdirSync(folder)).toEqual(['opencode.db']);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('closes a database that is not read to its end', () => {
    const { path, made } = opencodeDb();
    made.close();
    for (const _ of opencodeDatabase.read(path, 'ses_1')) break;
    rmSync(path);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports rows that are not JSON and goes on', () => {
    const { path, made } = opencodeDb(true);
    made.close();
    expect(problemsOf((onProblem) => opencodeDatabase.read(path, 'ses_1', onProblem))).toEqual([
      '2: message msg_1 is not JSON',
      '3: part prt_msg_2_1 is not JSON',
    ]);
  });

  it('reads a path that has signs of an address in it', () => {
    const { path, made } = database('a %20?#b.db', TABLES, [
      ['INSERT INTO session (id) VALUES (?)', ['ses_1']],
    ]);
    made.close();
    expect([...opencodeDatabase.list(path)]).toEqual([{ session: 'ses_1', updatedAt: undefined }]);
  });

  it('says why a database cannot be read', () => {
    write('text.db', 'this is no database at all, though it is long enough to have a head. '.repeat(20));
    write('empty.db', '');
    const whole = opencodeDb();
    whole.made.close();
    const bytes = readFileSync(whole.path);
    bytes.fill(0xff, 4096, 8192);
    writeFileSync(join(folder, 'damaged.db'), bytes);
    const { made } = database('locked.db', TABLES);
    made.exec('BEGIN EXCLUSIVE');
    const why = ['text.db', 'empty.db', 'damaged.db', 'nowhere.db', 'locked.db'].map((name) => {
      try {
        return [...opencodeDatabase.list(join(folder, name))].length;
      } catch (error) {
        return (error as Error).message;
      }
    });
    made.close();
    expect(why).toEqual([
      'it is not a SQLite database',
      'the database could not be read (no such table: session)',
      'the database is damaged',
      'there is no such file',
      'the database is locked; close the program that writes to it and try again',
    ]);
  });

  const EVENTS = `CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
    created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, PRIMARY KEY (session_id, seq))`;
  const INSERT = 'INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?, ?)';

  it('gives the events of OpenClaw in order, those that are packed too', () => {
    const { zstdCompressSync } = process.getBuiltinModule('node:zlib') as unknown as {
      zstdCompressSync(bytes: Uint8Array): Buffer;
    };
    const packed = zstdCompressSync(Buffer.from('{"type":"message","id":"b"}'));
    const many = Array.from(
      { length: 600 },
      (_, index) => [INSERT, ['s2', index, `{"n":${index}}`, AT + 5, null, null]] as const,
    );
    const { path, made } = database('openclaw-agent.sqlite', WAL + EVENTS, [
      [INSERT, ['s1', 1, null, AT + 1, packed, 27]],
      [INSERT, ['s1', 0, '{"type":"session","id":"a"}', AT, null, null]],
      ...many,
    ]);
    made.close();
    expect([...openclawDatabase.list(path)]).toEqual([
      { session: 's2', updatedAt: AT + 5 },
      { session: 's1', updatedAt: AT + 1 },
    ]);
    expect([...openclawDatabase.read(path, 's1')]).toEqual([
      { line: 1, key: '', value: { type: 'session', id: 'a' } },
      { line: 2, key: '', value: { type: 'message', id: 'b' } },
    ]);
    const values = [...openclawDatabase.read(path, 's2')].map(({ value }) => (value as { n: number }).n);
    expect(values).toEqual(many.map((_, index) => index));
  });

  it('reports events that cannot be unpacked, and reads a table without packed ones', () => {
    const { path, made } = database('openclaw-agent.sqlite', EVENTS, [
      [INSERT, ['s1', 0, null, AT, Buffer.from('no zstd'), 7]],
      [INSERT, ['s1', 1, '{"type":', AT, null, null]],
      [INSERT, ['s1', 2, null, AT, null, null]],
      [INSERT, ['s1', 3, '{}', AT, null, null]],
    ]);
    made.close();
    expect(problemsOf((onProblem) => openclawDatabase.read(path, 's1', onProblem))).toEqual([
      '1: the event could not be unpacked',
      '2: not JSON',
      '3: an event without content',
    ]);
    const older = database(
      'older.sqlite',
      'CREATE TABLE transcript_events (session_id, seq, event_json, created_at)',
      [['INSERT INTO transcript_events VALUES (?, ?, ?, ?)', ['s1', 0, '{"n":1}', AT]]],
    );
    older.made.close();
    expect([...openclawDatabase.read(older.path, 's1')]).toEqual([{ line: 1, key: '', value: { n: 1 } }]);
  });
});
