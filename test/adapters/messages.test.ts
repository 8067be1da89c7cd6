import { describe, expect, it } from 'vitest';
import {
  type ChatMessage,
  deloop,
  type LoopOptions,
  type LoopRun,
  type ReadCall,
  type WatchOptions,
} from '../../src/adapters/generic/index.ts';
import type { Json } from '../../src/core/types.ts';
import { type Intervention, presets } from '../../src/index.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';

const user: ChatMessage = { role: 'user', content: 'Look.' };
const message = (fields: object) => fields as ChatMessage;
const calling = (n: number, tool = 'look', args: object = {}) =>
  message({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: `c${n}`, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } },
    ],
  });
const result = (n: number, content: unknown = 'Nothing was found.') =>
  message({ role: 'tool', tool_call_id: `c${n}`, content });
/** What stands in place of a result. */
const instead = (call: ReadCall | undefined) =>
  call === undefined || call.verdict.do === 'run' ? undefined : call.verdict.text;
const image = (n: number) => ({
  type: 'image_url',
  image_url: { url: `https://x.test/${n}f3a9c2e7b1d4.png` },
});

/** How an API writes a call, and its result where the host runs it. */
type Api = {
  readonly call: (n: number) => readonly ChatMessage[];
  readonly result?: (n: number, blocked: string | null) => readonly ChatMessage[];
};

/** A loop over messages; gives the decisions, and the round in which it ended. */
async function played({ call, result: resultOf }: Api, rounds = 30, options: WatchOptions = {}) {
  const heard: Intervention[] = [];
  const { read } = deloop({ ...options, onDecision: (decision) => heard.push(decision) });
  const messages = [user];
  let ended = 0;
  for (let n = 1; n <= rounds && ended === 0; n++) {
    messages.push(...call(n));
    const [open] = (await read(messages)).calls;
    if (resultOf) messages.push(...resultOf(n, instead(open) ?? null));
    const { nudge, over, lastTurn } = await read(messages);
    if (nudge !== null) messages.push({ role: 'user', content: nudge });
    if (over || lastTurn) ended = n;
  }
  return { actions: heard.map(({ action }) => action), ended };
}

describe("what OpenAI's own tools do", () => {
  type Item = readonly [type: string, item: (n: number) => object, output: (n: number) => unknown];
  const items: readonly Item[] = [
    [
      'computer_call',
      (n) => ({ action: { type: 'click', x: n, y: n } }),
      (n) => ({ type: 'computer_screenshot', image_url: `data:image/png;base64,${n}` }),
    ],
    ['local_shell_call', (n) => ({ action: { type: 'exec', command: ['cat', `f${n}`] } }), (n) => `out ${n}`],
    [
      'shell_call',
      (n) => ({ action: { commands: [`cat f${n}`] } }),
      (n) => [{ stdout: `out ${n}`, stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    ],
    ['apply_patch_call', (n) => ({ operation: { type: 'update_file', path: `f${n}`, diff: 'x' } }), () => ''],
  ];
  const api = ([type, item, output]: Item, nth: (n: number) => number): Api => ({
    call: (n) => [
      message({ type: 'reasoning', id: `r${n}`, summary: [] }),
      message({ type, call_id: `c${n}`, id: `i${n}`, ...item(nth(n)) }),
    ],
    result: (n, blocked) => [
      message({
        type: `${type}_output`,
        call_id: `c${n}`,
        status: 'completed',
        output: blocked ?? output(nth(n)),
      }),
    ],
  });

  it.each(items)('%s: is left alone while it gets on, and seen when it does not', async (...item) => {
    expect(await played(api(item, (n) => n))).toEqual({ actions: [], ended: 0 });
    const { actions, ended } = await played(api(item, () => 1));
    expect(actions).toContain('nudge');
    expect(actions.at(-1)).toBe('halt');
    expect(ended).toBeLessThan(10);
  });

  it('is told as calls', async () => {
    const [call] = api(items[2] as Item, (n) => n)
      .call(1)
      .slice(1);
    const { calls } = await deloop().read([user, call as ChatMessage]);
    expect(calls).toMatchObject([{ id: 'c1', tool: 'shell', args: { commands: ['cat f1'] } }]);
  });

  it('fails where it says so', async () => {
    const failing: Item = [
      'shell_call',
      (n) => ({ action: { commands: [`make t${n}`] } }),
      () => [{ stdout: '', stderr: 'error: no rule to make it', outcome: { type: 'exit', exit_code: 2 } }],
    ];
    expect((await played(api(failing, (n) => n))).actions).toContain('halt');
  });

  it.each([
    ['web_search_call', (n: number) => ({ action: { type: 'search', query: `q${n}` } })],
    ['file_search_call', () => ({ queries: ['x'], results: null })],
    ['image_generation_call', (n: number) => ({ result: `iVBOR${n}` })],
    ['mcp_call', (n: number) => ({ name: 'look', arguments: `{"n":${n}}`, output: `found ${n}` })],
  ])('at the provider is no talk: %s', async (type, fields) => {
    const call = (n: number) => [message({ type, id: `i${n}`, status: 'completed', ...fields(n) })];
    expect(await played({ call }, 40)).toEqual({ actions: [], ended: 0 });
    expect((await deloop().read([user, ...call(1)])).calls).toEqual([]);
  });

  const id = (n: number) =>
    `${(n * 7919).toString(16).padStart(8, '67c9fa05')}${'0123456789abcdef'.repeat(2)}`;
  it.each([
    ['web_search_call', (n: number) => message({ type: 'web_search_call', id: `ws_${id(n)}` })],
    [
      'file_search_call',
      (n: number) => message({ type: 'file_search_call', id: `fs_${id(n)}`, queries: ['x'], results: null }),
    ],
    [
      'server_tool_use',
      (n: number) =>
        message({
          role: 'assistant',
          content: [{ type: 'server_tool_use', id: `srvtoolu_01${id(n)}`, name: 'web_search', input: {} }],
        }),
    ],
  ])('at the provider, with a result that nobody sees, is no loop: %s', async (_, item) => {
    expect(await played({ call: (n) => [item(n)] }, 12)).toEqual({ actions: [], ended: 0 });
  });

  it('at the provider is seen to go nowhere', async () => {
    const item = { type: 'mcp_call', name: 'look', arguments: '{}', output: 'Nothing was found.' };
    const { actions } = await played({ call: (n) => [message({ ...item, id: `i${n}` })] });
    expect(actions.slice(0, 1)).toEqual(['nudge']);
    expect(actions).toContain('halt');
    const broken = { ...item, output: null, error: 'no such page' };
    expect((await played({ call: (n) => [message({ ...broken, id: `i${n}` })] })).actions).toContain('halt');
  });

  it('is of one response with the code that calls it, and with what was said before', async () => {
    const programmed = (nth: (n: number) => number): Api => ({
      call: (n) => [
        ...(n === 1
          ? []
          : [message({ type: 'program_output', id: `o${n}`, call_id: `p${n - 1}`, result: '' })]),
        message({ type: 'reasoning', id: `r${n}`, summary: [] }),
        message({
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: `Let me look at file ${n}.` }],
        }),
        message({ type: 'program', id: `i${n}`, call_id: `p${n}`, code: `await read(${nth(n)})` }),
        message({
          type: 'function_call',
          call_id: `c${n}`,
          name: 'read',
          arguments: `{"file":${nth(n)}}`,
          caller: { type: 'program', caller_id: `p${n}` },
        }),
      ],
      result: (n, blocked) => [
        message({
          type: 'function_call_output',
          call_id: `c${n}`,
          output: blocked ?? `What is in ${nth(n)}.`,
        }),
      ],
    });
    expect(await played(programmed((n) => n))).toEqual({ actions: [], ended: 0 });
    expect((await played(programmed(() => 1))).actions.at(-1)).toBe('halt');
  });

  it('at Anthropic is no talk either', async () => {
    const call = (n: number): readonly ChatMessage[] => [
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: `s${n}`, name: 'web_search', input: { query: `q${n}` } },
          { type: 'web_search_tool_result', tool_use_id: `s${n}`, content: [{ url: `https://x.test/${n}` }] },
        ],
      },
    ];
    expect(await played({ call }, 40)).toEqual({ actions: [], ended: 0 });
  });
});

