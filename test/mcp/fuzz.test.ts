import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardedEvents } from '../../src/cli/mcp/http/event-stream.ts';
import { garbled, garbledLine } from './garbled.ts';
import { scripted } from './proxied.ts';
import { talk } from './talk.ts';

const SEED = 20_261_115;

describe('whatever comes', { timeout: 60_000 }, () => {
  it.each(['recommended', 'zagens'] as const)('a session takes it and goes on: %s', (preset) => {
    const { session } = talk({ preset });
    const way = { toClient: () => {}, toServer: () => {} };
    fc.assert(
      fc.property(garbled, fc.boolean(), (bytes, isClient) => {
        if (isClient) session.fromClient(bytes, way);
        else expect(session.fromServer(bytes)).toBeInstanceOf(Buffer);
      }),
      { seed: SEED, numRuns: 3000 },
    );
    const ping = Buffer.from('{"jsonrpc":"2.0","id":"still there","method":"ping"}');
    expect(session.fromClient(ping, way)).toBe(ping);
  });

  it('the proxy passes it on, both ways, and lives', async () => {
    // Answers to questions of ours go no further than to us.
    const isOurs = (line: Buffer) => line.includes('deloop-approval-');
    const lines = fc.sample(garbledLine, { seed: SEED, numRuns: 1000 }).filter((line) => !isOurs(line));
    const last = '{"jsonrpc":"2.0","id":"the last","method":"ping"}\n';
    // What comes back from a mirror is what the server says.
    const { child, ended, until } = scripted('mirrors', '', ['--shadow']);
    child.stdin.write(Buffer.concat([...lines, Buffer.from(last)]));
    await until('the last');
    child.stdin.end();
    const { status, out } = await ended;
    expect(status).toBe(0);
    expect(out.equals(Buffer.concat([...lines, Buffer.from(last)]))).toBe(true);
  });

  it('a stream of events is the same however it is cut into pieces', async () => {
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    const line = fc.constantFrom(
      'data: {"a":1}',
      'data:',
      'data',
      'id: 7',
      ': x',
      'event: message',
      'event: y',
      '',
    );
    const text = fc
      .array(fc.tuple(line, ends), { maxLength: 30 })
      .map((lines) => lines.map(([words, end]) => words + end).join(''));
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (events, sizes) => {
          expect(await through(events, [events.length + 1], (message) => message)).toBe(events);
          expect(await through(events, sizes, (message) => message)).toBe(events);
          const change = (message: Buffer) => (message.length > 0 ? Buffer.from('changed') : message);
          const whole = await through(events, [events.length + 1], change);
          expect(messagesIn(await through(events, sizes, change))).toEqual(messagesIn(whole));
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
  });
});

async function through(
  text: string,
  sizes: readonly number[],
  handle: (message: Buffer) => Buffer,
): Promise<string> {
  const source = new PassThrough();
  const events = source.pipe(guardedEvents(handle));
  for (let at = 0, n = 0; at < text.length; n++) {
    const size = sizes[n % sizes.length] as number;
    source.write(text.slice(at, at + size));
    at += size;
  }
  source.end();
  let out = '';
  for await (const chunk of events) out += String(chunk);
  return out;
}

/** Events as a client reads them. */
function messagesIn(text: string): readonly string[] {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\n+/)
    .map((event) => event.trim())
    .filter((event) => event !== '');
}
