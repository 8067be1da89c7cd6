import { describe, expect, it, vi } from 'vitest';
import { type ChatMessage, deloop, type ReadCall } from '../../src/adapters/generic/index.ts';
import { createMessageReader } from '../../src/adapters/generic/message-reader.ts';
import { createWatch } from '../../src/adapters/watch.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';

const message = (fields: object) => fields as ChatMessage;
const user: ChatMessage = { role: 'user', content: 'Find the cause.' };

type Format = {
  readonly call: (id: string, path: string) => readonly ChatMessage[];
  readonly result: (id: string, text: string) => ChatMessage;
};
const formats: { readonly [name: string]: Format } = {
  'Chat Completions': {
    call: (id, path) => [
      message({
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: path } }],
      }),
    ],
    result: (id, content) => message({ role: 'tool', tool_call_id: id, content }),
  },
  'the Responses API': {
    call: (id, path) => [
      message({ type: 'reasoning', summary: [] }),
      message({ type: 'function_call', call_id: id, name: 'read', arguments: path }),
    ],
    result: (id, output) => message({ type: 'function_call_output', call_id: id, output }),
  },
  Anthropic: {
    call: (id, path) => [
      message({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: { path } }] }),
    ],
    result: (id, content) =>
      message({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }),
  },
};

/** What `read` is shown, as long as the history has no more to it; `isDue` = the model is asked next. */
type View = (history: readonly ChatMessage[], isDue: boolean, n: number) => readonly ChatMessage[];

const byHost = ({ content }: ChatMessage) => (String(content).startsWith('Note') ? true : undefined);

/** A loop as in the docs, with a store each reading in another process; gives how many calls ran, all that were given, and the decisions. */
async function played(view: View, files: readonly string[], { call, result }: Format, store?: Store) {
  const heard: string[] = [];
  const start = () =>
    deloop({
      store,
      session: 'chat',
      onDecision: ({ action, finding }) => heard.push(`${action} ${finding.detector}`),
    });
  let guard = start();
  const read = async (list: readonly ChatMessage[]) => {
    if (store !== undefined) guard = start();
    return guard.read(list, { byHost });
  };
  const history: ChatMessage[] = [user];
  const given: string[] = [];
  let ran = 0;
  await read(view(history, true, 0));
  for (const [n, file] of files.entries()) {
    history.push(...call(`c${n}`, file));
    const { calls } = await read(view(history, false, n));
    given.push(...calls.map(({ id }) => id ?? ''));
    for (const { verdict } of calls) {
      if (verdict.do === 'run') ran += 1;
      const text = verdict.do === 'run' ? `export const ${file} = '${file.repeat(9)}';` : verdict.text;
      history.push(result(`c${n}`, text));
    }
    const { nudge, over, lastTurn } = await read(view(history, true, n));
    if (nudge !== null) history.push({ role: 'user', content: nudge });
    if (over || lastTurn) break;
  }
  return { ran, given, heard };
}

const files = [...'abcabcdefghijklm'];
const loop = Array.from({ length: 16 }, () => 'a');
const note = (role: string, text = 'Note: stay on task.') => ({ role, content: text });
const NOTE = note('user');
const roles = ['system', 'user'];

const views: { readonly [name: string]: View } = {
  ...Object.fromEntries(
    roles.flatMap((role): [string, View][] => [
      [`${role}: always the last one`, (history) => [...history, note(role)]],
      [`${role}: the last one of requests`, (history, isDue) => (isDue ? [...history, note(role)] : history)],
      [
        `${role}: the last one of requests, in other words each time`,
        (history, isDue, n) => (isDue ? [...history, note(role, `Note: this is step ${n}.`)] : history),
      ],
      [
        `${role}: two of them, of which one is always there`,
        (history, isDue, n) =>
          isDue ? [...history, note(role), note(role, `Note: this is step ${n}.`)] : [...history, note(role)],
      ],
    ]),
  ),
  'developer: always the last one': (history) => [...history, note('developer')],
  'the same object each time': (history) => [...history, NOTE],
  'in copies of the list': (history) => structuredClone([...history, NOTE]),
  'in copies of the list, the last one of requests': (history, isDue) =>
    structuredClone(isDue ? [...history, NOTE] : history),
  'where only the newest messages are kept': (history) => [user, ...history.slice(1).slice(-9), NOTE],
};

