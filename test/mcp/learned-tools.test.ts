import { describe, expect, it } from 'vitest';
import { type Fields, type Talk, talk, textsOf } from './talk.ts';

const ANSWER = {
  result: { content: [{ type: 'text', text: 'The same words as ever, whatever was asked for here.' }] },
};

/** Tells what the server says of its tools. */
function listed({ client, server }: Talk, ...tools: Fields[]): void {
  client({ jsonrpc: '2.0', id: 'list', method: 'tools/list' });
  server({ jsonrpc: '2.0', id: 'list', result: { tools } });
}

function refused({ call }: Talk, tool: string, args: readonly Fields[]): readonly boolean[] {
  return args.map((one) => textsOf(call(tool, one, ANSWER)).isError);
}

describe('what a server says of its tools', () => {
  const pages = [1, 2, 3].map((page) => ({ url: 'x', page }));

  it.each(['deloop/identity', 'openrouter/loopKey'])('tells by %s what makes two calls the same', (name) => {
    const talking = talk({ preset: 'zagens' });
    expect(refused(talking, 'fetch', pages)).toEqual([false, false, false]);
    listed(talking, { name: 'fetch', _meta: { [name]: ['url'] } });
    expect(refused(talking, 'fetch', pages)).toEqual([false, false, true]);
  });

  it.each(['deloop/identity', 'openrouter/loopKey'])('tells by %s that no two calls are the same', (name) => {
    const talking = talk({ preset: 'zagens' });
    listed(talking, { name: 'poll', _meta: { [name]: false } });
    expect(refused(talking, 'poll', [{}, {}, {}, {}])).toEqual([false, false, false, false]);
  });

  it('is heard of by our own name first', () => {
    const talking = talk({ preset: 'zagens' });
    listed(talking, { name: 'fetch', _meta: { 'openrouter/loopKey': false, 'deloop/identity': ['url'] } });
    expect(refused(talking, 'fetch', pages)).toEqual([false, false, true]);
  });

  it.each([[], 'url', {}, [1], [''], null, true, 7])('%j as an identity says nothing', (identity) => {
    const talking = talk({ preset: 'zagens' });
    listed(talking, { name: 'fetch', _meta: { 'deloop/identity': identity } });
    expect(refused(talking, 'fetch', pages)).toEqual([false, false, false]);
    expect(refused(talking, 'fetch', [{}, {}, {}])).toEqual([false, false, true]);
  });

  it('gives way to what the user declared', () => {
    const talking = talk({ preset: 'zagens', tools: { 'fe*': { identity: ['page'] } } });
    listed(talking, { name: 'fetch', _meta: { 'deloop/identity': ['url'] } });
    expect(refused(talking, 'fetch', pages)).toEqual([false, false, false]);
  });

  it('is forgotten when the server says otherwise', () => {
    const talking = talk({ preset: 'zagens' });
    listed(talking, { name: 'fetch', _meta: { 'deloop/identity': ['url'] } });
    listed(talking, { name: 'fetch' });
    expect(refused(talking, 'fetch', pages)).toEqual([false, false, false]);
  });

  it.each([null, 5, 'tools', {}, [null, 5, { name: 5 }, [], { name: 'x', annotations: 7, _meta: 7 }]])(
    'may be nonsense: %j',
    (tools) => {
      const { client, server } = talk();
      client({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } });
      expect(server(answer)).toBe(answer);
    },
  );
});

describe('annotations', () => {
  /** Reads a file, calls a tool, and so on: does the call in between count as a change of the world? */
  function clears(tool: Fields): boolean {
    const talking = talk();
    listed(talking, tool);
    const note = {
      result: { content: [{ type: 'text', text: 'Done, as it should be, in the usual way.' }] },
    };
    const reads = Array.from({ length: 6 }, (_, n) => {
      talking.call(tool['name'] as string, { n }, note);
      return textsOf(talking.call('read_file', { path: 'a.txt' }, ANSWER)).isError;
    });
    return !reads.includes(true);
  }

  it('say that a tool only reads, whatever it is called', () => {
    expect(clears({ name: 'update_view' })).toBe(true);
    expect(clears({ name: 'update_view', annotations: { readOnlyHint: true } })).toBe(false);
  });

  it('say that a tool sets something down, whatever it is called', () => {
    expect(clears({ name: 'frobnicate' })).toBe(false);
    expect(clears({ name: 'frobnicate', annotations: { idempotentHint: true } })).toBe(true);
  });

  it('do not make a change of a lookup that may be called twice', () => {
    expect(clears({ name: 'get_status', annotations: { idempotentHint: true } })).toBe(false);
  });

  it('of a tool that only reads win over all others', () => {
    expect(clears({ name: 'frobnicate', annotations: { readOnlyHint: true, idempotentHint: true } })).toBe(
      false,
    );
  });
});
