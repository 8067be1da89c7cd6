import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import {
  CallBlocked,
  type ChatMessage,
  deloop,
  isCallBlocked,
  isLoopHalted,
  type LoopRun,
  type StopReason,
} from '../../src/adapters/generic/index.ts';
import { createMessageReader } from '../../src/adapters/generic/message-reader.ts';
import { createWatch } from '../../src/adapters/watch.ts';
import { type AgentEvent, type Intervention, type Preset, presets } from '../../src/index.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { testAdapter } from '../../src/testing/test-adapter.ts';
import { wrappedTools } from './generic-host.ts';
import { messageHosts } from './message-hosts.ts';

testAdapter(wrappedTools, { describe, it });
for (const host of messageHosts) testAdapter(host, { describe, it });

async function times<Result>(n: number, run: () => Promise<Result>): Promise<readonly (Result | Error)[]> {
  const results: (Result | Error)[] = [];
  for (let index = 0; index < n; index++) results.push(await run().catch((error: Error) => error));
  return results;
}

const MANY = 100;

/** How many of them something still holds on to. */
function leftOf(refs: readonly WeakRef<object>[]): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return refs.filter((ref) => ref.deref() !== undefined).length;
}

describe('wrapped tools', () => {
  it('keep their types', async () => {
    const guard = deloop();
    const { add, shout } = guard.tools({
      add: ({ a, b }: { a: number; b: number }, _signal?: AbortSignal) => a + b,
      shout: async (text: string) => text.toUpperCase(),
    });
    expectTypeOf(add).toEqualTypeOf<
      (args: { a: number; b: number }, signal?: AbortSignal) => Promise<number>
    >();
    expectTypeOf(shout).toEqualTypeOf<(text: string) => Promise<string>>();
    expect([await add({ a: 1, b: 2 }), await shout('hey')]).toEqual([3, 'HEY']);
    const one = guard.tool('one', async () => ({ found: true }), { blocked: () => ({ found: false }) });
    expectTypeOf(one).toEqualTypeOf<() => Promise<{ found: boolean }>>();
  });

  it('keep their types where those depend on what they are given', async () => {
    async function find(key: number): Promise<number>;
    async function find(key: string): Promise<string>;
    async function find(key: number | string) {
      return key;
    }
    class Later extends Promise<string> {
      readonly isLater = true;
    }
    const { tool, tools } = deloop();
    const same = tool('same', async <Value>(value: Value) => value);
    expectTypeOf(await same(7)).toEqualTypeOf<number>();
    const found = tools({ find });
    expectTypeOf(await found.find(7)).toEqualTypeOf<number>();
    expectTypeOf(await found.find('x')).toEqualTypeOf<string>();
    const later = tool('later', () => new Later((resolve) => resolve('x')));
    expectTypeOf(later()).toEqualTypeOf<Promise<string>>();
    const parsed = tool('parse', (text: string) => JSON.parse(text));
    expectTypeOf(parsed).returns.not.toBeAny();
    const owned = {
      prefix: 'x',
      async join(this: { prefix: string }, text: string) {
        return `${this.prefix}${text}`;
      },
    };
    expectTypeOf(tools(owned).join('y')).toEqualTypeOf<Promise<string>>();
    const loose = tools({} as { readonly [name: string]: (args: unknown) => unknown });
    expectTypeOf(loose).toEqualTypeOf<{ readonly [name: string]: (args: unknown) => Promise<unknown> }>();
  });

  it('keep their names, and what a program has put there', async () => {
    function search(this: unknown, query: string): string {
      return `nothing for ${query}`;
    }
    const given = { search: Object.assign(search, { description: 'Searches.' }) };
    const guard = deloop();
    const tools = guard.tools(given);
    expectTypeOf(tools.search.description).toEqualTypeOf<string>();
    expectTypeOf(tools.search).returns.toEqualTypeOf<Promise<string>>();
    for (const tool of [tools.search, guard.tool('find', given.search)]) {
      expect([tool.name, tool.length, tool.description]).toEqual(['search', 1, 'Searches.']);
      expect(await tool('x')).toBe('nothing for x');
    }
  });

  it('nudge in their result, throw what is blocked, and throw the stop', async () => {
    const look = deloop().tool('look', async (_query: string) => 'Nothing was found.');
    const results = await times(8, () => look('x'));
    expect(results.slice(0, 2)).toEqual(['Nothing was found.', 'Nothing was found.']);
    expect(results[2]).toMatch(/^Nothing was found\.\n\nlook has given the same result 3 times/);
    expect(results[3]).toMatch(/^Nothing was found\./);
    expect(results.slice(4, 6).map(isCallBlocked)).toEqual([true, true]);
    expect(results[4]).toBeInstanceOf(CallBlocked);
    expect((results[4] as Error).message).toMatch(/^Not run:/);
    expect(results.slice(6).map(isLoopHalted)).toEqual([true, true]);
  });

  it('may answer themselves for a call that is not run, and leave nudges to the loop', async () => {
    const guard = deloop();
    const look = guard.tool('look', async () => ({ found: 0, why: '' }), {
      blocked: (why) => ({ found: -1, why }),
      nudges: 'queue',
    });
    const results = await times(5, look);
    expect(results[4]).toMatchObject({ found: -1, why: expect.stringMatching(/^Not run:/) });
    expect(guard.takeNudge()?.text).toMatch(/^look has given the same result 4 times/);
  });

  it('are seen to give the same again though they change the arguments they got', async () => {
    const look = deloop().tool('look', async (query: { text: string; limit?: number }) => {
      query.limit ??= 10;
      return 'Nothing was found.';
    });
    const results = await times(3, () => look({ text: 'x' }));
    expect(results[2]).toMatch(/^Nothing was found\.\n\nlook has given the same result 3 times/);
  });

  it('are told apart by all that the model wrote, and not by what the loop hands on', async () => {
    const guard = deloop();
    const write = guard.tool('write_file', async (_path: string, _content: string) => 'Done.');
    const insert = guard.tool('insert', async (_table: string, _row: object) => 'Done.');
    let n = 0;
    expect(new Set(await times(9, () => write('a.txt', `line ${n++}`)))).toEqual(new Set(['Done.']));
    expect(new Set(await times(9, () => insert('users', { name: `n${n++}` })))).toEqual(new Set(['Done.']));
    const look = deloop().tool('look', async (_query: string, _context: object) => 'Nothing was found.');
    expect(
      (await times(5, () => look('x', { id: n++, signal: new AbortController().signal }))).at(-1),
    ).toSatisfy(isCallBlocked);
    expect((await times(1, () => look('x', new Map([[n, n]])))).at(0)).toSatisfy(isCallBlocked);
  });

  it('are known for what they do, whatever stands behind the command', async () => {
    const guard = deloop();
    const bash = guard.tool('bash', async (command: string, _folder: string) =>
      command.startsWith('cat') ? 'Nothing.' : '',
    );
    let n = 0;
    const results = await times(12, async () => {
      await bash(`sed -i s/a/${n++}/ a.txt`, '/tmp');
      return bash('cat a.txt', '/tmp');
    });
    expect(new Set(results)).toEqual(new Set(['Nothing.']));
  });

  it('must be functions: none is left out without a word', () => {
    const guard = deloop();
    expect(() => guard.tools({ search: { execute: () => 'found' } })).toThrow(
      'tools is ["search"]; it must be an object of functions, by the names of the tools',
    );
    expect(() => guard.tools([{ name: 'search', execute: () => 'found' }])).toThrow(
      'tools is ["0"]; it must be an object of functions, by the names of the tools',
    );
    expect(() => guard.tool('search', undefined as never)).toThrow(
      'tools["search"] is undefined; it must be a function',
    );
    expect(guard.tools({})).toEqual({});
    expect(guard.tools([])).toEqual({});
  });

  it('find the object that they are of', async () => {
    class Kit {
      readonly #found: { readonly [query: string]: string } = { a: 'one' };
      readonly limit = 3;
      search(query: string): string {
        return this.#found[query] ?? 'none';
      }
      get size(): number {
        throw new Error('it is no tool');
      }
    }
    class More extends Kit {
      count = async (_query: string) => this.limit;
    }
    const guard = deloop();
    const tools = guard.tools(new More());
    expectTypeOf(tools.search).toEqualTypeOf<(query: string) => Promise<string>>();
    expectTypeOf<keyof typeof tools>().toEqualTypeOf<'search' | 'count'>();
    expect(Object.keys(tools)).toEqual(['count', 'search']);
    expect([await tools.search('a'), await tools.count('a')]).toEqual(['one', 3]);
    const plain = {
      prefix: '> ',
      quote: (text: string) => text,
      cite(text: string) {
        return this.prefix + this.quote(text);
      },
    };
    const { cite } = guard.tools(plain);
    expect(await cite('a')).toBe('> a');
    const host = { prefix: '- ', cite: guard.tool('cite', plain.cite as (text: string) => string) };
    expect(await host.cite('a').catch(String)).toMatch(/TypeError/);
    Object.assign(host, { quote: plain.quote });
    expect(await host.cite('a')).toBe('- a');
  });

  it('are not taken to repeat themselves for what JSON cannot show', async () => {
    const values: readonly ((n: number) => unknown)[] = [
      (n) => new Map([['row', n]]),
      (n) => ({ rows: new Set([n]) }),
      (n) => new Response(`page ${n}`),
    ];
    for (const value of values) {
      let n = 0;
      const guard = deloop();
      const query = guard.tool('query', async (_args: unknown) => value(n++));
      const ask = guard.tool('ask', async (_args: unknown) => 'Nothing was found.');
      expect((await times(9, () => query('x'))).filter(isCallBlocked)).toEqual([]);
      expect((await times(9, () => ask(value(n++)))).filter(isCallBlocked)).toEqual([]);
      expect(guard.stopped).toBeNull();
    }
    const look = deloop().tool('look', async () => new Map([['row', 1]]));
    expect((await times(5, look)).map(isCallBlocked)).toEqual([false, false, false, false, true]);
  });

  it('throw on what a tool throws, as it is', async () => {
    class Special extends Error {
      readonly code = 7;
    }
    const thrown = new Special('x');
    const fail = deloop().tool('fail', () => {
      throw thrown;
    });
    await expect(fail()).rejects.toBe(thrown);
  });

  describe('that give their failures as values', () => {
    const attempts = async (guard: ReturnType<typeof deloop>, output: unknown, options = {}) => {
      const create = guard.tool('create_order', async (_: { item: number }) => output, options);
      const { also } = guard.tools({ also: async (_: { item: number }) => output }, options);
      for (let n = 1; n <= 30 && guard.stopped === null; n++)
        await (n % 2 === 0 ? create : also)({ item: n }).catch(String);
      return guard.stopped !== null;
    };
    const failed = { error: 'The API key is not valid.' };
    const isFailure = (output: unknown) => typeof output === 'object' && output !== null && 'error' in output;

    it("are stopped where MCP's results say so, the tool, or the guard", async () => {
      const mcp = { content: [{ type: 'text', text: failed.error }], isError: true };
      expect(await attempts(deloop(), mcp)).toBe(true);
      expect(await attempts(deloop(), failed, { isFailure })).toBe(true);
      expect(await attempts(deloop({ isFailure }), failed)).toBe(true);
      expect(await attempts(deloop({ isFailure }), failed, { isFailure: undefined })).toBe(true);
    });

    it('are told to have failed only then', async () => {
      for (const [output, options, status] of [
        [failed, {}, 'ok'],
        [{ content: [], isError: false }, {}, 'ok'],
        [{ found: 0 }, { isFailure }, 'ok'],
        [failed, { isFailure }, 'error'],
      ] as const) {
        const events: AgentEvent[] = [];
        const guard = deloop({ ...options, onDecision: (_, event) => events.push(event) });
        await times(3, () => guard.tool('look', async () => output)());
        expect(events).toMatchObject([{ type: 'tool-result', status }]);
      }
    });

    it('keep what they gave where the check breaks', async () => {
      const errors: unknown[] = [];
      const broken = new Error('mine');
      const guard = deloop({
        isFailure: () => {
          throw broken;
        },
        onError: (error) => errors.push(error),
      });
      expect(await guard.tool('look', async () => 'Found.')()).toBe('Found.');
      expect(errors).toEqual([broken]);
    });
  });

  it('throw a question that nobody was there to answer, and run on when it is answered', async () => {
    const guard = deloop({ attended: true });
    const look = guard.tool('look', async () => ({ found: 0 }));
    const [error] = (await times(8, look)).slice(-1);
    expect(isLoopHalted(error) && error.reason.action).toBe('ask');
    guard.answer(true);
    expect(await look()).toEqual({ found: 0 });
  });

  it('throw a stop with what was kept until then', async () => {
    const guard = deloop();
    const look = guard.tool('look', async () => ({ found: 0 }));
    guard.keep({ looked: 7 });
    const [error] = (await times(8, look)).slice(-1);
    expect(isLoopHalted(error) && error.partial).toEqual({ looked: 7 });
  });

  it('count for the sub-agent they are given to', async () => {
    const heard: Intervention[] = [];
    const guard = deloop({ onDecision: (decision) => heard.push(decision) });
    const tools = { look: async () => ({ found: 0 }) };
    await times(3, guard.tools(tools, { agent: 'researcher' }).look);
    await times(2, guard.tools(tools).look);
    expect(heard.map(({ action, agent }) => [action, agent])).toEqual([['nudge', 'researcher']]);
  });
});