describe.each(Object.entries(views))('a note of the host at the end, %s', (_, view) => {
  it.each(Object.entries(formats))('changes nothing: %s', async (_format, format) => {
    for (const paths of [files, loop])
      expect(await played(view, paths, format)).toEqual(await played((history) => history, paths, format));
  });

  it('changes nothing where every reading is in another process', async () => {
    const format = formats['Chat Completions'] as Format;
    for (const paths of [files, loop]) {
      const plain = await played((history) => history, paths, format);
      expect(await played(view, paths, format, createMemoryStore())).toEqual(plain);
    }
  });
});

it('a loop is stopped by its own rule, and work is not', async () => {
  const format = formats['Chat Completions'] as Format;
  const plain: View = (history) => history;
  expect((await played(plain, loop, format)).heard.at(-1)).toBe('halt no-progress');
  const { given, heard } = await played(plain, files, format);
  expect([given, heard.join()]).toEqual([
    files.map((_, n) => `c${n}`),
    expect.not.stringMatching(/block|halt/),
  ]);
});

describe('a person who writes behind a note that is always the last one', () => {
  const { call, result } = formats['Chat Completions'] as Format;
  const instead = (open: ReadCall | undefined) =>
    open === undefined || open.verdict.do === 'run' ? 'Nothing was found.' : open.verdict.text;

  it.each(roles)('is heard once (%s)', async (role) => {
    for (const words of ['Look again.', user.content as string]) {
      const guard = deloop({ lastTurn: false });
      const history = [user];
      const list = () => [...history, note(role)];
      for (let n = 0; n < 20 && guard.stopped === null; n++) {
        history.push(...call(`c${n}`, 'a'));
        const [open] = (await guard.read(list(), { byHost })).calls;
        history.push(result(`c${n}`, instead(open)));
        await guard.read(list(), { byHost });
      }
      history.push({ role: 'user', content: words });
      expect(await guard.read(list(), { byHost })).toMatchObject({ over: false, stopped: null });
      let ran = 0;
      for (let n = 50; n < 70 && guard.stopped === null; n++) {
        history.push(...call(`c${n}`, 'a'));
        const [open] = (await guard.read(list(), { byHost })).calls;
        if (open?.verdict.do === 'run') ran += 1;
        history.push(result(`c${n}`, instead(open)));
        await guard.read(list(), { byHost });
      }
      expect(ran).toBe(4);
    }
  });
});