describe('images', () => {
  const anthropic = (nth: (n: number) => number, beside: boolean): Api => ({
    call: (n) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: `c${n}`, name: 'render', input: {} }] },
    ],
    result: (n, blocked) => {
      const data = {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: `PNG${nth(n)}` },
      };
      const content = blocked ?? (beside ? 'done' : [data]);
      const answer = { type: 'tool_result', tool_use_id: `c${n}`, content };
      return [{ role: 'user', content: beside ? [answer, data] : [answer] }];
    },
  });
  const responses = (nth: (n: number) => number): Api => ({
    call: (n) => [message({ type: 'function_call', call_id: `c${n}`, name: 'render', arguments: '{}' })],
    result: (n, blocked) => {
      const output = blocked ?? [{ type: 'input_image', image_url: `data:image/png;base64,${nth(n)}` }];
      return [message({ type: 'function_call_output', call_id: `c${n}`, output })];
    },
  });
  const chat = (nth: (n: number) => number): Api => ({
    call: (n) => [calling(n, 'click', { x: 1 })],
    result: (n, blocked) => [
      result(n, blocked ?? 'clicked'),
      { role: 'user', content: [{ type: 'text', text: 'The screen now:' }, image(nth(n))] },
    ],
  });
  const apis = {
    'in results of Anthropic': (nth: (n: number) => number) => anthropic(nth, false),
    'beside results of Anthropic': (nth: (n: number) => number) => anthropic(nth, true),
    'in results of the Responses API': responses,
    'behind results of Chat Completions': chat,
  };

  it.each(Object.entries(apis))('%s are results: others are progress, the same are none', async (_, api) => {
    expect(await played(api((n) => n))).toEqual({ actions: [], ended: 0 });
    const { actions, ended } = await played(api(() => 1));
    expect([actions, ended]).toEqual([['nudge', 'block', 'block', 'halt'], 7]);
  });

  it('behind results that were read before say whether something has moved', async () => {
    for (const moves of [true, false]) {
      const heard: string[] = [];
      const { read } = deloop({ onDecision: ({ action }) => heard.push(action) });
      const messages = [user];
      for (let n = 1; n <= 9; n++) {
        messages.push(calling(n, 'click'));
        const [open] = (await read(messages)).calls;
        messages.push(result(n, open?.verdict.do === 'run' ? 'clicked' : 'not run'));
        await read(messages);
        messages.push({ role: 'user', content: [image(moves ? n : 1)] });
      }
      expect(heard.includes('halt')).toBe(!moves);
    }
  });

  it('of a person are a message of a person', async () => {
    const { read } = deloop({ lastTurn: false });
    const messages = [user];
    for (let n = 1; n <= 7; n++) {
      messages.push(calling(n));
      const [open] = (await read(messages)).calls;
      messages.push(result(n, instead(open)));
      await read(messages);
    }
    expect((await read(messages)).over).toBe(true);
    const asked: ChatMessage = { role: 'user', content: [{ type: 'text', text: 'See here.' }, image(1)] };
    expect((await read([...messages, asked])).over).toBe(false);
    expect((await deloop({ lastTurn: false }).read([...messages, asked])).over).toBe(false);
  });
});

describe('a response that the host drops, to ask for another', () => {
  it('is no compaction', async () => {
    const [kept, dropped] = await Promise.all(
      [false, true].map(async (drops) => {
        const heard: string[] = [];
        const { read } = deloop({ onDecision: ({ finding: { detector } }) => heard.push(detector) });
        const messages = [user];
        for (let n = 1; n <= 8; n++) {
          if (drops) await read([...messages, calling(100 + n, 'read', { page: n })]);
          messages.push(calling(n, 'read', { file: n % 3 }));
          await read(messages);
          messages.push(result(n, `File ${n % 3}.`));
          const { nudge, over } = await read(messages);
          expect(over).toBe(false);
          if (nudge !== null) messages.push({ role: 'user', content: nudge });
        }
        return heard;
      }),
    );
    expect(kept).toEqual(['stale-rounds', 'no-progress', 'no-progress']);
    expect(dropped).toEqual(kept);
  });
});

