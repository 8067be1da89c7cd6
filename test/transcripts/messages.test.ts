import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/core/types.ts';
import { readHostile } from './hostile.ts';
import { at, lines, SAMPLES, type Sample, SPANS } from './message-samples.ts';
import { readText } from './read.ts';

// What holds for every format of messages that no single program owns.

const named = SAMPLES.map((sample) => [sample.format.name, sample] as const);
/** Written and read as one JSON value. */
const documented = named.filter(([, { list }]) => list !== '');

/** What the formats agree on; times, ids of the model's own and the endings differ. */
function told({ type, ...event }: AgentEvent): unknown {
  const { text, by, reasoning, tool, id, args, output } = event as { [name: string]: unknown };
  if (type === 'user') return { type, text, by };
  if (type === 'turn') return { type, text, reasoning };
  return type === 'tool-call' ? { type, id, tool, args } : { type, id, output };
}

const story = [
  { type: 'user', text: 'You are careful.', by: 'host' },
  { type: 'user', text: 'Fix the build.', by: undefined },
  { type: 'turn', text: 'I look.', reasoning: 'First the file.' },
  { type: 'tool-call', id: 'call-1', tool: 'read', args: { path: 'a.txt' } },
  { type: 'tool-call', id: 'call-2', tool: 'run', args: { command: 'make' } },
  { type: 'tool-result', id: 'call-1', output: 'hello' },
  { type: 'tool-result', id: 'call-2', output: 'no rule to make target' },
  { type: 'turn', text: 'It cannot be built.', reasoning: undefined },
];

/** Anthropic has no message for the system prompt; the spans tell which tool was done first. */
function storyOf({ format }: Sample): readonly unknown[] {
  if (format.name === 'anthropic') return story.slice(1);
  return format.name === 'otel' ? [0, 1, 2, 3, 4, 6, 5, 7].map((index) => story[index]) : story;
}

describe('the same story in every format', () => {
  it.each(named)('%s, a message a line', (name, sample) => {
    const { format, events, problems } = readText(lines(...sample.records));
    expect(format).toBe(name);
    expect(problems).toEqual([]);
    expect(events.map(told)).toEqual(storyOf(sample));
  });

  it.each(named)('%s, as a list', (name, sample) => {
    for (const indent of [0, 2]) {
      const { format, events, problems } = readText(JSON.stringify(sample.records, null, indent));
      expect(format).toBe(name);
      expect(problems).toEqual([]);
      expect(events.map(told)).toEqual(storyOf(sample));
    }
  });

  it.each(documented)('%s, in a document beside other things', (name, sample) => {
    const document = {
      id: 'session-1',
      model: 'gpt-5.1',
      tools: [{ name: 'read', parameters: {} }],
      created_at: at / 1000,
      [sample.list]: sample.records,
      usage: { input_tokens: 7, output_tokens: 8 },
    };
    for (const indent of [0, 2]) {
      const { format, events, facts } = readText(JSON.stringify(document, null, indent));
      expect(format).toBe(name);
      expect(events.map(told)).toEqual(storyOf(sample));
      expect(facts).toMatchObject({ session: 'session-1', startedAt: at });
    }
  });

  it('spans in one document', () => {
    const parts = SPANS.records.flatMap((record) => (record as { resourceSpans: object[] }).resourceSpans);
    const { format, events } = readText(JSON.stringify({ resourceSpans: parts }, null, 2));
    expect(format).toBe('otel');
    expect(events.map(told)).toEqual(storyOf(SPANS));
  });
});