describe('what was said behind the last response', () => {
  const said = (content: unknown) => message({ role: 'user', content });
  const answer = (content: string) => message({ role: 'assistant', content });

  /** What is heard of lists that are read one after the other, each in a process of its own where there is a store. */
  async function heardIn(lists: readonly (readonly ChatMessage[])[], store?: Store) {
    const watch = createWatch({ store, session: 'chat' });
    const heard: string[] = [];
    let run = watch.run();
    let read = createMessageReader(run);
    for (const list of lists) {
      if (store !== undefined) {
        run = createWatch({ store, session: 'chat' }).run();
        read = createMessageReader(run);
      }
      vi.spyOn(run, 'user').mockImplementation((text) => {
        heard.push(String(text));
      });
      vi.spyOn(run, 'turn').mockImplementation((turn) => {
        heard.push(`> ${turn?.text}`);
      });
      vi.spyOn(run, 'tell').mockImplementation(({ type }) => {
        heard.push(type);
      });
      await read(list);
    }
    return heard;
  }

  it('is heard as often as it was said', async () => {
    const talk = [user, answer('Done.'), said('Go on.'), answer('Done.'), said('Go on.'), said('Go on.')];
    const lists = talk.map((_, n) => talk.slice(0, n + 1));
    const all = ['Find the cause.', '> Done.', 'Go on.', '> Done.', 'Go on.', 'Go on.'];
    expect(await heardIn(lists)).toEqual(all);
    expect(await heardIn(structuredClone(lists))).toEqual(all);
    expect(await heardIn(lists, createMemoryStore())).toEqual(all);
  });

  it('is heard where it is said in other words now', async () => {
    const talk = [user, answer('Done.')];
    const lists = [talk, [...talk, said('Go on.')], [...talk, said('Go back.')]];
    expect(await heardIn(lists)).toEqual(['Find the cause.', '> Done.', 'Go on.', 'Go back.']);
  });

  it('tells equal responses apart in copies of which only the newest are kept', async () => {
    const talk = Array.from({ length: 9 }, (_, n) => [answer('I look.'), said(`Seen: ${'x'.repeat(n)}`)]);
    const lists = talk.map((_, n) => structuredClone(talk.slice(Math.max(0, n - 2), n + 1).flat()));
    const all = talk.flatMap((_, n) => ['> I look.', `Seen: ${'x'.repeat(n)}`]);
    expect(await heardIn(lists)).toEqual(all);
    expect(await heardIn(lists, createMemoryStore())).toEqual(all);
  });

  it('is not heard again where a summary takes the place of all before it', async () => {
    const lists = [
      [user, answer('One.'), said('Two?'), answer('Two.'), said('Three?')],
      [said('Summary.'), said('Three?'), answer('Three.')],
    ];
    const all = ['Find the cause.', '> One.', 'Two?', '> Two.', 'Three?', 'compaction', '> Three.'];
    expect(await heardIn(lists)).toEqual(all);
    expect(await heardIn(lists, createMemoryStore())).toEqual(all);
  });

  it('is heard once, however many people have said something', async () => {
    const people = Array.from({ length: 40 }, (_, n) => said(`This is ${'y'.repeat(n)}.`));
    const lists = people.map((_, n) => [user, answer('Yes?'), ...people.slice(0, n + 1)]);
    const all = ['Find the cause.', '> Yes?', ...people.map(({ content }) => String(content))];
    expect(await heardIn(lists)).toEqual(all);
    expect(await heardIn(lists, createMemoryStore())).toEqual(all);
  });

  it('is where a bookmark without it says that reading has come to', async () => {
    const guard = deloop();
    const talk = [user, ...(formats['Chat Completions'] as Format).call('c0', 'a')];
    await guard.read(talk);
    const { bookmarks, ...state } = guard.state;
    const older = bookmarks?.map(({ loose: _, ...bookmark }) => bookmark);
    const { calls } = await deloop({ state: { ...state, bookmarks: older } }).read(talk);
    expect(calls).toMatchObject([{ id: 'c0', verdict: { do: 'run' } }]);
  });

  it('is new where it shows another image, at the end of every list', async () => {
    const { call, result } = formats['Chat Completions'] as Format;
    const screen = (n: number) =>
      said([{ type: 'image_url', image_url: { url: `https://x.test/${n}.png` } }]);
    for (const moves of [true, false]) {
      const guard = deloop();
      const history = [user];
      let shown = 0;
      const list = () => [...history, screen(moves ? shown : 0)];
      for (let n = 0; n < 9; n++) {
        history.push(...call(`c${n}`, 'a'));
        const [open] = (await guard.read(list(), { byHost: () => true })).calls;
        if (open?.verdict.do === 'run') shown += 1;
        history.push(result(`c${n}`, 'clicked'));
        await guard.read(list(), { byHost: () => true });
      }
      expect([shown, guard.stopped === null]).toEqual(moves ? [9, true] : [4, false]);
    }
  });
});
