import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STATUSES } from '../../src/core/types.ts';
import { FORMATS } from '../../src/transcripts/formats.ts';
import { createRecording } from '../../src/transcripts/recording.ts';
import type { TraceLine } from '../../src/transcripts/trace.ts';
import { createTranscript } from '../../src/transcripts/transcript.ts';
import { readFixture } from './read.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const CALL = '{"type":"tool-call","tool":"read","args":{}}';

function read(bytes: Uint8Array, size = 65_536) {
  const recording = createRecording(FORMATS);
  const items: TraceLine[] = [];
  for (let at = 0; at < bytes.length; at += size)
    items.push(...recording.push(bytes.subarray(at, at + size)));
  items.push(...recording.end());
  return { items, format: recording.format?.name ?? null };
}

describe('a trace', () => {
  it('is told line by line, as it comes', () => {
    const recording = createRecording(FORMATS);
    expect([...recording.push(bytesOf('{"type":"user","text":"go"}\n'))]).toEqual([]);
    const [user, call] = [...recording.push(bytesOf(`${CALL}\n`))];
    expect([user, call]).toMatchObject([{ line: 1 }, { line: 2, event: { type: 'tool-call' } }]);
    expect([...recording.push(bytesOf('{"type":"turn"}\n'))]).toMatchObject([{ line: 3 }]);
    expect([...recording.end()]).toEqual([]);
  });

  it.each([
    ['broken lines', '{"type":\nno\n', [{ error: 'not JSON' }, { error: 'not JSON' }]],
    ['types of others', '{"type":"weather"}\n{"type":"session"}', [{ line: 1 }, { line: 2 }]],
    ['decisions', '{"call":1,"action":"halt","detector":"x"}\n', [{ record: { action: 'halt' } }]],
    ['nothing', '', []],
  ])('is what nobody recognises: %s', (_what, text, expected) => {
    for (const size of [1, 65_536]) {
      const { items, format } = read(bytesOf(text), size);
      expect(items).toMatchObject(expected);
      expect(format).toBeNull();
    }
  });

  it('is never taken for something else, whatever its first event is', () => {
    const text = 'it is so';
    for (const event of [
      { type: 'user', text, at: 1 },
      { type: 'turn' },
      { type: 'turn', text, reasoning: text, usage: { input: 1, output: 1 } },
      { type: 'text-delta', channel: 'content', text },
      { type: 'tool-call', id: '1', tool: 'read', args: {} },
      ...STATUSES.map((status) => ({ type: 'tool-result', id: '1', status, output: text })),
      { type: 'calls-known' },
      { type: 'round-done' },
      { type: 'state-change', resource: 'file' },
      { type: 'compaction' },
      { type: 'rewind' },
      { type: 'control', do: 'grant', n: 1 },
      { type: 'verdict', stuck: 0.5 },
      { type: 'spawn', to: 'ann', depth: 1 },
      { type: 'handoff', to: 'ann' },
      { type: 'swarm-tally', key: 'k', calls: 1, workers: 1 },
    ]) {
      const lines = `${JSON.stringify(event)}\n`.repeat(50);
      expect(read(bytesOf(lines)).format, event.type).toBeNull();
    }
  });

  it('is one however late its first event comes', () => {
    const lines = `${'{"type":"weather","text":"sun"}\n'.repeat(100)}${CALL}\n`;
    const { items } = read(bytesOf(lines), 100);
    expect(items).toHaveLength(101);
    expect(items.at(-1)).toMatchObject({ line: 101, event: { type: 'tool-call' } });
  });
});

describe('a transcript of somebody else', () => {
  it.each([
    'codex/varied.jsonl',
    'cline/varied.messages.json',
    'continue-cli/varied.json',
    'gemini-cli/failing.jsonl',
    'opencode/failing.json',
    'pi/identical.jsonl',
  ])('is told as its events: %s', (path) => {
    const bytes = readFileSync(new URL(`./fixtures/recorded/${path}`, import.meta.url));
    const { events, format } = readFixture(`recorded/${path}`);
    for (const size of [97, 65_536]) {
      const told = read(bytes, size);
      expect(told.format).toBe(format);
      expect(told.items.map((item) => ('event' in item ? item.event : item))).toEqual(events);
    }
  });

  it('tells of a line that is broken', () => {
    const text = readFileSync(new URL('./fixtures/recorded/codex/varied.jsonl', import.meta.url), 'utf8');
    const lines = text.split('\n');
    const { items } = read(bytesOf(lines.with(4, '{"type":').join('\n')));
    expect(items.filter((item) => 'error' in item)).toEqual([{ line: 5, error: 'not JSON' }]);
  });
});

it('recognises a session after any number of pauses', () => {
  const events: unknown[] = [];
  const transcript = createTranscript(FORMATS, {
    event: (event) => events.push(event),
    facts() {},
    problem() {},
  });
  transcript.push(bytesOf('{"type":"weather"}\n'));
  for (let pause = 0; pause < 20; pause++) transcript.flush();
  transcript.push(bytesOf(`${CALL}\n`));
  transcript.flush();
  expect(transcript.format?.name).toBe('deloop');
  expect(events).toHaveLength(1);
});