describe('laws', () => {
  it.each(named)('%s: the pieces in which it is read change nothing', (_name, { records }) => {
    for (const text of [lines(...records), JSON.stringify(records)]) {
      const whole = readText(text);
      for (const size of [1, 7]) expect(readText(text, { size })).toEqual(whole);
    }
  });

  it.each(named)('%s: a line that is not JSON costs only itself', (_name, { records }) => {
    const text = lines(...records);
    const { events } = readText(text);
    const broken = readText(`{"role": "assis\n${text}`);
    expect(broken.events).toEqual(events);
    expect(broken.problems).toEqual(['1: not JSON']);
  });

  it.each(named)('%s: what is before a half-written line is kept', (name, { records }) => {
    const text = lines(...records);
    const before = readText(lines(...records.slice(0, -1)));
    const { format, events, problems } = readText(text.slice(0, -9));
    expect(format).toBe(name);
    expect(problems).toEqual([`${records.length}: the last line is not finished`]);
    expect(events).toEqual(before.events);
  });

  it.each(documented)(
    '%s: what is before the end of a document that breaks off is kept',
    (name, { records, list }) => {
      const text = JSON.stringify({ [list]: records });
      const { format, events, problems } = readText(text.slice(0, text.length - 20));
      expect(format).toBe(name);
      expect(problems).toEqual([`${records.length}: the document is not finished`]);
      expect(events).toEqual(readText(lines(...records.slice(0, -1))).events);
    },
  );

  it.each(documented)(
    '%s: a second document behind the first is not a part of it',
    (_name, { records, list }) => {
      const text = JSON.stringify({ [list]: records }, null, 1);
      expect(readText(`${text}\n${text}\n`).events).toEqual(readText(text).events);
    },
  );

  it.each(named)('%s: no value in it is trusted', (_name, { format, records }) => {
    for (const { events } of readHostile(format, records)) {
      for (const { type } of events) expect(type).toMatch(/^(?:user|turn|tool-call|tool-result|compaction)$/);
    }
  });

  it.each(documented)('%s: nor in a document', (_name, { format, records, list }) => {
    const trusting = { ...format, recognises: () => true };
    const wrong = [null, 7, 'x', [null], { role: {}, type: {} }];
    for (const value of wrong) {
      for (const name of [list, 'usage', 'model', 'request', 'response', 'choices', 'steps', 'values']) {
        const text = JSON.stringify({ [name]: value, [list]: records });
        expect(() => readText(text, { formats: [trusting] })).not.toThrow();
      }
    }
  });

  it.each(named)('%s: it can be told when it has only begun', (name, { records }) => {
    const begun = readText(lines(...records.slice(0, 2)));
    // Plain words are the same in both, until the model calls a tool.
    expect(begun.format).toBe(name === 'ai-sdk' ? 'openai-chat' : name);
    expect(begun.events.length).toBeGreaterThan(0);
  });

  it.each(named)('%s: it is not taken for its neighbours', (name, { format, records }) => {
    for (const [other, { format: neighbour }] of named) {
      // Messages of plain text are a part of each of these dialects, so that the last one asked takes them all.
      if (other === name || other === 'openai-chat') continue;
      const { format: found } = readText(lines(...records), { formats: [neighbour] });
      expect(found, `${name} read as ${other}`).toBeNull();
    }
    expect(readText(lines(...records)).format).toBe(format.name);
  });

  it.each(named)('%s: what has nothing to do with it is not claimed', (_name, { format }) => {
    const foreign = [
      { level: 'info', message: 'started', time: at },
      { type: 'user', message: { role: 'user', content: 'hi' }, sessionId: 's' },
      { type: 'response_item', payload: { type: 'message', role: 'user', content: [] } },
      { type: 'session', version: 3, id: 'x', cwd: '/work' },
      { role: 'user', parts: [{ text: 'hi' }] },
      { info: { role: 'user' }, parts: [] },
      { tool: 'read', args: {} },
      7,
      null,
      'text',
      [],
    ];
    for (const value of foreign) {
      for (const text of [
        JSON.stringify(value),
        JSON.stringify([value]),
        JSON.stringify({ messages: [value] }),
      ]) {
        expect(readText(text, { formats: [format] }).format, text).toBeNull();
      }
    }
  });
});
