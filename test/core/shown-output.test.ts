import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { resultOf } from '../../src/adapters/ai-sdk/model-output.ts';
import { type ChatMessage, deloop, type LoopRun } from '../../src/adapters/generic/index.ts';
import { createWatch } from '../../src/adapters/watch.ts';
import { shownOutput } from '../../src/core/shown-output.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const svg = (n: number) => base64(`<svg><circle r="${n}"/></svg>`);
const address = (id: string) => `https://cdn.test/renders/${id}.png`;
/** The same ids each time: the nth picture is the same whenever it is shown. */
const ids = Array.from({ length: 13 }, () => randomUUID());
const idOf = (n: number) => ids[n % ids.length] as string;
const text = { type: 'text', text: 'Rendered:' };

/** An image or a file as a tool gives it, by a number. */
type Picture = (n: number) => object;
const inline = (n: number) => base64(`picture ${n}`.repeat(9));
const pictures: { readonly [name: string]: Picture } = {
  'MCP image': (n) => ({ type: 'image', data: inline(n), mimeType: 'image/png' }),
  'MCP image, SVG': (n) => ({ type: 'image', data: svg(n), mimeType: 'image/svg+xml' }),
  'MCP audio': (n) => ({ type: 'audio', data: inline(n), mimeType: 'audio/wav' }),
  'MCP blob': (n) => ({
    type: 'resource',
    resource: { uri: 'x://a', blob: inline(n), mimeType: 'image/png' },
  }),
  'OpenAI, by address': (n) => ({ type: 'image_url', image_url: { url: address(idOf(n)) } }),
  'OpenAI, by id': (n) => ({ type: 'input_image', file_id: `file-${idOf(n)}` }),
  'Anthropic, by address': (n) => ({ type: 'image', source: { type: 'url', url: address(idOf(n)) } }),
  'AI SDK 5, inline': (n) => ({ type: 'media', data: svg(n), mediaType: 'image/svg+xml' }),
  'AI SDK 6, by address': (n) => ({ type: 'image-url', url: address(idOf(n)) }),
  'AI SDK 6, by id': (n) => ({ type: 'image-file-id', fileId: `file-${idOf(n)}` }),
  'AI SDK 6, by ids': (n) => ({ type: 'file-id', fileId: { some: `file-${idOf(n)}` } }),
  'AI SDK 6, inline': (n) => ({ type: 'image-data', data: svg(n), mediaType: 'image/svg+xml' }),
  'AI SDK 7, by address': (n) => ({
    type: 'file',
    mediaType: 'image/png',
    data: { type: 'url', url: new URL(address(idOf(n))) },
  }),
  'AI SDK 7, by id': (n) => ({
    type: 'file',
    mediaType: 'image/png',
    data: { type: 'reference', reference: { some: `file-${idOf(n)}` } },
  }),
  'AI SDK 7, inline': (n) => ({
    type: 'file',
    mediaType: 'image/svg+xml',
    data: { type: 'data', data: svg(n) },
  }),
  'Gemini, inline': (n) => ({ inlineData: { data: svg(n), mimeType: 'image/svg+xml' } }),
  'Gemini, by address': (n) => ({ fileData: { fileUri: address(idOf(n)), mimeType: 'image/png' } }),
  'OpenAI Agents': (n) => ({ type: 'image', image: { url: address(idOf(n)) } }),
  Strands: (n) => ({
    type: 'imageBlock',
    format: 'png',
    source: { bytes: new TextEncoder().encode(svg(n)) },
  }),
};
const placed: { readonly [where: string]: (picture: object) => unknown } = {
  alone: (picture) => picture,
  'in a list': (picture) => [text, picture],
  'in a content': (picture) => ({ content: [text, picture] }),
  'in parts': (picture) => ({ parts: [text, picture] }),
};

/** How many of twelve calls ran. */
async function ran(show: (run: LoopRun, n: number) => Promise<unknown>): Promise<number> {
  const guard = deloop();
  let runs = 0;
  for (let n = 0; n < 12; n++)
    runs += (await show(guard, n).then(
      () => 1,
      () => 0,
    )) as number;
  return runs;
}

