import { describe, expect, it } from 'vitest';
import { openclaw } from '../../src/transcripts/formats/openclaw.ts';
import { pi } from '../../src/transcripts/formats/pi.ts';
import { readHostile } from './hostile.ts';
import { readText } from './read.ts';

const at = (second: number) => `2026-03-01T09:00:${String(second).padStart(2, '0')}.000Z`;
const ms = (second: number) => Date.parse(at(second));
const lines = (...records: object[]) => `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;

const header = { type: 'session', version: 4, id: 'session-1', timestamp: at(0), cwd: '/work/shop' };
const entry = (type: string, second: number, more: object) => ({
  type,
  ...more,
  id: `${type}-${second}`,
  parentId: null,
  timestamp: at(second),
});
const message = (second: number, role: string, content: unknown, more: object = {}) =>
  entry('message', second, { message: { role, content, __openclaw: { runId: 'run-1' }, ...more } });
const assistant = (second: number, content: unknown, more: object = {}) =>
  message(second, 'assistant', content, {
    model: 'model-1',
    usage: { input: 9, output: 2, cacheRead: 1 },
    ...more,
  });
const result = (second: number, isError: boolean, details: object) =>
  message(second, 'toolResult', [{ type: 'text', text: 'x' }], {
    toolCallId: 'a',
    toolName: 'exec',
    isError,
    details,
  });

const session = [
  header,
  entry('custom', 1, { customType: 'model-snapshot', data: {} }),
  message(2, 'user', 'fix it', { __openclaw: { senderIsOwner: true } }),
  assistant(3, [{ type: 'toolCall', id: 'a', name: 'exec', arguments: { command: 'ls' } }]),
  result(4, false, { status: 'completed', exitCode: 2 }),
  entry('custom', 4, { customType: 'openclaw.cache-ttl', data: { frozenToolResults: [] } }),
  assistant(5, [{ type: 'text', text: 'Done.' }]),
];

describe('a session', () => {
  it('becomes one stream', () => {
    const { format, events, facts } = readText(lines(...session));
    expect(format).toBe('openclaw');
    expect(facts).toEqual({
      session: 'session-1',
      project: '/work/shop',
      startedAt: ms(0),
      model: 'model-1',
    });
    const usage = { input: 9, output: 2, cachedInput: 1 };
    expect(events).toEqual([
      { type: 'user', text: 'fix it', at: ms(2) },
      { type: 'turn', at: ms(3), usage },
      { type: 'tool-call', id: 'a', tool: 'exec', args: { command: 'ls' }, at: ms(3) },
      { type: 'tool-result', id: 'a', tool: 'exec', status: 'error', output: 'x', at: ms(4) },
      { type: 'turn', at: ms(5), text: 'Done.', usage },
    ]);
  });

  it('is the same as rows of its table, one a line or in a list', () => {
    const rows = session.map((event, seq) => ({
      session_id: 'session-1',
      seq,
      event_json: JSON.stringify(event),
      event_zstd: null,
      event_utf8_bytes: 1,
    }));
    const whole = readText(lines(...session));
    expect(readText(lines(...rows))).toEqual(whole);
    expect(readText(JSON.stringify(rows, null, 1))).toEqual(whole);
  });

  it('says which rows it cannot read', () => {
    const { events, problems } = readText(
      lines(...session, { seq: 7, event_json: null, event_zstd: 'KLUv' }, { seq: 8, event_json: '{"type":' }),
    );
    expect(events).toHaveLength(5);
    expect(problems).toEqual(['8: an event that cannot be read', '9: an event that cannot be read']);
  });

  it('is recognised when it has only begun, and by the mark of older files', () => {
    expect(readText(lines(header, session[2] as object)).format).toBe('openclaw');
    expect(readText(lines({ ...header, version: 3 }, session[1] as object)).format).toBe('openclaw');
    expect(readText(lines(header)).format).toBe('pi');
  });

  it.each([1, 7, 65_536])('is the same in pieces of %i bytes', (size) => {
    expect(readText(lines(...session), { size })).toEqual(readText(lines(...session)));
  });

  it('keeps what came before a line that is cut off', () => {
    const { events, problems } = readText(`${lines(...session)}{"type":"mess`);
    expect(events).toHaveLength(5);
    expect(problems).toEqual(['8: the last line is not finished']);
  });

  it.each([
    [true, { status: 'blocked', deniedReason: 'tool-loop' }, 'blocked'],
    [true, { status: 'blocked', deniedReason: 'plugin-approval' }, 'denied'],
    [true, { exitReason: 'manual-cancel' }, 'cancelled'],
    [false, { status: 'forbidden' }, 'error'],
    [false, { status: 'failed' }, 'error'],
    [false, { status: 'completed', exitCode: 0 }, 'ok'],
    [true, { status: 'error' }, 'error'],
  ])('tells how a call ended: %s, %j', (isError, details, status) => {
    expect(readText(lines(header, result(1, isError, details))).events).toMatchObject([{ status }]);
  });

  it('tells a person from other sessions and from itself', () => {
    const { events } = readText(
      lines(
        header,
        message(1, 'user', 'a', { provenance: { kind: 'external_user' } }),
        message(2, 'user', 'b', { provenance: { kind: 'inter_session' } }),
        message(3, 'user', '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nc'),
        message(4, 'user', '[Fri 2026-03-06 07:07 UTC] A background task "d" just completed successfully.'),
        assistant(5, [{ type: 'text', text: 'as sent' }], { provider: 'openclaw', model: 'delivery-mirror' }),
        entry('reset', 6, {}),
      ),
    );
    expect(events.map((event) => (event.type === 'user' ? event.by : event.type))).toEqual([
      undefined,
      'host',
      'host',
      'host',
      'compaction',
    ]);
  });

  it('is read whatever its values are', () => {
    expect(readHostile(openclaw, session).length).toBeGreaterThan(300);
  });
});

describe('the document of a run', () => {
  const run = {
    payloads: [{ text: 'Done.' }],
    meta: {
      agentMeta: {
        sessionId: 'session-1',
        model: 'model-1',
        usage: { input: 100, output: 20, cacheRead: 40, cacheWrite: 10 },
      },
      systemPromptReport: { workspaceDir: '/work/shop' },
    },
  };

  it.each([undefined, 1])('tells of the whole run, indented by %s', (indent) => {
    expect(readText(JSON.stringify(run, null, indent))).toMatchObject({
      format: 'openclaw',
      events: [],
      facts: {
        session: 'session-1',
        model: 'model-1',
        project: '/work/shop',
        usage: { input: 110, output: 20, cachedInput: 40 },
      },
      problems: [],
    });
  });

  it('is read whatever its values are', () => {
    expect(readHostile(openclaw, [run]).length).toBeGreaterThan(100);
  });
});

it.each([
  header,
  { type: 'custom', customType: 'mine', data: {}, id: 'x', parentId: null, timestamp: at(0) },
  { meta: { agentMeta: 'x' } },
])('leaves to others: %j', (value) => {
  expect(readText(lines(value), { formats: [openclaw] }).format).toBeNull();
});

it('comes before pi, whose entries it keeps', () => {
  expect(readText(lines(...session), { formats: [pi] }).format).toBe('pi');
});