describe('messages of the user', () => {
  it('are whose the host says they are', async () => {
    for (const [byHost, action] of [
      [true, 'answer'],
      [false, 'run'],
      [undefined, 'run'],
    ] as const) {
      const { read } = deloop();
      const messages = [user];
      for (let n = 1; n <= 4; n++)
        messages.push(calling(n), result(n), { role: 'user', content: 'Go on with the task.' });
      const options = { byHost: ({ content }: ChatMessage) => (content === user.content ? false : byHost) };
      await read(messages, options);
      const { calls } = await read([...messages, calling(5)], options);
      expect(calls[0]?.verdict.do).toBe(action);
    }
  });

  it('are read where what the host says of them breaks', async () => {
    const errors: unknown[] = [];
    const { read } = deloop({ onError: (error, about) => errors.push([String(error), about]) });
    const fail = () => {
      throw new Error('mine');
    };
    const options = { byHost: fail, isFailure: fail };
    const { calls } = await read([user, calling(1), result(1), calling(2)], options);
    expect(calls).toMatchObject([{ id: 'c2', verdict: { do: 'run' } }]);
    expect(errors).toEqual([
      ['Error: mine', 'byHost'],
      ['Error: mine', 'isFailure'],
    ]);
  });

  it.each([
    ['in the same words', () => 'What is in it?'],
    ['in other words', (n: number) => `What is in it? ${'Please. '.repeat(n)}`],
  ])('that ask for another answer %s begin anew, in whatever is left of the list', async (_, words) => {
    for (const before of [[], [user, calling(1), result(1), { role: 'assistant', content: 'Nothing.' }]]) {
      const heard: Intervention[] = [];
      const { read } = deloop({ onDecision: (decision) => heard.push(decision) });
      for (let n = 1; n <= 6; n++) {
        const messages: ChatMessage[] = [...before, { role: 'user', content: words(n) }];
        for (const file of [1, 2]) {
          messages.push(calling(10 * n + file, 'read', { file }));
          const { calls } = await read(messages);
          expect(calls).toMatchObject([{ verdict: { do: 'run' } }]);
          messages.push(result(10 * n + file, `File ${file}.`));
          await read(messages);
        }
        messages.push({ role: 'assistant', content: 'Two files.' });
        expect(await read(messages)).toMatchObject({ nudge: null, over: false });
      }
      expect(heard).toEqual([]);
    }
  });

  it('are no person where they are the summary of a loop that only talks, or what stands before it', async () => {
    for (const summary of ['user', 'assistant']) {
      const { read } = deloop();
      let messages: ChatMessage[] = [user];
      let n = 0;
      for (let over = false; !over && n < 40; n++) {
        if (messages.length > 5) messages = [user, { role: summary, content: 'Some parts are done.' }];
        messages.push({ role: 'assistant', content: `Part ${n} comes next: ${n * 7919}, ${Math.sqrt(n)}.` });
        const { stopped, nudge, lastTurn } = await read(messages);
        if (nudge !== null) messages.push({ role: 'user', content: nudge });
        over = lastTurn && stopped?.detector === 'text-only';
      }
      expect(n).toBeLessThan(20);
    }
  });

  it('that ask for another answer let a stopped agent go on', async () => {
    for (const options of [{ lastTurn: false }, { attended: true }]) {
      const { read } = deloop(options);
      const messages: ChatMessage[] = [user];
      for (let n = 1, over = false; !over; n++) {
        messages.push(calling(n));
        const { calls } = await read(messages);
        messages.push(result(n, instead(calls[0])));
        over = (await read(messages)).over;
      }
      expect(await read([user, calling(100)])).toMatchObject({
        calls: [{ verdict: { do: 'run' } }],
        over: false,
        stopped: null,
        question: null,
      });
    }
  });

  it('are no person where they are nudges, whatever the host knows as its own', async () => {
    const heard: string[] = [];
    const { read } = deloop({ onDecision: ({ action }) => heard.push(action) });
    const options = { byHost: ({ content }: ChatMessage) => content === 'Go on.' };
    const messages = [user];
    for (let n = 1, over = false; n <= 12 && !over; n++) {
      messages.push(calling(n));
      const [call] = (await read(messages, options)).calls;
      messages.push(result(n, instead(call)));
      const { nudge, lastTurn } = await read(messages, options);
      if (nudge !== null) messages.push({ role: 'user', content: nudge });
      over = lastTurn;
    }
    expect(heard).toEqual(['nudge', 'block', 'block', 'halt']);
  });
});

describe('a list that is read only when a response has come', () => {
  it('is over when one has come after the stop', async () => {
    const guard = deloop();
    const messages = [user];
    const said: string[] = [];
    for (let n = 1, over = false; n <= 20 && !over; n++) {
      messages.push(calling(n));
      const reading = await guard.read(messages);
      const [call] = reading.calls;
      said.push(call?.verdict.do ?? 'none');
      messages.push(result(n, instead(call)));
      over = reading.over;
    }
    expect(said).toEqual(['run', 'run', 'run', 'run', 'answer', 'answer', 'stop', 'stop']);
    expect(guard.stopped).not.toBeNull();
  });

  it('is not over with a response that was cut, where the preset leaves it a last turn', async () => {
    const ladder = presets.recommended.ladder.map((rung) => ({ ...rung, hint: 'last-turn' as const }));
    const guard = deloop({ preset: { ...presets.recommended, ladder } });
    const messages = [user];
    let reading = await guard.read(messages);
    for (let n = 1; n <= 20 && guard.stopped === null; n++) {
      while (guard.delta('content', 'and so on and so forth, '));
      messages.push(message({ role: 'assistant', content: `and so on, ${n}` }));
      reading = await guard.read(messages);
    }
    expect(reading).toMatchObject({ lastTurn: true, over: false });
    messages.push(message({ role: 'assistant', content: 'This is all.' }));
    expect((await guard.read(messages)).over).toBe(true);
  });
});