describe.each(Object.entries(pictures))('%s', (_, picture) => {
  it.each(Object.entries(placed))(
    '%s: others are results of their own, the same are none',
    async (_w, put) => {
      const look = (nth: (n: number) => number) =>
        ran((run, n) => run.tool('render', async (_scene: string) => put(picture(nth(n))))('intro'));
      expect(await look((n) => n)).toBe(12);
      expect(await look(() => 1)).toBe(4);
    },
  );

  it('in the content that the AI SDK tells the model, too', async () => {
    for (const [nth, stopped] of [
      [(n: number) => n, false],
      [() => 1, true],
    ] as const) {
      const run = createWatch({}).start();
      for (let n = 0; n < 12; n++) {
        const call = { id: `c${n}`, tool: 'render', args: { scene: 'intro' } };
        run.turn();
        if (run.before(call).do === 'run')
          run.after(call, resultOf({ type: 'content', value: [text, picture(nth(n))] }));
        run.takeNudge();
      }
      expect(run.stopped !== null).toBe(stopped);
    }
  });
});

describe("what an MCP server gives, as the AI SDK's client writes it", () => {
  const written: { readonly [name: string]: Picture } = {
    audio: (n) => ({ type: 'text', text: JSON.stringify(pictures['MCP audio']?.(n)) }),
    blob: (n) => ({ type: 'text', text: JSON.stringify(pictures['MCP blob']?.(n)) }),
  };
  it.each(Object.entries(written))('%s', async (_, picture) => {
    const seen = (n: number) =>
      JSON.stringify(shownOutput(resultOf({ type: 'content', value: [picture(n)] }).output));
    expect(seen(1)).toBe(seen(1));
    expect(new Set([1, 2, 3].map(seen)).size).toBe(3);
    expect(seen(1)).not.toContain(inline(1));
  });

  it('is text where it is none of these', () => {
    const given = '{"type":"resource","resource":{"uri":"x://a","text":"Nothing was found."}}';
    expect(resultOf({ type: 'content', value: [{ type: 'text', text: given }] }).output).toBe(given);
    const broken = '{"type":"audio", and so on';
    expect(resultOf({ type: 'content', value: [{ type: 'text', text: broken }] }).output).toBe(broken);
  });
});

describe('what is no picture', () => {
  it('stays what it is, so that noise in it is known as noise', async () => {
    const files = (n: number) => [
      { type: 'file', name: 'a.ts', size: 12, read: `2026-11-17T10:00:${10 + n}Z` },
      { type: 'directory', name: 'src', read: `2026-11-17T10:00:${10 + n}Z` },
    ];
    expect(shownOutput(files(1))).toEqual(files(1));
    expect(await ran((run, n) => run.tool('list', async (_: string) => files(n))('.'))).toBe(4);
  });

  it('is the signature at its address', async () => {
    const signed = (id: string) => ({
      type: 'image_url',
      image_url: { url: `${address(id)}?expires=2026-11-17T10:00:00Z&signature=${randomUUID()}` },
    });
    const look = (nth: (n: number) => number) =>
      ran((run, n) => run.tool('render', async (_: string) => signed(idOf(nth(n))))('intro'));
    expect(await look((n) => n)).toBe(12);
    expect(await look(() => 1)).toBe(4);
  });

  it('is what stands beside one', async () => {
    const listed = (n: number) => ({
      content: [
        { type: 'text', text: `At 10:00:${10 + n}:` },
        { type: 'file', url: address('one'), read: `2026-11-17T10:00:${10 + n}Z` },
      ],
    });
    expect(await ran((run, n) => run.tool('list', async (_: string) => listed(n))('.'))).toBe(4);
  });

  it('is a text in a file', async () => {
    const file = (n: number) => ({
      type: 'file',
      data: { type: 'text', text: `Read at 10:00:${10 + n}, it is empty.` },
    });
    expect(await ran((run, n) => run.tool('read', async (_: string) => file(n))('a.txt'))).toBe(4);
  });

  it('may be anything', () => {
    const broken = Object.defineProperty({}, 'type', {
      enumerable: true,
      get: () => {
        throw new Error('mine');
      },
    });
    for (const output of [null, undefined, '', 7, [], {}, [null, 7], { content: 7 }, broken, [broken]])
      expect(shownOutput(output)).toBe(output);
  });
});

it('a picture in a message is the same result as before', async () => {
  const { read } = deloop();
  const messages: ChatMessage[] = [{ role: 'user', content: 'Render.' }];
  const nudges: boolean[] = [];
  for (let n = 0; n < 3; n++) {
    const call = { type: 'tool_use', id: `c${n}`, name: 'render', input: {} };
    const result = {
      type: 'tool_result',
      tool_use_id: `c${n}`,
      content: [text, pictures['Anthropic, by address']?.(1)],
    };
    messages.push({ role: 'assistant', content: [call] }, { role: 'user', content: [result] });
    nudges.push((await read(messages)).nudge !== null);
  }
  expect(nudges).toEqual([false, false, true]);
});