it('names all of its options where one is unknown', () => {
  const isFailur = () => false;
  expect(() => deloop({ isFailur } as object)).toThrow(/no option "isFailur"; known are .*\bisFailure\b/);
  expect(() => deloop({ isFailure: isFailur })).not.toThrow();
  expect(() => deloop({ isFailure: 5 as never })).toThrow('isFailure is 5; it must be a function');
});

describe('run', () => {
  it('gives what the loop gives', async () => {
    const ended = await deloop().run(async () => 7);
    expect(ended).toEqual({ ended: 'done', value: 7 });
    if (ended.ended === 'done') expectTypeOf(ended.value).toEqualTypeOf<number>();
    else expectTypeOf(ended.reason).toEqualTypeOf<StopReason>();
  });

  it('gives the reason and what was kept when the guard stops it', async () => {
    const ended = await deloop().run(async (run) => {
      const { look } = run.tools({ look: async () => ({ found: 0 }) });
      for (let n = 1; ; n++) {
        run.keep({ looked: n });
        await look().catch((error: Error) => {
          if (!isCallBlocked(error)) throw error;
        });
      }
    });
    expect(ended).toMatchObject({
      ended: 'stopped',
      reason: { by: 'deloop', action: 'halt', detector: 'no-progress' },
      partial: { looked: 8 },
    });
  });

  describe('of a loop without tools', () => {
    const talk = (run: LoopRun, each: () => void = () => {}) => {
      let turns = 0;
      for (; !run.isOver() && turns < 40; turns++) {
        each();
        run.turn({ text: 'The task is complete. All done!' });
        run.takeNudge();
      }
      return turns;
    };

    it('is over one response after the stop, whether or not it asks for its last turn', () => {
      const [one, other] = [deloop(), deloop()];
      const turns = talk(one);
      expect(turns).toBeLessThan(10);
      expect(talk(other, () => other.takeLastTurn())).toBe(turns);
      one.resume();
      expect(one.isOver()).toBe(false);
    });

    it('has its last turn after a stream that was cut, where the preset leaves it one', () => {
      const ladder = presets.recommended.ladder.map((rung) => ({ ...rung, hint: 'last-turn' as const }));
      const run = deloop({ preset: { ...presets.recommended, ladder } });
      for (let n = 1; n <= 20 && run.stopped === null; n++) {
        while (run.delta('content', 'and so on and so forth, '));
        run.turn({ text: 'and so on' });
        run.takeNudge();
      }
      expect([run.stopped === null, run.isOver()]).toEqual([false, false]);
      run.turn({ text: 'This is all.' });
      expect(run.isOver()).toBe(true);
    });
  });

  describe('streams that break', () => {
    const words =
      'In the meantime I looked at the heap dumps of three pods, and each of them shows the same index twice. Here is what I found so far: ' +
      'the worker restarts every five minutes because it runs out of memory while it loads the index.';
    const pieces = words.match(/.{1,9}/gs) ?? [];

    it('are no responses once the loop has told of it, and hide no loop', async () => {
      const heard = async (breaks: number) => {
        const actions: string[] = [];
        const run = deloop({
          onDecision: ({ action, call, finding }) => actions.push(`${action} ${call} ${finding.detector}`),
        });
        const look = run.tool('look', async () => 'Nothing was found.');
        for (let n = 1; n <= 9; n++) {
          run.turn({ text: words });
          await look().catch(() => {});
          for (let broken = 1; broken <= breaks; broken++) {
            for (const piece of pieces) expect(run.delta('content', piece)).toBe(true);
            run.tell({ type: 'rewind' });
          }
          run.takeNudge();
        }
        return actions;
      };
      expect(await heard(9)).toEqual(await heard(0));
      expect((await heard(9)).at(-1)).toBe('halt 7 no-progress');
    });

    it('after their turn was told, by the loop or in messages, are taken back with it', async () => {
      const heard: Intervention[] = [];
      const run = deloop({ onDecision: (decision) => heard.push(decision) });
      const asked: ChatMessage = { role: 'user', content: 'Find it.' };
      for (let n = 1; n <= 9; n++) {
        for (const piece of pieces) run.delta('content', piece);
        run.turn({ text: words });
        run.tell({ type: 'rewind' });
        await run.read([asked]);
        for (const piece of pieces) run.delta('content', piece);
        await run.read([asked, { role: 'assistant', content: words }]);
        run.tell({ type: 'rewind' });
      }
      expect(heard).toEqual([]);
    });
  });

  it('hands over nothing that an earlier run of the session has kept', async () => {
    const guard = deloop({ session: 'one' });
    await guard.run((run) => run.keep('the first task'));
    const ended = await guard.run(async (run) => {
      const look = run.tool('look', async () => ({ found: 0 }));
      for (;;) {
        const error = await look().catch((thrown: Error) => thrown);
        if (isLoopHalted(error)) throw error;
      }
    });
    expect(ended).toMatchObject({ ended: 'stopped', partial: undefined });
  });

  it('holds on to nothing of what the loop has kept once it has ended', async () => {
    const guard = deloop();
    const kept: WeakRef<object>[] = [];
    for (let n = 0; n < MANY; n++)
      await guard.run(
        async (run) => {
          const messages = { n };
          kept.push(new WeakRef(messages));
          run.keep(messages);
        },
        { session: `chat-${n}` },
      );
    await expect.poll(() => leftOf(kept)).toBeLessThan(MANY / 2);
  });

  it('throws on everything else', async () => {
    const error = new TypeError('mine');
    await expect(
      deloop().run(() => {
        throw error;
      }),
    ).rejects.toBe(error);
  });

  it('keeps runs apart, unless they have a session in common', async () => {
    const heard: string[] = [];
    const guard = deloop({ onDecision: ({ action }, _event, session) => heard.push(`${action} ${session}`) });
    const twice = (session?: string) =>
      guard.run((run) => times(2, run.tools({ look: async () => ({ found: 0 }) }).look), { session });
    await Promise.all([twice(), twice(), twice('a')]);
    expect(heard).toEqual([]);
    await twice('a');
    expect(heard).toEqual(['nudge a', 'nudge a']);
    expect(guard.of('a').session).toBe('a');
  });
});