describe('a stream that was cut', () => {
  it.each([true, false])('is told of before anything harder follows (read before: %s)', async (isKnown) => {
    const guard = deloop();
    const messages = [user];
    if (isKnown) await guard.read(messages);
    const readings: (string | null)[] = [];
    const lengths: number[] = [];
    for (let n = 1; n <= 9 && guard.stopped === null; n++) {
      let text = '';
      do text += 'and so on and so forth, ';
      while (text.length < 5000 && guard.delta('content', 'and so on and so forth, '));
      messages.push(message({ role: 'assistant', content: text }));
      const { nudge } = await guard.read(messages);
      readings.push(nudge && 'nudge');
      lengths.push(text.length);
      if (nudge !== null) messages.push({ role: 'user', content: nudge });
    }
    expect(readings).toEqual(['nudge', null]);
    expect(Math.max(...lengths)).toBeLessThan(1000);
  });
});

describe('words that a program says after every result', () => {
  const reminded = (text: (n: number) => string): Api => ({
    call: (n) => [calling(n)],
    result: (n, blocked) => [result(n, blocked ?? undefined), { role: 'user', content: text(n) }],
  });

  it('are no news the second time', async () => {
    const { actions, ended } = await played(reminded((n) => `This was step ${n}. Continue.`));
    expect(actions).toEqual(['nudge', 'block', 'block', 'halt']);
    expect(ended).toBe(8);
  });

  it('are no news in the next process either, with a store', async () => {
    const heard: string[] = [];
    const store = createMemoryStore();
    const next = () => deloop({ store, session: 'chat', onDecision: ({ action }) => heard.push(action) });
    const messages = [user];
    for (let n = 1, over = false; n <= 12 && !over; n++) {
      messages.push(calling(n));
      const [call] = (await next().read(messages)).calls;
      messages.push(result(n, instead(call)), { role: 'user', content: 'Continue.' });
      over = (await next().read(messages)).lastTurn;
    }
    expect(heard).toEqual(['nudge', 'block', 'block', 'halt']);
  });

  it('are no news in a process that knows nothing either', async () => {
    const messages = [user];
    for (let n = 1; n <= 5; n++)
      messages.push(...[calling(n), result(n)], { role: 'user', content: 'Go on.' });
    const { calls } = await deloop().read([...messages, calling(6)]);
    expect(calls[0]?.verdict.do).toBe('answer');
  });

  it('are a person to an agent that was stopped, and in other words', async () => {
    const guard = deloop();
    const messages = [user];
    for (let n = 1; guard.stopped === null; n++) {
      messages.push(calling(n));
      const [call] = (await guard.read(messages)).calls;
      messages.push(result(n, instead(call)), { role: 'user', content: 'Go on.' });
      await guard.read(messages.slice(0, -1));
    }
    await guard.read(messages);
    expect(guard.stopped).toBeNull();
    expect(await played(reminded((n) => `Go on, and look ${'again '.repeat(n)}.`))).toEqual({
      actions: [],
      ended: 0,
    });
  });

  it('are a person where the agent has answered in between', async () => {
    const heard: string[] = [];
    const { read } = deloop({ onDecision: ({ action }) => heard.push(action) });
    const messages = [user];
    for (let n = 1; n <= 12; n++) {
      messages.push(calling(n), result(n), { role: 'assistant', content: `That was ${n}.` });
      await read([...messages, { role: 'user', content: 'Again.' }]);
      messages.push({ role: 'user', content: 'Again.' });
    }
    expect(heard).toEqual([]);
  });
});

describe('two calls with one id', () => {
  it('are two calls', async () => {
    const { read } = deloop();
    const tool_calls = ['a', 'b'].map((q) => ({ id: 'call_0', function: { name: 'look', arguments: q } }));
    const messages = [user, message({ role: 'assistant', content: null, tool_calls })];
    expect((await read(messages)).calls.map(({ args }) => args)).toEqual(['a', 'b']);
    const answer = message({ role: 'tool', tool_call_id: 'call_0', content: 'x' });
    expect((await read([...messages, answer])).calls.map(({ args }) => args)).toEqual(['b']);
    expect((await read([...messages, answer, answer])).calls).toEqual([]);
  });
});

