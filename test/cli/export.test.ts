import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createCallReader, sameReading } from '../../src/cli/export/call-reading.ts';
import { createDigests } from '../../src/cli/export/digests.ts';
import { hideArguments, shortenArguments } from '../../src/cli/export/redact-arguments.ts';
import { createRedaction } from '../../src/cli/export/redact-event.ts';
import { hideOutput } from '../../src/cli/export/redact-output.ts';
import { compareDecisions } from '../../src/cli/export/same-decisions.ts';
import type { Redaction } from '../../src/cli/scan/redaction.ts';
import { digestText } from '../../src/core/digest-text.ts';
import { readFailure } from '../../src/core/failure-reading.ts';
import { normalised } from '../../src/core/normalise.ts';
import type { AgentEvent, Json, Status, ToolKind } from '../../src/core/types.ts';
import { traceLine } from '../../src/transcripts/trace.ts';
import { readText } from '../transcripts/read.ts';
import { deloop, jsonLines, newFolder, toLines } from './run-cli.ts';
import { done, sameCall } from './traces.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SESSIONS = ['test/transcripts/fixtures/recorded', 'examples/sessions', 'examples/recordings'].flatMap(
  (folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.jsonl?$/.test(file) && !file.endsWith('expected.json'))
      .map((file) => join(folder, file)),
);
const digests = createDigests('salt');
const read = createCallReader();

/** Every event with what becomes of it, as whoever gets the trace reads it. */
function exported(events: readonly AgentEvent[], redaction: Redaction): readonly AgentEvent[] {
  const redact = createRedaction(redaction, digests);
  return events.map((event, index) => {
    const item = traceLine(index + 1, JSON.parse(JSON.stringify(redact(event))));
    if (!('event' in item)) throw new Error(`not an event: ${JSON.stringify(item)}`);
    return item.event;
  });
}

function differsAt(events: readonly AgentEvent[], redaction: Redaction): number | null {
  const comparison = compareDecisions();
  const others = exported(events, redaction);
  for (const [index, event] of events.entries())
    comparison.feed(event, others[index] as AgentEvent, index + 1);
  return comparison.end().differsAt;
}

describe.each(SESSIONS)('%s', (file) => {
  const { events } = readText(readFileSync(join(ROOT, file)));

  it.each(['all', 'outputs', 'none'] as const)('is decided alike with --redact %s', (redaction) => {
    expect(events.length).toBeGreaterThan(0);
    expect(differsAt(events, redaction)).toBeNull();
  });

  it('leaves no word of it in the trace', () => {
    const told = exported(events, 'all').flatMap(textsOf).join('\n');
    const said = events.flatMap((event) => textsOf(event).flatMap(wordsIn));
    expect(said.length).toBeGreaterThan(5);
    expect(said.filter((word) => told.includes(word))).toEqual([]);
  });
});

/** Words that nobody has in common by chance. */
function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z]{6,}/g) ?? [];
}

function textsOf(event: AgentEvent): readonly string[] {
  if (event.type === 'tool-call') return leavesOf(event.args);
  if (event.type === 'tool-result') return leavesOf(event.output);
  return event.type === 'turn' || event.type === 'user'
    ? [event.text ?? '', 'reasoning' in event ? (event.reasoning ?? '') : '']
    : [];
}

function leavesOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