describe('read', () => {
  const call = (n: number): ChatMessage =>
    ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${n}`, type: 'function', function: { name: 'look', arguments: '{"q":"x"}' } }],
    }) as ChatMessage;
  const result = (n: number, content = 'Nothing was found.'): ChatMessage =>
    ({ role: 'tool', tool_call_id: `c${n}`, content }) as ChatMessage;
  const rounds = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => [call(from + index), result(from + index)]).flat();
  const system: ChatMessage = { role: 'system', content: 'You look.' };
  const user: ChatMessage = { role: 'user', content: 'Look.' };

  it('takes the items of one response for one turn', async () => {
    const run = createWatch().start();
    const turns = vi.spyOn(run, 'turn');
    const read = createMessageReader(run);
    const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] };
    const items: ChatMessage[] = [
      { type: null, role: 'user', content: 'Look.' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] } as ChatMessage,
      { type: 'web_search_call', id: 'ws' } as ChatMessage,
      said,
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"q":"x"}' } as ChatMessage,
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'raw' } as ChatMessage,
      { type: 'function_call_output', call_id: 'c1', output: 'Nothing.' } as ChatMessage,
    ];
    const { calls } = await read(items);
    expect(calls).toMatchObject([{ id: 'c2', tool: 'patch', args: 'raw' }]);
    items.push({ type: 'custom_tool_call_output', call_id: 'c2', output: 'Done.' } as ChatMessage, said);
    expect((await read(items)).calls).toEqual([]);
    expect((await read(items.slice(2))).calls).toEqual([]);
    expect(turns.mock.calls.map(([turn]) => [turn?.text, turn?.reasoning])).toEqual([
      ['I look.', 'Hm.'],
      ['I look.', ''],
    ]);
  });

  it('knows a message again to which a nudge was added', async () => {
    const { read } = deloop();
    const asked = (n: number) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id: `c${n}`, name: 'look', input: { q: 'x' } }],
    });
    const answer = { type: 'tool_result', content: 'Nothing was found.' };
    const messages: ChatMessage[] = [user];
    const done: unknown[] = [];
    for (let n = 1; n <= 5; n++) {
      messages.push(asked(n));
      const { calls } = await read(messages);
      done.push(calls.map(({ verdict }) => verdict.do).join());
      const content: object[] = [{ ...answer, tool_use_id: `c${n}` }];
      messages.push({ role: 'user', content });
      const { nudge } = await read(messages);
      if (nudge !== null) content.push({ type: 'text', text: nudge });
    }
    expect(done).toEqual(['run', 'run', 'run', 'run', 'answer']);
  });

  it('reads the response that follows a summary of all there was', async () => {
    const item = { type: 'function_call', call_id: 'c3', name: 'look', arguments: '{}' } as ChatMessage;
    for (const response of [[call(3)], [{ type: 'reasoning' }, item]]) {
      const { read } = deloop();
      await read([user, ...rounds(1, 2)]);
      const { calls } = await read([{ role: 'user', content: 'Summary.' }, ...response]);
      expect(calls).toMatchObject([{ id: 'c3', verdict: { do: 'run' } }]);
    }
  });

  it("reads calls as OpenAI's first models wrote them", async () => {
    const { read } = deloop();
    const messages: ChatMessage[] = [user];
    for (let n = 1; n <= 3; n++) {
      const function_call = { name: 'look', arguments: '{"q":"x"}' };
      messages.push({ role: 'assistant', content: null, function_call } as ChatMessage);
      expect((await read(messages)).calls).toMatchObject([{ tool: 'look' }]);
      messages.push({ role: 'function', name: 'look', content: 'Nothing was found.' } as ChatMessage);
      expect((await read(messages)).nudge === null).toBe(n < 3);
    }
  });

  it('reads a message once', async () => {
    const { read } = deloop();
    const messages = [system, user, ...rounds(1, 2)];
    for (let n = 0; n < 5; n++)
      expect(await read(messages)).toMatchObject({ calls: [], nudge: null, over: false });
    messages.push(call(3));
    for (let n = 0; n < 3; n++) {
      const { calls } = await read(messages);
      expect(calls).toMatchObject([{ id: 'c3', tool: 'look', verdict: { do: 'run' } }]);
    }
    messages.push(result(3));
    expect((await read(messages)).nudge).toMatch(/same result 3 times/);
    expect((await read(messages)).nudge).toBeNull();
  });

  it('gives a nudge only when every call has its result', async () => {
    const { read } = deloop();
    const two = {
      ...call(3),
      tool_calls: [
        ...(call(3) as never as { tool_calls: [] }).tool_calls,
        { id: 'c4', function: { name: 'look', arguments: '{"q":"x"}' } },
      ],
    } as ChatMessage;
    const messages = [user, ...rounds(1, 2), two, result(3)];
    expect(await read(messages)).toMatchObject({ nudge: null, calls: [{ id: 'c4' }] });
    messages.push(result(4));
    expect((await read(messages)).nudge).not.toBeNull();
  });

  it('goes through a conversation that began elsewhere as history', async () => {
    const { read } = deloop();
    const nudge = (await deloop().read([user, ...rounds(1, 3)])).nudge as string;
    const messages = [user, ...rounds(1, 3), { role: 'user', content: nudge }, ...rounds(4, 4), call(5)];
    const { calls } = await read(messages);
    expect(calls).toMatchObject([{ id: 'c5', verdict: { do: 'answer' } }]);
  });

  it('takes its own words for no message of a person, and those of a person for one', async () => {
    for (const [content, action] of [
      [null, 'answer'],
      ['It has moved: look again.', 'run'],
    ] as const) {
      const { read } = deloop();
      const messages = [user, ...rounds(1, 3)];
      const { nudge } = await read(messages);
      messages.push({ role: 'user', content: content ?? nudge }, ...rounds(4, 4), call(5));
      expect((await read(messages)).calls[0]?.verdict.do).toBe(action);
    }
  });

  it('notices a conversation that was compacted, and goes on behind it', async () => {
    const { read } = deloop();
    await read([user, ...rounds(1, 2)]);
    const compacted = [{ role: 'user', content: 'Summary.' }, call(2), result(2)];
    expect((await read(compacted)).nudge).toBeNull();
    expect((await read([...compacted, ...rounds(3, 3)])).nudge).toMatch(/3 times/);
    expect(await read([{ role: 'user', content: 'Another summary.' }])).toMatchObject({
      calls: [],
      over: false,
    });
  });

  it('does not wait for results that never came', async () => {
    const { read } = deloop();
    const messages = [user, call(1), user, ...rounds(2, 2)];
    expect((await read(messages)).calls).toEqual([]);
    messages.push(call(3), ...rounds(4, 5));
    expect(await read(messages)).toMatchObject({ calls: [], nudge: expect.stringMatching(/3 times/) });
  });

  it('reads calls without an id', async () => {
    const { read } = deloop();
    const messages: ChatMessage[] = [user];
    const nudges: unknown[] = [];
    for (let n = 1; n <= 3; n++) {
      messages.push({
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'look', arguments: '{}' } }],
      } as ChatMessage);
      expect((await read(messages)).calls).toHaveLength(1);
      messages.push({ role: 'tool', content: 'Nothing was found.' });
      nudges.push((await read(messages)).nudge);
    }
    expect(nudges).toEqual([null, null, expect.stringMatching(/3 times/)]);
  });

  it('reads text and reasoning', async () => {
    const heard: Intervention[] = [];
    const { read } = deloop({ onDecision: (decision) => heard.push(decision) });
    const runaway = 'I should check again. '.repeat(100);
    await read([user, { role: 'assistant', content: runaway }]);
    await read([
      user,
      { role: 'assistant', content: runaway },
      user,
      { role: 'assistant', content: [{ type: 'thinking', thinking: runaway }] },
    ]);
    expect(heard.map(({ finding }) => finding.subject)).toEqual(['content', 'reasoning']);
  });

  it('passes over what it does not know', async () => {
    const { read } = deloop();
    const strange = [
      null,
      7,
      'x',
      {},
      { role: 'assistant', tool_calls: 7 },
      { role: 'assistant', content: [null, { type: 'tool_use' }] },
      { role: 'tool' },
      { role: 'user', content: [{ type: 'image' }] },
    ];
    expect(await read(strange as ChatMessage[])).toMatchObject({ calls: [], nudge: null });
  });

  it('gives each agent a place of its own', async () => {
    const preset: Preset = { ...presets.zagens };
    const { read } = deloop({ preset });
    await read([user, ...rounds(1, 2)]);
    expect((await read([user, call(3)], { agent: 'other' })).calls[0]?.verdict.do).toBe('run');
    expect((await read([user, ...rounds(1, 2), call(3)])).calls[0]?.verdict.do).toBe('answer');
  });

  it('holds on to no messages of conversations that have ended', async () => {
    const guard = deloop();
    const said: WeakRef<ChatMessage>[] = [];
    for (let n = 0; n < MANY; n++) {
      const question: ChatMessage = { role: 'user', content: `What is in file ${n}?` };
      const answer: ChatMessage = { role: 'assistant', content: `Nothing, ${n}.` };
      said.push(new WeakRef(question), new WeakRef(answer));
      await guard.of(`chat-${n}`).read([question, answer]);
    }
    await expect.poll(() => leftOf(said)).toBeLessThan(MANY);
    expect(guard.of('chat-0').stopped).toBeNull();
  });

  describe('of many sub-agents', () => {
    it('keeps no messages of those that have ended', async () => {
      const { read } = deloop();
      const said: WeakRef<ChatMessage>[] = [];
      for (let n = 0; n < MANY; n++) {
        const answer: ChatMessage = { role: 'assistant', content: `Done, ${n}.` };
        said.push(new WeakRef(answer));
        await read([user, ...rounds(1, 1), answer], { agent: `agent-${n}` });
      }
      await expect.poll(() => leftOf(said)).toBeLessThan(MANY);
    });

    it.each(['this', 'another'])(
      'goes on in %s process where it was with the main agent',
      async (process) => {
        const store = createMemoryStore();
        const preset: Preset = { ...presets.zagens, userBoundary: 'keep' };
        const options = { preset, session: 'team', store };
        const guard = deloop(options);
        const messages = [user, ...rounds(1, 1)];
        await guard.read(messages);
        for (let n = 0; n < MANY; n++) await guard.read([user, ...rounds(1, 1)], { agent: `agent-${n}` });
        const { read } = process === 'this' ? guard : deloop(options);
        expect((await read([...messages, call(2)])).calls[0]?.verdict.do).toBe('run');
      },
    );
  });
});