describe('a new process for every response', () => {
  /** One call after the other, each response read by a guard that knows nothing yet. */
  async function conversation(rounds: number, options: WatchOptions) {
    const messages = [user];
    const asked: number[] = [];
    const heard: string[] = [];
    const stops: number[] = [];
    const done: string[] = [];
    for (let n = 1; n <= rounds; n++) {
      messages.push(calling(n));
      const { read } = deloop({
        onDecision: ({ action, call }) => heard.push(`${action} ${call} in ${n}`),
        onStop: () => stops.push(n),
        ...options,
        ...(options.onAsk && {
          onAsk: (question) => {
            asked.push(n);
            return (options.onAsk as NonNullable<typeof options.onAsk>)(question);
          },
        }),
      });
      const { calls } = await read(messages);
      done.push(calls[0]?.verdict.do ?? 'none');
      messages.push(result(n, instead(calls[0])));
    }
    return { messages, asked, heard, stops, done };
  }

  it('asks a person once, and tells each decision once', async () => {
    const { asked, heard, done } = await conversation(14, { onAsk: () => true });
    expect(done.map((what, index) => (what === 'run' ? '' : index + 1)).filter(String)).toEqual([
      5, 6, 11, 12,
    ]);
    expect(asked).toEqual([7, 13]);
    expect(heard).toEqual([
      'nudge 3 in 4',
      'block 5 in 5',
      'block 6 in 6',
      'ask 7 in 7',
      'nudge 9 in 10',
      'block 11 in 11',
      'block 12 in 12',
      'ask 13 in 13',
    ]);
  });

  it('stops where one process would have, and says so once', async () => {
    const { messages, stops, done, heard } = await conversation(7, {});
    expect(done.slice(4)).toEqual(['answer', 'answer', 'stop']);
    expect(stops).toEqual([7]);
    expect(heard.at(-1)).toBe('halt 7 in 7');
    const { read } = deloop();
    expect(await read(messages)).toMatchObject({ lastTurn: true, stopped: { action: 'halt' } });
    messages.push({ role: 'assistant', content: 'This is all.' });
    expect(await read(messages)).toMatchObject({ lastTurn: false, over: true });
    expect(await deloop().read(messages)).toMatchObject({ lastTurn: false, over: true });
    messages.push({ role: 'user', content: 'Look again.' }, calling(8));
    expect((await deloop().read(messages)).calls).toMatchObject([{ verdict: { do: 'run' } }]);
  });

  it('goes on where somebody has let it go on', async () => {
    const { messages } = await conversation(7, {});
    messages.push({ role: 'assistant', content: 'This is all.' }, calling(8));
    expect((await deloop().read(messages)).calls).toMatchObject([{ verdict: { do: 'run' } }]);
    const held = await conversation(7, { attended: true });
    expect(held.done.at(-1)).toBe('hold');
    held.messages.push(calling(8));
    const { calls } = await deloop({ attended: true }).read(held.messages);
    expect(calls).toMatchObject([{ verdict: { do: 'run' } }]);
  });

  it('asks nobody about what it reads at the end of a list either', async () => {
    const { messages } = await conversation(7, { onAsk: () => true });
    const asked: unknown[] = [];
    const reading = await deloop({ onAsk: (question) => asked.push(question) }).read(messages);
    expect([asked, reading.over]).toEqual([[], false]);
  });

  it('hears of what came before words of the host', async () => {
    const heard: string[] = [];
    const go: ChatMessage = { role: 'user', content: 'Go on.' };
    const messages = [user];
    for (let n = 1; n <= 3; n++) messages.push(calling(n), result(n), go);
    const onDecision = ({ action, call }: Intervention) => heard.push(`${action} ${call}`);
    await deloop({ onDecision }).read([...messages, calling(4)], { byHost: (given) => given === go });
    expect(heard).toEqual(['nudge 3']);
  });

  it('hears of what was never read before', async () => {
    const rounds = [1, 2, 3].flatMap((n) => [calling(n), result(n)]);
    const heard: string[] = [];
    await deloop({ onDecision: ({ action }) => heard.push(action) }).read([user, ...rounds]);
    expect(heard).toEqual(['nudge']);
  });
});