describe('arguments', () => {
  const hide = hideArguments(digests);
  const shorten = shortenArguments(digests);
  const COMMANDS = [
    'ls',
    'cat src/secret.txt',
    'sed -n 1,20p file',
    'tail -f build.log',
    'npm test',
    'npm test -- --watch',
    'npm run build > build.log 2>&1',
    'cd project && pytest -q',
    'git status',
    'git commit -m "the secret"',
    'git log | head',
    'echo secret > file.txt',
    'echo status',
    'export A=secret',
    'server --port 8080 &',
    'sleep 30; gh run view 17',
    'docker ps',
    'make clean && make',
    "python3 -c \"open('secret','w').write('x')\"",
    'python3 - <<EOF\nprint(1)\nEOF',
    'sqlite3 a.db "select 1"',
    'sqlite3 a.db "insert into t values (1)"',
    'bash -lc "rm -r secret"',
    '((i > 3))',
    'npm test # the second time',
    '   ',
    '',
  ];
  const CALLS: readonly (readonly [tool: string, args: Json])[] = [
    ...COMMANDS.flatMap((command): (readonly [string, Json])[] => [
      ['bash', { command, description: 'the secret' }],
      ['exec_command', { cmd: command, yield_time_ms: 1000 }],
      ['shell', { command: ['bash', '-lc', command], timeout: 10 }],
      ['run_commands', { commands: [command, 'ls'] }],
      ['anything', { command }],
      ['shell', command],
      ['shell', JSON.stringify({ command })],
    ]),
    ...['view', 'create', 'str_replace', 'undo_secret', 'list_dir'].flatMap(
      (verb): (readonly [string, Json])[] => [
        ['str_replace_editor', { command: verb, path: '/secret' }],
        ['browser', { action: verb, 'secret/key': true }],
      ],
    ),
    ['write_stdin', { session_id: 1, chars: '' }],
    ['write_stdin', { session_id: 1, chars: 'secret' }],
    ['execute_code', { code: 'print("secret")' }],
    ['execute_code', { code: 'open("f").write("secret")' }],
    ['read_file', { path: 'secret', offset: 400, limit: 20, deep: [{ secret: [1, null, true] }] }],
    ['read_file', 'secret'],
    ['read_file', null],
    ['read_file', 7],
  ];

  it.each(CALLS)('of %s %j are seen as what they are', (tool, args) => {
    for (const redact of [hide, shorten])
      expect(sameReading(read(tool, redact(tool, args)), read(tool, args))).toBe(true);
    const told = JSON.stringify(hide(tool, args));
    expect(told).not.toMatch(/secret(?!":)/);
    expect(hide(tool, args)).toEqual(hide(tool, args));
  });

  it('stay different where they were, and the same where they were', () => {
    const plain = CALLS.filter(([, args]) => !JSON.stringify(args).includes('#'));
    for (const redact of [hide, shorten]) {
      const seen = new Map<string, string>();
      for (const [tool, args] of plain) {
        const told = `${tool} ${JSON.stringify(redact(tool, args))}`;
        const own = `${tool} ${JSON.stringify(typeof args === 'string' && args.startsWith('{') ? JSON.parse(args) : args)}`;
        expect(seen.get(told) ?? own).toBe(own);
        seen.set(told, own);
      }
    }
  });

  it('keep the names of programs apart, and no others than those that only show files', () => {
    const programOf = (command: string) => read('bash', hide('bash', { command })).command?.program;
    expect(programOf('npm test')).toBe(programOf('npm install'));
    expect(programOf('npm test')).not.toBe(programOf('git push'));
    expect(programOf('npm test')).not.toBe('npm');
    expect(programOf('cat secret')).toBe('cat');
  });

  it('are the same whatever remark stands behind a command', () => {
    const [one, other] = ['npm test # once', 'npm test # twice'].map((command) => hide('bash', { command }));
    expect(one).toEqual(other);
  });

  it('lose what looks like a secret, and stay apart by it', () => {
    const [one, other] = ['abcd1234', 'efgh5678'].map((secret) =>
      JSON.stringify(shorten('bash', { command: `curl -H "Authorization: Bearer ${secret}" https://a.b` })),
    );
    expect(one).toContain('curl -H');
    expect(one).not.toContain('abcd1234');
    expect(one).not.toBe(other);
  });

  it('are cut where they are long, and stay apart by what was cut off', () => {
    const args = (end: string) => ({ path: 'a.txt', content: `${'x'.repeat(5000)}${end}` });
    const [one, other] = ['1', '2'].map((end) => JSON.stringify(shorten('write_file', args(end))));
    expect(one?.length).toBeLessThan(2200);
    expect(one).toContain('a.txt');
    expect(one).not.toBe(other);
  });

  it('may be as deep and as odd as they like', () => {
    let deep: Json = 'secret';
    for (let level = 0; level < 5000; level++) deep = level % 2 === 0 ? [deep] : { deep };
    const odd = JSON.parse(
      '{"__proto__":{"secret":"secret"},"constructor":9007199254740991,"a":-1e300}',
    ) as Json;
    for (const redact of [hide, shorten])
      for (const args of [deep, odd]) expect(JSON.stringify(redact('any', args)).length).toBeLessThan(3000);
    expect(JSON.stringify(hide('any', odd))).toContain('"__proto__"');
  });
});

describe('outputs', () => {
  const hide = hideOutput(digests);
  const lengths = (text: string) => {
    const seen = normalised(text, digestText).length;
    return [text.length >= 200, seen >= 30, seen >= 16];
  };

  it.each([
    'ok',
    'done in 14 ms',
    'Error: no such file or directory, open /home/me/secret.txt',
    'x'.repeat(199),
    'x'.repeat(200),
    'x'.repeat(20_000),
    'line one of it\n'.repeat(4),
    'line one of it\n'.repeat(12),
    'line one of it\n'.repeat(3000),
  ])('count for as much as they did (%#)', (text) => {
    for (const kind of ['read', 'shell', 'other'] as const) {
      const fine = hide(text, { status: 'ok', kind, tool: 't' }) as string;
      expect(lengths(fine).slice(0, 2)).toEqual(lengths(text).slice(0, 2));
      expect(fine.length).toBeLessThan(8192);
      const failed = hide(text, { status: 'error', kind, tool: 't' }) as string;
      expect([lengths(failed)[0], lengths(failed)[2]]).toEqual([lengths(text)[0], lengths(text)[2]]);
    }
  });

  it('are the same when only times and ids differ, and only then', () => {
    for (const status of ['ok', 'error'] as const) {
      const seen = ([times, count]: readonly [string, number]) => {
        const lines = Array.from({ length: 9 }, (_, line) => `test ${line} of ${count} took ${times} ms`);
        const told = hide(lines.join('\n'), { status, kind: 'read', tool: 't' }) as string;
        return normalised(told, digestText);
      };
      expect(seen(['12.4', 3])).toBe(seen(['13.5', 3]));
      expect(seen(['12.4', 3])).not.toBe(seen(['12.4', 4]));
    }
  });

  it.each<readonly [text: string, kind: ToolKind]>([
    ['request interrupted by user', 'other'],
    ["The user doesn't want to proceed", 'shell'],
    ['Unknown tool: secret', 'other'],
    ['Error: unknown tool secret', 'shell'],
    ['missing 1 required positional argument: secret', 'read'],
    ['InputValidationError: secret', 'shell'],
    ['HTTP 429 from secret', 'other'],
    ['rate limit exceeded', 'shell'],
    ['503 Service Unavailable: status: 503', 'other'],
    ['503 Service Unavailable', 'write'],
    ['Exit code 1', 'shell'],
    ['secret not found', 'shell'],
    ['no', 'other'],
  ])('tell the same ending: %s', (text, kind) => {
    const told = hide(text, { status: 'error', kind, tool: 't' }) as string;
    const [one, other] = [text, told].map((each) => readFailure(each, 'error', kind, 't', digestText));
    expect([other?.status, other?.outage, other?.family === 0]).toEqual([
      one?.status,
      one?.outage,
      one?.family === 0,
    ]);
    expect(told).not.toContain('secret');
  });

  it('keep errors of one kind together, and of two kinds apart', () => {
    const family = (text: string, status: Status = 'error') =>
      readFailure(hide(text, { status, kind: 'read', tool: 't' }) as string, status, 'read', 't', digestText)
        .family;
    expect(family('cannot open "a.txt" at 12')).toBe(family('cannot open "b.txt" at 9'));
    expect(family('cannot open "a.txt" at 12')).not.toBe(family('cannot close "a.txt" at 12'));
  });

  it('that say nothing stay as they are', () => {
    for (const text of ['', ' \n', '[]', 'None', '0'])
      expect(hide(text, { status: 'ok', kind: 'other', tool: 't' })).toBe(text);
  });

  it('that are no text stay none', () => {
    const told = hide({ secret: ['a', 1] }, { status: 'ok', kind: 'other', tool: 't' });
    expect(told).toEqual({ digest: expect.stringMatching(/^[a-z]{12}$/) });
    expect(hide({ secret: ['b', 1] }, { status: 'ok', kind: 'other', tool: 't' })).not.toEqual(told);
  });
});

describe('deloop export', { timeout: 30_000 }, () => {
  const session = join(ROOT, 'examples/sessions/codex/stuck.jsonl');

  it('writes a trace, and says whether the guard decides the same on it', async () => {
    const { status, out, err } = await deloop(['export', session]);
    expect(status).toBe(0);
    expect(err).toContain('the guard decides the same on it: yes');
    const [first, ...events] = jsonLines(out);
    expect(first).toMatchObject({
      type: 'session',
      source: 'codex',
      redacted: 'all',
      session: expect.any(String),
    });
    expect(first).not.toHaveProperty('project');
    expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(26);
    expect(events.find(({ type }) => type === 'tool-result')).toHaveProperty('outputLength');
    const replayed = await deloop(['replay', '-', '--json'], { stdin: out });
    const original = await deloop(['replay', session, '--json']);
    const decided = (text: string) =>
      jsonLines(text).map(({ call, action, detector, count }) => [call, action, detector, count]);
    expect(decided(replayed.out)).toEqual(decided(original.out));
  });

  it('says where the guard decides otherwise', async () => {
    const plans = [
      'First I will look up where the moon was born',
      'Now I will look up where the moon was really born',
    ];
    const rounds = Array.from({ length: 6 }, (_, index) => [
      { type: 'turn', text: plans[index % 2] },
      ...done(`c${index}`, 'lookup', { page: index }, 'No results.'),
    ]).flat();
    const cwd = newFolder({ 'a.jsonl': toLines(rounds) });
    const { status, err } = await deloop(['export', 'a.jsonl'], { cwd });
    expect(status).toBe(0);
    expect(err).toMatch(/the guard decides the same on it: no \(first difference at call \d+\)/);
    expect((await deloop(['export', 'a.jsonl', '--redact', 'outputs'], { cwd })).err).toContain(
      'same on it: yes',
    );
  });

  it('gives other digests each time, unless it is given a salt', async () => {
    const [one, other, salted, again] = await Promise.all(
      [[], [], ['--salt', 'x'], ['--salt', 'x']].map((flags) => deloop(['export', session, ...flags])),
    );
    expect(one?.out).not.toBe(other?.out);
    expect(salted?.out).toBe(again?.out);
  });

  it('leaves everything as it was recorded with --redact none', async () => {
    const { out } = await deloop(['export', session, '--redact', 'none']);
    const [first, ...events] = jsonLines(out);
    expect(first).toMatchObject({ project: '/home/dev/project', redacted: 'none' });
    const original = readText(readFileSync(session)).events;
    expect(events).toEqual(JSON.parse(JSON.stringify(original)));
  });

  it('writes into a file, and never over the session', async () => {
    const cwd = newFolder({ 'a.jsonl': toLines(sameCall('xx')) });
    const written = await deloop(['export', 'a.jsonl', '--out', 'b.jsonl'], { cwd });
    expect([written.status, written.out]).toEqual([0, '']);
    expect(jsonLines(readFileSync(join(cwd, 'b.jsonl'), 'utf8'))).toHaveLength(5);
    const refused = await deloop(['export', 'a.jsonl', '--out', './a.jsonl'], { cwd });
    expect([refused.status, refused.err]).toEqual([
      2,
      'deloop: --out ./a.jsonl is the session itself; name another file\n',
    ]);
    expect(readFileSync(join(cwd, 'a.jsonl'), 'utf8')).toBe(toLines(sameCall('xx')));
  });

  it('takes one session of many by its name', async () => {
    const cwd = newFolder();
    const write = (path: string, value: unknown) => {
      mkdirSync(join(cwd, 'storage', path, '..'), { recursive: true });
      writeFileSync(join(cwd, 'storage', path), JSON.stringify(value));
    };
    for (const id of ['ses_1', 'ses_2']) {
      write(`session/p/${id}.json`, { id, directory: '/work', time: { created: 1, updated: 2 } });
      write(`message/${id}/msg_${id}.json`, {
        id: `msg_${id}`,
        role: 'user',
        time: { created: 1_790_000_000_000 },
      });
      write(`part/msg_${id}/prt_1.json`, { type: 'text', text: `mend ${id}` });
    }
    const one = await deloop(['export', 'storage#ses_2', '--redact', 'none'], { cwd });
    expect(jsonLines(one.out)).toMatchObject([
      { type: 'session', source: 'opencode', session: 'ses_2' },
      { type: 'user', text: 'mend ses_2' },
    ]);
    expect((await deloop(['export', 'storage'], { cwd })).err).toMatch(
      /^deloop: storage holds more than one session; name one of them, such as storage#ses_[12]\n$/,
    );
    expect((await deloop(['export', 'storage#ses_3'], { cwd })).err).toBe(
      'deloop: storage#ses_3: there is no such session in it\n',
    );
  });

  it('names only what is a session where a folder holds more than one, and takes the only one', async () => {
    const cwd = newFolder({ 'a.json': '{"expected":[]}', 'b.jsonl': '', 'c.jsonl': toLines(sameCall('x')) });
    const one = await deloop(['export', '.'], { cwd });
    expect([one.status, jsonLines(one.out).length]).toEqual([0, 3]);
    writeFileSync(join(cwd, 'd.jsonl'), toLines(sameCall('xx')));
    const two = await deloop(['export', '.'], { cwd });
    expect([two.status, two.err]).toEqual([
      2,
      'deloop: . holds more than one session; name one of them, such as c.jsonl\n',
    ]);
  });

  it('exports the rest of a session that is broken, and exits with 3', async () => {
    const [first, ...others] = toLines(sameCall('xxx')).split('\n');
    const cwd = newFolder({ 'a.jsonl': [first, '{"type":', ...others].join('\n') });
    const { status, out, err } = await deloop(['export', 'a.jsonl'], { cwd });
    expect(status).toBe(3);
    expect(err).toContain('deloop: a.jsonl:2: not JSON; it is left out\n');
    expect(jsonLines(out)).toHaveLength(7);
  });

  it.each([
    [['export', 'none.jsonl'], 3, 'none.jsonl: there is no such file'],
    [['export', 'package.json'], 3, 'package.json: not a transcript that deloop knows'],
    [['export', '.'], 2, '.: there is no such session in it'],
    [
      ['export', 'a.jsonl', '--redact', 'some'],
      2,
      '--redact is "some"; it must be one of all, outputs, none',
    ],
    [['export', 'a.jsonl', '--out', 'no/where'], 2, '--out no/where: it could not be written (ENOENT)'],
    [['export'], 2, "missing required argument 'file'"],
  ])('answers %j with one line', async (args, status, message) => {
    const files = { 'package.json': '{}', ...(args[1] === '.' ? {} : { 'a.jsonl': toLines(sameCall('x')) }) };
    const finished = await deloop(args, { cwd: args[1] === '.' ? newFolder() : newFolder(files) });
    expect([finished.status, finished.out]).toEqual([status, '']);
    expect(finished.err).toMatch(/^deloop: [^\n]+\n$/);
    expect(finished.err).toContain(message);
  });
});