describe('a new process for every reading, with a store', () => {
  const isFailure = ({ content }: ChatMessage) => String(content).startsWith('Error');
  const now = () => 1_700_000_000_000;
  type Output = (n: number) => string;
  const outputs: { readonly [what: string]: Output } = {
    'the same each time': () => 'Nothing was found.',
    'a failure each time': () => 'Error: the config is not valid',
    'something new each time': (n) => `Found ${n} and ${Math.sqrt(n)}.`,
  };

  /** `open` gives the guard of one reading. */
  async function conversation(
    open: () => { readonly read: LoopRun['read'] },
    output: Output,
    { rounds = 15, readings = 2, tool = (_: number): object => ({}) } = {},
  ) {
    const messages = [user];
    const done: string[] = [];
    for (let n = 1; n <= rounds; n++) {
      messages.push(calling(n, 'look', tool(n)));
      const { calls, over } = await open().read(messages, { isFailure });
      done.push(calls[0]?.verdict.do ?? 'none');
      messages.push(result(n, instead(calls[0]) ?? output(n)));
      if (over) break;
      if (readings === 1) continue;
      const { nudge, lastTurn } = await open().read(messages, { isFailure });
      if (nudge !== null) messages.push({ role: 'user', content: nudge });
      done.push(`${nudge !== null} ${lastTurn}`);
      if (lastTurn) messages.push({ role: 'assistant', content: 'This is all.' });
    }
    return { messages, done };
  }

  const processes = (options: WatchOptions = {}, store = createMemoryStore()) => {
    return () => deloop({ ...options, session: 'chat', store });
  };
  /** Stopped, or with a question, after seven calls. */
  const stuck = (open: () => LoopRun, rounds = 7) =>
    conversation(open, () => 'Nothing was found.', { rounds, readings: 1 });

  describe.each(Object.entries(outputs))('%s', (_, output) => {
    it.each([
      ['the same call', 2, () => ({})],
      ['the same call', 1, () => ({})],
      ['another call', 2, (n: number) => ({ n })],
      ['another call', 1, (n: number) => ({ n })],
    ])('%s, %i readings: is judged as in one process, and counts once', async (_call, readings, tool) => {
      const heard: string[][] = [[], []];
      const options = (which: number): WatchOptions => ({
        now,
        onDecision: ({ action, call }) => heard[which]?.push(`${action} ${call}`),
      });
      const one = deloop({ ...options(0), session: 'chat' });
      const open = processes(options(1));
      const together = await conversation(() => one, output, { readings, tool });
      const apart = await conversation(open, output, { readings, tool });
      expect(apart).toEqual(together);
      expect(heard[1]).toEqual(heard[0]);
      const last = open();
      await last.ready();
      expect(last.state).toEqual(JSON.parse(JSON.stringify(one.state)));
    });
  });

  it('keeps a stop until a person writes', async () => {
    const open = processes({ lastTurn: false });
    const { messages, done } = await stuck(open);
    expect(done.at(-1)).toBe('stop');
    expect(await open().read(messages)).toMatchObject({ over: true, stopped: { action: 'halt' } });
    messages.push(calling(8));
    const { calls } = await open().read(messages);
    expect(calls).toMatchObject([{ verdict: { do: 'stop' } }]);
    messages.push(result(8, instead(calls[0])), { role: 'user', content: 'Look again.' });
    expect(await open().read(messages)).toMatchObject({ over: false, stopped: null });
  });

  it('keeps a stop until a person writes in a conversation that begins anew', async () => {
    for (const next of [[], [calling(100)]]) {
      const open = processes({ lastTurn: false });
      await stuck(open);
      const begun: ChatMessage = { role: 'user', content: 'Something else.' };
      expect(await open().read([begun, ...next])).toMatchObject({ over: false, stopped: null });
    }
  });

  it('keeps a question until it is answered', async () => {
    const open = processes({ attended: true });
    const { messages, done } = await stuck(open, 6);
    messages.push(calling(7));
    expect(done).not.toContain('hold');
    for (const list of [messages, messages, messages.slice(-4), messages.slice(-4)])
      expect(await open().read(list)).toMatchObject({ calls: [{ verdict: { do: 'hold' } }], question: {} });
    const answering = open();
    answering.answer(true);
    await answering.ready();
    await answering.saved();
    for (let n = 0; n < 2; n++) {
      const { calls, question } = await open().read(messages);
      expect([calls, question]).toMatchObject([[{ id: 'c7', args: '{}', verdict: { do: 'run' } }], null]);
    }
    messages.push(result(7));
    expect(await open().read(messages)).toMatchObject({ calls: [], over: false, question: null });
  });

  const args = ['a', 'b', 'c'];
  it.each([
    [
      'Chat Completions',
      [
        message({
          role: 'assistant',
          tool_calls: args.map((q) => ({ id: q, function: { name: 'look', arguments: q } })),
        }),
      ],
      (id: string) => message({ role: 'tool', tool_call_id: id, content: 'x' }),
    ],
    [
      'the Responses API',
      [
        message({ type: 'web_search_call', id: 'ws', action: {} }),
        ...args.map((q) => message({ type: 'function_call', call_id: q, name: 'look', arguments: q })),
      ],
      (id: string) => message({ type: 'function_call_output', call_id: id, output: 'x' }),
    ],
    [
      'Anthropic',
      [
        message({
          role: 'assistant',
          content: args.map((q) => ({ type: 'tool_use', id: q, name: 'look', input: q })),
        }),
      ],
      (id: string) =>
        message({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] }),
    ],
  ])('knows the calls that have no result yet: %s', async (_, response, answer) => {
    const open = processes();
    const messages = [user, ...response];
    const left = async () => (await open().read(messages)).calls.map((call) => call.args);
    expect(await left()).toEqual(args);
    messages.push(answer('b'));
    expect(await left()).toEqual(['a', 'c']);
    expect(await left()).toEqual(['a', 'c']);
    messages.push(answer('a'));
    expect(await left()).toEqual(['c']);
    messages.push(answer('c'));
    expect(await left()).toEqual([]);
    const last = open();
    await last.ready();
    expect(last.state.guard.open.every(({ done }) => done)).toBe(true);
  });

  it('saves nothing where nothing is new', async () => {
    const store = createMemoryStore();
    const open = processes({ attended: true }, store);
    const { messages } = await stuck(open, 6);
    messages.push(calling(7));
    await open().read(messages);
    const kept = () => store.update('chat', (value) => [value as Json, JSON.stringify(value)]);
    const before = await kept();
    const reader = open();
    expect((await reader.read(messages)).calls).toMatchObject([{ verdict: { do: 'hold' } }]);
    await reader.read(messages);
    expect(await kept()).toBe(before);
  });

  it('goes on behind what another process has read in the meantime', async () => {
    const heard: string[] = [];
    const open = processes({ onDecision: ({ action, call }) => heard.push(`${action} ${call}`) });
    const both = [open(), open()];
    let nth = 0;
    const { done } = await conversation(
      () => {
        const guard = both[nth++ % 2] as LoopRun;
        return { read: async (...given) => guard.begin().then(() => guard.read(...given)) };
      },
      () => 'Nothing was found.',
      { rounds: 7 },
    );
    expect(heard).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
    expect(done.at(-1)).toBe('false true');
  });

  it('keeps nothing of what the messages say', async () => {
    const store = createMemoryStore();
    const open = processes({}, store);
    const tool = (n: number) => ({ token: `sesame-${n}` });
    const { messages } = await conversation(open, () => 'the sesame opens', { rounds: 3, tool });
    const shown = { type: 'text', text: 'sesame' };
    messages.push(calling(4, 'look', { q: 'sesame' }));
    await open().read(messages);
    messages.push(result(4), { role: 'user', content: [shown, { type: 'other', note: 'sesame' }] });
    await open().read(messages);
    const kept = await store.update('chat', (value) => [value as Json, value]);
    expect(JSON.stringify(kept)).toContain('bookmarks');
    expect(JSON.stringify(kept)).not.toContain('sesame');
  });

  it('does not take over a bookmark that it cannot read', () => {
    const { state } = deloop();
    for (const bookmarks of [
      {},
      [null],
      [{ agent: '' }],
      [{ agent: '', read: 1, last: 1, shown: 1, nudges: [1] }],
      [{ agent: '', read: 1, last: 1, shown: 1, nudges: [], verdicts: [], loose: ['x'] }],
    ])
      expect(() => deloop({ state: { ...state, bookmarks } })).toThrow('no saved state');
  });
});

describe('a question that nobody is there to answer', () => {
  type Model = (tools: boolean) => { readonly text: string; readonly call?: string };
  const MOST = 40;
  const stuck = () => {
    let asked = 0;
    const model: Model = (tools) => {
      asked += 1;
      if (asked > MOST) throw new Error('it does not end');
      return tools ? { text: `Thought ${asked}.`, call: 'x' } : { text: 'Report.' };
    };
    return model;
  };

  /** The loop of the docs. */
  async function loop(run: LoopRun, model: Model, search: () => string): Promise<string> {
    const tools = run.tools({ search }, { nudges: 'queue' });
    while (!run.isOver()) {
      const { text, call } = model(!run.takeLastTurn());
      run.turn({ text });
      if (call === undefined) return text;
      await tools.search().catch((error: Error) => error.message);
      run.takeNudge();
    }
    return 'ended';
  }

  it('ends a loop over wrapped tools, which goes on when it is answered', async () => {
    for (const [answer, ran] of [
      [true, 8],
      [false, 4],
    ] as const) {
      const guard = deloop({ attended: true, session: 'one' });
      let searches = 0;
      const search = () => {
        searches += 1;
        return 'Nothing was found.';
      };
      const model = stuck();
      const ended = await guard.run((run) => loop(run, model, search));
      expect(ended).toMatchObject({ ended: 'stopped', reason: { action: 'ask' }, partial: 'ended' });
      expect(searches).toBe(4);
      expect(guard.questionFor()?.message).toBe(ended.ended === 'stopped' && ended.reason.message);
      guard.answer(answer);
      expect(guard.questionFor()).toBeNull();
      expect(await guard.run((run) => loop(run, model, search))).toMatchObject({ ended: 'stopped' });
      expect(searches).toBe(ran);
    }
  });

  it('ends a loop over messages, which goes on when it is answered', async () => {
    const guard = deloop({ attended: true, session: 'one' });
    const messages = [user];
    let asked = 0;
    let ran = 0;
    async function go() {
      for (;;) {
        asked += 1;
        if (asked > MOST) throw new Error('it does not end');
        messages.push(calling(asked));
        const { calls } = await guard.read(messages);
        for (const { verdict } of calls) {
          if (verdict.do === 'run') ran += 1;
          messages.push(result(asked, verdict.do === 'run' ? undefined : verdict.text));
        }
        const next = await guard.read(messages);
        if (next.nudge !== null) messages.push({ role: 'user', content: next.nudge });
        if (next.over) return next;
      }
    }
    expect(await go()).toMatchObject({ over: true, stopped: null, question: { action: 'ask' } });
    expect([asked, ran]).toEqual([7, 4]);
    guard.answer(true);
    expect(await guard.read(messages)).toMatchObject({ over: false, question: null });
    expect(await go()).toMatchObject({ over: true, question: { action: 'ask' } });
    expect(ran).toBe(8);
    guard.answer(false);
    expect(await guard.read(messages)).toMatchObject({ lastTurn: true, question: null });
  });

  it('leaves the call that is held to be run after a yes', async () => {
    const guard = deloop({ attended: true });
    const messages = [user];
    for (let n = 1; n <= 6; n++) {
      messages.push(calling(n));
      const [open] = (await guard.read(messages)).calls;
      messages.push(result(n, instead(open)));
    }
    messages.push(calling(7));
    for (let n = 0; n < 2; n++)
      expect(await guard.read(messages)).toMatchObject({
        calls: [{ verdict: { do: 'hold' } }],
        question: {},
        over: true,
      });
    guard.answer(true);
    expect(await guard.read(messages)).toMatchObject({
      calls: [{ verdict: { do: 'run' } }],
      question: null,
      over: false,
    });
  });
});

describe('only what is new', () => {
  type Format = {
    readonly call: (id: string, q: string) => readonly ChatMessage[];
    readonly answer: (id: string, text: string) => ChatMessage;
  };
  const formats: { readonly [name: string]: Format } = {
    'Chat Completions': {
      call: (id, q) => [
        message({
          role: 'assistant',
          content: null,
          tool_calls: [{ id, function: { name: 'look', arguments: q } }],
        }),
      ],
      answer: (id, text) => message({ role: 'tool', tool_call_id: id, content: text }),
    },
    'the Responses API': {
      call: (id, q) => [
        message({ type: 'reasoning', summary: [] }),
        message({ type: 'function_call', call_id: id, name: 'look', arguments: q }),
      ],
      answer: (id, text) => message({ type: 'function_call_output', call_id: id, output: text }),
    },
    Anthropic: {
      call: (id, q) => [
        message({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'look', input: { q } }] }),
      ],
      answer: (id, text) =>
        message({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] }),
    },
  };

  async function looks({ call, answer }: Format, guard: LoopRun, q: (n: number) => string, text = q) {
    const heard: string[] = [];
    let before: readonly ChatMessage[] = [user];
    for (let n = 1; n <= 25; n++) {
      const [open] = (await guard.read([...before, ...call(`c${n}`, q(n))])).calls;
      heard.push(open?.verdict.do ?? 'none');
      const found = instead(open) ?? text(n);
      const { nudge, over, lastTurn } = await guard.read([answer(`c${n}`, found)]);
      if (over || lastTurn) break;
      before = nudge === null ? [] : [{ role: 'user', content: nudge }];
    }
    return heard;
  }

  describe.each(Object.entries(formats))('%s', (_, format) => {
    it('is read as the rest of the list would be', async () => {
      const heard = await looks(format, deloop(), () => 'x');
      expect(heard).toEqual(['run', 'run', 'run', 'run', 'answer', 'answer', 'stop']);
    });

    it('is no compaction, in this process or in the next one', async () => {
      const store = createMemoryStore();
      const apart = { read: (...given) => deloop({ store, session: 'chat' }).read(...given) } as LoopRun;
      for (const guard of [deloop(), apart]) {
        const heard = await looks(format, guard, (n) => `Something about ${n} and ${Math.sqrt(n)}.`);
        expect(heard).toEqual(Array.from({ length: 25 }, () => 'run'));
      }
    });
  });
});

describe('a list of which only the newest messages are kept', () => {
  /** Gives the decisions; `files` = what is looked at, one after the other; `keep` = what is left of the messages then. */
  async function looksAt(files: readonly number[], keep: (n: number) => number) {
    const heard: string[] = [];
    const { read } = deloop({ onDecision: ({ action }) => heard.push(action) });
    let messages = [user];
    for (const [n, file] of files.entries()) {
      messages.push(calling(n, 'read', { path: `f${file}` }));
      const [call] = (await read(messages)).calls;
      messages.push(result(n, instead(call) ?? `This is f${file}.`));
      messages = [user, ...messages.slice(1).slice(-keep(n))];
      const { nudge, over, lastTurn } = await read(messages);
      if (nudge !== null) messages.push({ role: 'user', content: nudge });
      if (over || lastTurn) break;
    }
    return heard;
  }
  const all = () => 99;
  const again = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 10, 11, 12];

  it.each([4, 6, 12])('is no compaction in every step (%i)', async (kept) => {
    expect(await looksAt(again, () => kept)).toEqual(await looksAt(again, all));
  });

  it.each([4, 6, 12])('hides no loop (%i)', async (kept) => {
    const files = Array.from({ length: 40 }, (_, n) => n % 3);
    const heard = await looksAt(files, () => kept);
    expect(heard).toEqual(await looksAt(files, all));
    expect(heard.at(-1)).toBe('halt');
  });

  describe('and that is read once in a round, in the same words each time', () => {
    const says = () => [
      message({ role: 'assistant', content: 'I will look at the file now, and go on from there.' }),
      message({ role: 'user', content: 'Continue.' }),
    ];
    const rounds: { readonly [name: string]: () => readonly ChatMessage[] } = {
      'of calls with the same id': () => [calling(1), result(1)],
      'of calls without ids': () => [
        message({ role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } }),
        message({ role: 'function', name: 'look', content: 'Nothing was found.' }),
      ],
      'of words': says,
      'of words behind which the host puts the same object': () => [...says().slice(0, 1), goOn],
    };
    const goOn = message({ role: 'user', content: 'Continue.' });

    /** Gives the round in which it was over; 0 = it never was. */
    async function endOf(round: () => readonly ChatMessage[], kept: number): Promise<number> {
      const { read } = deloop();
      const messages = [user];
      for (let n = 1; n <= 30; n++) {
        messages.push(...round());
        const shown = messages.slice(-kept);
        const { nudge, over, lastTurn } = await read(shown, {
          byHost: ({ content }) => content === 'Continue.',
        });
        if (over || lastTurn) return n;
        if (nudge !== null) messages.push({ role: 'user', content: nudge });
      }
      return 0;
    }

    it.each(Object.entries(rounds))('%s', async (_, round) => {
      const whole = await endOf(round, 99);
      expect(whole).toBeGreaterThan(0);
      expect(await endOf(round, 6)).toBe(whole);
      expect(await endOf(round, 9)).toBe(whole);
    });

    it('of objects that are the same each time, in a list that only grows', async () => {
      const same = [calling(1), result(1)];
      expect(await endOf(() => same, 99)).toBe(await endOf(() => [calling(1), result(1)], 99));
    });

    it('is no news where nothing has come', async () => {
      const heard: string[] = [];
      const { read } = deloop({ onDecision: ({ action }) => heard.push(action) });
      const messages = [user, calling(1), result(1), goOn];
      for (let n = 1; n <= 10; n++) await read(n % 2 === 0 ? messages : structuredClone(messages));
      expect(heard).toEqual([]);
    });
  });

  it('is a compaction where half of them go at once: then what is gone may be looked at again', async () => {
    expect(await looksAt(again, (n) => (n === 9 ? 11 : 99))).toEqual(['nudge']);
    expect(await looksAt(again, (n) => (n === 9 ? 9 : 99))).toEqual([]);
  });
});

describe('a list that is summarised before the model is called', () => {
  it('gets its report when it is stopped for that: the response that was on its way is not the last one', async () => {
    const { read } = deloop();
    let messages = [user];
    for (let n = 1; n <= 99; n++) {
      if (messages.length > 12)
        messages = [{ role: 'user', content: 'Summary: much was read.' }, ...messages.slice(-4)];
      messages.push(calling(n, 'read', { path: `f${n % 15}` }));
      const [call] = (await read(messages)).calls;
      messages.push(result(n, instead(call) ?? `This is f${n % 15}.`));
      const { stopped, lastTurn, over } = await read(messages);
      if (stopped === null) continue;
      expect(stopped.detector).toBe('fruitless-compactions');
      expect({ lastTurn, over }).toEqual({ lastTurn: true, over: false });
      messages.push({ role: 'assistant', content: 'This is what I have.' });
      expect(await read(messages)).toMatchObject({ lastTurn: false, over: true });
      return;
    }
    expect.unreachable();
  });
});

describe('results that do not say whether the call failed', () => {
  const said = 'Sorry, the API key is not valid';
  const fails = (output: unknown) => String(output).startsWith('Sorry');

  async function attempts(options: LoopOptions, reading: Parameters<LoopRun['read']>[1], is_error?: boolean) {
    const guard = deloop(options);
    const messages = [user];
    for (let n = 1; n <= 30 && guard.stopped === null; n++) {
      messages.push(
        message({
          role: 'assistant',
          content: [{ type: 'tool_use', id: `c${n}`, name: 'create', input: { n } }],
        }),
        message({
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: `c${n}`,
              content: [{ type: 'text', text: said }],
              ...(is_error !== undefined && { is_error }),
            },
          ],
        }),
      );
      await guard.read(messages, reading);
    }
    return guard.stopped !== null;
  }

  it('are asked about, in the format of Anthropic too', async () => {
    expect(await attempts({ isFailure: fails }, {})).toBe(true);
    expect(await attempts({}, { isFailure: ({ content }) => fails(content) })).toBe(true);
    expect(await attempts({ isFailure: fails }, { isFailure: () => false })).toBe(false);
    expect(await attempts({ isFailure: fails }, {}, false)).toBe(false);
  });

  it('are successes, so failures here and there in a long run are none in a row', async () => {
    const heard: Intervention[] = [];
    const { read } = deloop({ onDecision: (decision) => heard.push(decision) });
    const messages = [user];
    for (let n = 1; n <= 120; n++) {
      messages.push(calling(n, 'evaluate', { formula: `${n} + ${n}` }));
      messages.push(result(n, n % 4 === 0 ? `Error: ${'abcdefg'[n % 7]}${n} is not a number` : `${n * 2}`));
      await read(messages);
    }
    expect(heard).toEqual([]);
  });
});
