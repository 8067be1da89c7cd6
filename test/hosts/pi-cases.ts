import { describe, expect, it, vi } from 'vitest';
import { deloop } from '../../src/adapters/pi/index.ts';
import type { WatchOptions } from '../../src/adapters/watch.ts';
import { createMemoryStore } from '../../src/stores/index.ts';
import type { ModelRequest, ScriptedTurn } from '../../src/testing/adapter-host.ts';
import { callOf } from '../../src/testing/adapter-stage.ts';
import { again, listeningTo, scripted, thrifty, UNFINISHED } from './driver.ts';
import { MODEL, type Pi, scriptedStream, wordsIn } from './pi.ts';

/** What belongs to pi alone; the rest is the contract of all adapters. */
export function testPi(pi: Pi): void {
  const listening = (options: WatchOptions = {}) => listeningTo(deloop, options);

  function agentOf(
    turn: (n: number, request: ModelRequest) => ScriptedTurn,
    {
      output = 'Nothing was found.',
      parameters = { type: 'object' },
      terminate = false,
      execute = async () => ({ content: [{ type: 'text', text: output }], details: {}, terminate }),
      ...options
    }: {
      output?: string;
      parameters?: object;
      terminate?: boolean;
      execute?: (id: string, args: unknown, signal: AbortSignal) => Promise<unknown>;
      [name: string]: unknown;
    } = {},
  ) {
    const { model: streamFn, requests } = scripted((answer) => scriptedStream(pi, answer), turn);
    const look = { name: 'look', label: 'look', description: 'Looks.', parameters, execute };
    const initialState = { model: MODEL, tools: [look] };
    return { agent: pi.createAgent({ streamFn, initialState, ...options }), requests };
  }

  describe(`${pi.name}: text`, () => {
    for (const [kind, channel] of [
      ['text', 'content'],
      ['reasoning', 'reasoning'],
    ] as const)
      it(`a stream of ${kind} that repeats itself is cut`, async () => {
        const { guard, heard } = listening();
        const { agent } = agentOf(() => ({ [kind]: 'I should check the file again. '.repeat(200) }));
        await guard(agent).prompt('Think.');
        const last = agent.state.messages.at(-1);
        const { length } = JSON.stringify(last?.content);
        expect(last?.stopReason).toBe('stop');
        expect(length).toBeGreaterThan(200);
        expect(length).toBeLessThan(1200);
        expect(heard[0]?.decision.finding).toMatchObject({ detector: 'stream-repeat', subject: channel });
      });

    it('the last turn tells calls and results in words, because no tools are there', async () => {
      const { agent, requests } = agentOf(again);
      await deloop()(agent).prompt('Find it.');
      const { sent = '' } = requests.at(-1) ?? {};
      expect(sent).not.toContain('"toolCall"');
      expect(sent).not.toContain('"toolResult"');
      expect(sent).toContain('Call of look');
      expect(sent).toContain('Result of look');
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Report.');
      expect(JSON.stringify(agent.state.messages)).toContain('"toolCall"');
    });

    it('the last turn has neither thoughts nor the signatures of texts that go with them', async () => {
      const { agent, requests } = agentOf((n) => ({ ...again(n), text: `Look ${n}.`, reasoning: 'Hm.' }));
      await deloop()(agent).prompt('Find it.');
      const [before, last] = requests.slice(-2);
      expect(before?.sent).toContain('"textSignature"');
      expect(last?.tools).toBe(false);
      expect(last?.sent).toContain('Look 1.');
      expect(last?.sent).not.toMatch(/Signature|Hm\./);
      expect(JSON.stringify(agent.state.messages)).toContain('"textSignature"');
    });
  });

  describe(`${pi.name}: streams that break`, () => {
    /** Its streams break as long as they shall. */
    const brittle = (breaks: () => boolean): Pi => ({
      ...pi,
      createStream() {
        const stream = pi.createStream();
        if (!breaks()) return stream;
        const { push, end } = stream;
        const broken = (message: object) => ({ ...message, stopReason: 'error', errorMessage: 'overloaded' });
        stream.push = (part: { readonly type?: string; readonly message?: object }) =>
          push.call(
            stream,
            part.type === 'done'
              ? { type: 'error', reason: 'error', error: broken(part.message ?? {}) }
              : part,
          );
        stream.end = (message = {}) => end.call(stream, broken(message));
        return stream;
      },
    });

    /** Looks, then breaks so many times, and then says it all. */
    function breaking(times: number, kind: 'text' | 'reasoning') {
      const asked: string[] = [];
      const own = brittle(() => asked.length > 1 && asked.length <= times + 1);
      const streamFn = scriptedStream(own, ({ sent }) =>
        asked.push(sent) === 1 ? again(1) : { [kind]: UNFINISHED },
      );
      return { streamFn, asked };
    }

    /** As the coding agent does it. */
    async function patient(agent: ReturnType<typeof pi.createAgent>) {
      await agent.prompt('Find it.');
      for (let n = 1; n < 12 && agent.state.messages.at(-1)?.stopReason === 'error'; n++) {
        const state = agent.state as { messages: readonly object[] };
        state.messages = state.messages.slice(0, -1);
        await agent.continue();
      }
      return agent.state.messages.map(timeless);
    }

    for (const kind of ['text', 'reasoning'] as const)
      it(`are no responses when the program goes on from before them, ${kind}`, async () => {
        for (const times of [3, 9, 99]) {
          const { guard, heard } = listening();
          const bare = breaking(times, kind);
          const own = breaking(times, kind);
          const { streamFn } = own;
          const messages = await patient(agentOf(again, { streamFn: bare.streamFn }).agent);
          expect(await patient(guard(agentOf(again, { streamFn }).agent))).toEqual(messages);
          expect([heard, own.asked]).toEqual([[], bare.asked]);
        }
      });

    it('are no report: it is asked for again', async () => {
      const { guard } = listening();
      let reports = 0;
      const streamFn = scriptedStream(
        brittle(() => reports === 1 || reports === 2),
        ({ sent, tools }) => {
          if (tools) return again(sent.length);
          reports += 1;
          return { text: 'Report.' };
        },
      );
      const { agent } = agentOf(again, { streamFn });
      await patient(guard(agent));
      expect(reports).toBe(3);
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Report.');
    });
  });

  describe(`${pi.name}: calls`, () => {
    it("a call that the user's own hook blocks counts as denied, and keeps the user's words", async () => {
      const { guard, heard } = listening();
      const beforeToolCall = async () => ({ block: true, reason: 'Not on Sundays.' });
      const { agent, requests } = agentOf((n) => (n <= 4 ? again(n) : { text: 'Done.' }), { beforeToolCall });
      await guard(agent).prompt('Find it.');
      expect(requests[1]?.sent).toContain('Not on Sundays.');
      expect(heard[0]?.event).toMatchObject({ type: 'tool-result', status: 'denied' });
    });

    it("a call that the user's own hook refuses by throwing counts as failed", async () => {
      const { guard, heard, actions } = listening();
      const beforeToolCall = async () => {
        throw new Error('Not on Sundays.');
      };
      const { agent, requests } = agentOf(again, { beforeToolCall });
      await guard(agent).prompt('Find it.');
      expect(requests[1]?.sent).toContain('Not on Sundays.');
      expect(heard[0]?.event).toMatchObject({ type: 'tool-result', status: 'error' });
      expect(actions().at(-1)).toContain('halt');
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Report.');
    });

    it('a result without content stays what it is', async () => {
      const results = async (guarded: boolean) => {
        const { guard, heard } = listening();
        const look = {
          name: 'look',
          label: 'look',
          description: 'Looks.',
          parameters: { type: 'object' },
          execute: async () => ({ details: { rows: 3 } }),
        };
        const { agent } = agentOf((n) => (n === 1 ? again(n) : { text: 'Done.' }), {
          initialState: { model: MODEL, tools: [look] },
        });
        await (guarded ? guard(agent) : agent).prompt('Find it.');
        expect(heard).toEqual([]);
        const result = agent.state.messages.find(({ role }) => role === 'toolResult');
        return timeless(result);
      };
      expect(await results(true)).toEqual(await results(false));
      expect(await results(true)).toMatchObject({ isError: false });
    });

    it('arguments that are refused are seen as such', async () => {
      const { guard, heard } = listening();
      const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
      const { agent } = agentOf((n) => (n <= 4 ? again(n) : { text: 'Done.' }), { parameters });
      await guard(agent).prompt('Find it.');
      expect(heard[0]?.event).toMatchObject({ type: 'tool-result', tool: 'look', status: 'invalid' });
    });

    it("what the user's own hook makes of a result is what counts", async () => {
      const { guard, heard } = listening();
      let n = 0;
      const afterToolCall = async () => ({ content: [{ type: 'text', text: `Found ${Math.sqrt(n++)}.` }] });
      const { agent, requests } = agentOf((turn) => (turn <= 4 ? again(turn) : { text: 'Done.' }), {
        afterToolCall,
      });
      await guard(agent).prompt('Find it.');
      expect(requests[4]?.sent).toContain('Found 1.73');
      expect(heard).toEqual([]);
    });

    it('a result that the model has already may be told in a word', async () => {
      const output = 'warning: unused variable\n'.repeat(200);
      const { agent, requests } = agentOf((n) => (n <= 2 ? again(n) : { text: 'Done.' }), { output });
      await deloop({ preset: thrifty })(agent).prompt('Build it.');
      expect(requests[2]?.sent.split('warning: unused').length).toBe(201);
      expect(requests[2]?.sent).toContain('The same as before.');
    });

    it('a tool that ends the run ends it, whatever there is to say', async () => {
      const { guard, heard } = listening();
      const { agent, requests } = agentOf((n) => again(n), { terminate: true });
      await guard(agent).prompt('Find it.');
      for (let n = 0; n < 3; n++) await agent.continue();
      expect(heard.map(({ decision: { action, call } }) => [action, call])).toEqual([
        ['nudge', 3],
        ['nudge', 4],
      ]);
      expect(requests).toHaveLength(4);
    });

    it('a question that nobody can be asked is a no', async () => {
      const { guard } = listening({ attended: true });
      const { agent } = agentOf(again);
      await guard(agent).prompt('Find it.');
      expect(guard.stopped?.action).toBe('ask');
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Report.');
    });
  });

  describe(`${pi.name}: hooks that are put there later`, () => {
    type Function = (...given: unknown[]) => unknown;
    const hooksOf = (agent: object) => agent as { [name: string]: Function };
    const streamIn = (agent: object) => ('streamFunction' in agent ? 'streamFunction' : 'streamFn');
    const ACTIONS = ['nudge 3', 'block 5', 'block 6', 'halt 7'];

    it('are asked, and a call that is blocked does not run', async () => {
      const { guard, actions } = listening();
      const { agent, requests } = agentOf(again);
      const told: string[] = [];
      const hooks = hooksOf(guard(agent));
      for (const name of ['beforeToolCall', 'afterToolCall'])
        hooks[name] = async () => {
          told.push(name);
        };
      await agent.prompt('Find it.');
      expect(actions()).toEqual(ACTIONS);
      expect(told.filter((name) => name === 'beforeToolCall')).toHaveLength(7);
      expect(told.filter((name) => name === 'afterToolCall')).toHaveLength(4);
      expect(requests).toHaveLength(8);
    });

    it('may call what was there before', async () => {
      const { guard, heard, actions } = listening();
      const told: string[] = [];
      const beforeToolCall = async () => {
        told.push('first');
      };
      const { agent, requests } = agentOf(again, { beforeToolCall });
      const hooks = hooksOf(guard(agent));
      for (const name of ['beforeToolCall', 'afterToolCall', streamIn(agent)]) {
        const before = hooks[name] as Function;
        hooks[name] = (...given) => {
          told.push(name);
          return before(...given);
        };
      }
      await agent.prompt('Find it.');
      expect(actions()).toEqual(ACTIONS);
      expect(heard.map(({ event }) => event.type === 'tool-result' && event.status)).not.toContain('denied');
      expect(told.slice(0, 4)).toEqual([streamIn(agent), 'beforeToolCall', 'first', 'afterToolCall']);
      expect(requests).toHaveLength(8);
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Report.');
    });

    it('are taken away again', async () => {
      const { guard, actions } = listening();
      const { agent } = agentOf(again);
      const hooks = hooksOf(guard(agent));
      const before = hooks['beforeToolCall'] as Function;
      hooks['beforeToolCall'] = async () => ({ block: true, reason: 'Not on Sundays.' });
      hooks['beforeToolCall'] = before;
      await agent.prompt('Find it.');
      expect(actions()).toEqual(ACTIONS);
    });

    it('a stream function that is put there later is guarded, and its pieces count once', async () => {
      const { guard, actions } = listening();
      const { agent } = agentOf(() => ({ text: 'Never asked.' }));
      const { model: stream, requests } = scripted((answer) => scriptedStream(pi, answer), again);
      hooksOf(guard(agent))[streamIn(agent)] = stream as Function;
      await agent.prompt('Find it.');
      expect(actions()).toEqual(ACTIONS);
      expect(requests).toHaveLength(8);
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Report.');
    });

    it("what the stream function is asked while the agent does not run is not the agent's", async () => {
      const { guard } = listening({ lastTurn: false });
      await guard(agentOf(again).agent).prompt('Find it.');
      const { guard: next, heard } = listening({ state: guard.run().state });
      const list = '- look: nothing was found. '.repeat(100);
      const { agent } = agentOf(() => ({ text: list }));
      const stream = hooksOf(next(agent))[streamIn(agent)];
      const asked = await stream?.(MODEL, { messages: [], tools: [{ name: 'look' }] }, {});
      const response = asked as { result(): Promise<Parameters<typeof wordsIn>[0]> };
      expect(wordsIn(await response.result())).toBe(list);
      expect(heard).toEqual([]);
      expect(next.stopped).not.toBeNull();
    });

    it.each(['transformContext', 'convertToLlm', 'getApiKey'])(
      'what it is asked during %s is not the response, and a loop is stopped',
      async (hook) => {
        const { guard, actions } = listening();
        const stream: { ask?: Function | undefined } = {};
        const summedUp = async (messages: object[]) => {
          const response = await stream.ask?.(MODEL, { messages: [] }, {});
          await (response as { result(): Promise<unknown> }).result();
          return hook === 'getApiKey' ? 'key' : messages;
        };
        const { agent, requests } = agentOf((n) => (n < 60 ? again(n) : { text: 'Done.' }), {
          [hook]: summedUp,
        });
        stream.ask = hooksOf(guard(agent))[streamIn(agent)];
        await agent.prompt('Find it.');
        expect(actions()).toEqual(ACTIONS);
        expect(requests).toHaveLength(16);
        expect(wordsIn(agent.state.messages.at(-1))).toBe('Report.');
      },
    );

    it('what listeners ask it at the beginning of a turn is not the response either', async () => {
      const { guard, actions } = listening();
      const { agent, requests } = agentOf((n) => (n < 60 ? again(n) : { text: 'Done.' }));
      const stream = hooksOf(guard(agent))[streamIn(agent)];
      agent.subscribe(async ({ type }) => {
        if (type === 'turn_start') await stream?.(MODEL, { messages: [] }, {});
      });
      await agent.prompt('Find it.');
      expect(actions()).toEqual(ACTIONS);
      expect(requests).toHaveLength(16);
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Report.');
    });

    it('count from the next prompt on, as in pi itself; until then the guard stays', async () => {
      const { guard, actions } = listening();
      const { agent, requests } = agentOf(again);
      const hooks = hooksOf(guard(agent));
      agent.subscribe(async ({ type }) => {
        if (type === 'turn_end' && requests.length === 1) hooks['beforeToolCall'] = async () => undefined;
      });
      await agent.prompt('Find it.');
      expect(actions()).toEqual(ACTIONS);
    });
  });

  describe(`${pi.name}: conversations that are compacted`, () => {
    const summary = { role: 'user', content: [{ type: 'text', text: 'All files were read.' }], timestamp: 0 };
    const read = (n: number) => ({ calls: [callOf(n, 'look', { path: `src/${n % 6}.ts` })] });
    const execute = async (_id: string, args: unknown) => ({
      content: [{ type: 'text', text: `The code of ${JSON.stringify(args)}.` }],
    });

    /** Whatever is older than so many messages is summed up. */
    function compacting(most: number) {
      let from = 0;
      return async (messages: readonly { readonly role: string }[]) => {
        if (messages.length - from > most) from = messages.length;
        // Newer versions tell of tools there.
        const system = messages.filter(({ role }) => role === 'system');
        return from === 0 ? messages : [...system, summary, ...messages.slice(from)];
      };
    }

    it('may be looked at again, on the way to the model', async () => {
      const { guard, heard } = listening();
      const { agent, requests } = agentOf((n) => (n <= 12 ? read(n) : { text: 'Done.' }), {
        execute,
        transformContext: compacting(12),
      });
      await guard(agent).prompt('Explain it.');
      expect(requests[6]?.sent).not.toContain('Explain it.');
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Done.');
      expect(heard).toEqual([]);
    });

    it('may be looked at again, between two runs', async () => {
      const { guard, heard } = listening();
      const { agent } = agentOf((n) => (n <= 12 ? read(n) : { text: 'Done.' }), { execute });
      guard(agent);
      const stop = agent.subscribe(async ({ type }) => {
        if (type === 'turn_end' && agent.state.messages.length > 12) agent.abort();
      });
      await agent.prompt('Explain it.');
      stop();
      (agent.state as { messages: readonly object[] }).messages = [summary];
      await agent.continue();
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Done.');
      expect(heard).toEqual([]);
    });

    it('again and again are no progress', async () => {
      const { guard } = listening();
      const { agent, requests } = agentOf((n) => (n <= 60 ? read(n) : { text: 'Done.' }), {
        execute,
        transformContext: compacting(12),
      });
      await guard(agent).prompt('Explain it.');
      expect(guard.stopped?.detector).toBe('fruitless-compactions');
      expect(requests.length).toBeLessThan(30);
    });
  });

  describe(`${pi.name}: agents`, () => {
    it('two agents of one guard know nothing of each other', async () => {
      const { guard, heard } = listening();
      const one = () =>
        guard(agentOf((n) => (n <= 2 ? again(n) : { text: 'Done.' })).agent).prompt('Find it.');
      await Promise.all([one(), one()]);
      await one();
      expect(heard).toEqual([]);
    });

    it('the session is that of the agent, and a sub-agent has a history of its own in it', async () => {
      const { guard, heard } = listening();
      const [main, sub] = [0, 1].map(
        () => agentOf((n) => (n <= 2 ? again(n) : { text: 'Done.' }), { sessionId: 'chat-42' }).agent,
      );
      if (main === undefined || sub === undefined) throw new Error('no agents');
      await guard(main).prompt('Find it.');
      await guard(sub, { agent: 'researcher' }).prompt('Find it.');
      expect(heard).toEqual([]);
      const { agent } = agentOf((n) => again(n), { sessionId: 'chat-42' });
      await guard(agent, { agent: 'writer' }).prompt('Find it.');
      expect(heard.map(({ decision: { agent: name }, session }) => [name, session])).toContainEqual([
        'writer',
        'chat-42',
      ]);
      expect(guard.run('chat-42').stopped).toBeNull();
      expect(guard.stopped?.agent).toBe('writer');
    });

    it('the session is the one that the agent has when it is called', async () => {
      const store = createMemoryStore();
      const { guard } = listening({ store });
      const { agent } = agentOf((n) => (n < 60 ? again(n) : { text: 'Done.' }));
      const named = guard(agent) as typeof agent & { sessionId?: string };
      named.sessionId = 'chat-1';
      await agent.prompt('Find it.');
      expect(guard.stopped?.session).toBe('chat-1');
      named.sessionId = 'chat-2';
      await agent.prompt('Find it.');
      expect(guard.stopped?.session).toBe('chat-2');
      const { guard: next } = listening({ store });
      for (const session of ['chat-1', 'chat-2']) {
        await next.run(session).begin();
        expect(next.run(session).stopped?.session).toBe(session);
      }
    });

    it('another session has a conversation of its own, and what was sent in the one before is no measure', async () => {
      const { guard } = listening();
      const { agent } = agentOf((n) =>
        n % 6 === 0 ? { text: 'Done.' } : { calls: [callOf(n, 'look', { n })] },
      );
      const named = guard(agent) as typeof agent & { sessionId?: string };
      named.sessionId = 'chat-1';
      await agent.prompt('Find it.');
      (agent.state as { messages: readonly object[] }).messages = [];
      named.sessionId = 'chat-2';
      const told = vi.spyOn(guard.run('chat-2'), 'tell');
      await agent.prompt('Find it.');
      expect(told.mock.calls.filter(([{ type }]) => type === 'compaction')).toEqual([]);
    });

    it('sub-agents of one name that are at work at once have histories of their own', async () => {
      const { guard, heard } = listening({ session: 'chat' });
      const researchers = Array.from({ length: 5 }, () => {
        const { agent } = agentOf((n) => (n <= 2 ? again(n) : { text: 'Done.' }));
        return guard(agent, { agent: 'researcher' });
      });
      await Promise.all(researchers.map((agent) => agent.prompt('Find it.')));
      expect(heard).toEqual([]);
      const { agent } = agentOf(again);
      await guard(agent, { agent: 'researcher' }).prompt('Find it.');
      expect(guard.run('chat').stoppedFor('researcher')).toEqual(guard.stopped);
      expect(guard.stopped).toMatchObject({ action: 'halt', agent: 'researcher' });
    });

    it('guarded twice, it is guarded once', async () => {
      const { guard, heard } = listening();
      const { agent } = agentOf((n) => (n <= 3 ? again(n) : { text: 'Done.' }));
      await guard(guard(agent)).prompt('Find it.');
      expect(heard.map(({ decision: { action, call } }) => [action, call])).toEqual([['nudge', 3]]);
    });

    it('what a person says while the agent runs lets it go on', async () => {
      const { guard } = listening({ lastTurn: false });
      const { agent, requests } = agentOf((n) => (n <= 9 ? again(n) : { text: 'Done.' }));
      guard(agent);
      agent.subscribe(async ({ type }) => {
        if (type !== 'turn_end' || requests.length !== 7) return;
        agent.steer({ role: 'user', content: [{ type: 'text', text: 'Go on.' }], timestamp: 0 });
      });
      await agent.prompt('Find it.');
      expect(guard.stopped).toBeNull();
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Done.');
    });

    it("what a person says with files, as pi's web UI tells it, lets a stopped agent go on", async () => {
      const { guard } = listening({ lastTurn: false });
      const { agent } = agentOf((n) => (n <= 7 ? again(n) : { text: 'Done.' }), {
        convertToLlm: (messages: readonly { readonly role: string }[]) =>
          messages.map((said) => (said.role === 'user-with-attachments' ? { ...said, role: 'user' } : said)),
      });
      await guard(agent).prompt('Find it.');
      expect(guard.stopped).not.toBeNull();
      const attachments = [{ id: 'a', fileName: 'log.txt' }];
      await agent.prompt({ role: 'user-with-attachments', content: 'See here.', attachments, timestamp: 0 });
      expect(guard.stopped).toBeNull();
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Done.');
    });

    for (const [kind, words] of [
      ['the same', () => 'The list is empty.'],
      ['other numbers', (turn: number) => `Step ${turn} of 40.`],
    ] as const)
      it(`words that a program says after every turn, ${kind}, are no news, and do not keep a stopped run alive`, async () => {
        const { guard, actions } = listening();
        const { agent, requests } = agentOf((n) => (n <= 40 ? again(n) : { text: 'Done.' }));
        guard(agent);
        let turns = 0;
        agent.subscribe(async ({ type }) => {
          if (type !== 'turn_end' || ++turns > 40) return;
          agent.steer({ role: 'user', content: [{ type: 'text', text: words(turns) }], timestamp: 0 });
        });
        await agent.prompt('Find it.');
        expect(actions()).toEqual(['nudge 4', 'block 6', 'block 7', 'halt 8']);
        expect(requests).toHaveLength(9);
        expect(turns).toBe(11);
        expect(guard.stopped?.detector).toBe('no-progress');
        expect(wordsIn(agent.state.messages.at(-1))).toBe(guard.stopped?.message);
        await agent.prompt('Something else.');
        expect(requests.length).toBeGreaterThan(9);
      });

    it('tasks that wait for their turn are news, if only by a number', async () => {
      const { guard, heard } = listening();
      const { agent } = agentOf((n) => (n % 2 === 1 ? again(n) : { text: `Done: ${Math.sqrt(n)}.` }));
      for (let n = 2; n <= 9; n++)
        agent.followUp({ role: 'user', content: [{ type: 'text', text: `Fix issue ${n}.` }], timestamp: 0 });
      await guard(agent).prompt('Fix issue 1.');
      expect(heard).toEqual([]);
    });

    it('a model that only talks is told so, where more is to come', async () => {
      const { guard, heard } = listening();
      const { agent, requests } = agentOf(() => ({ text: 'Still working on it.' }));
      for (let n = 1; n <= 20; n++)
        agent.followUp({ role: 'user', content: [{ type: 'text', text: 'Continue.' }], timestamp: 0 });
      await guard(agent).prompt('Find it.');
      const [nudge] = heard.map(({ decision }) => decision);
      expect(nudge?.action).toBe('nudge');
      expect(requests.at(-1)?.sent).toContain(JSON.stringify(nudge?.message).slice(1, -1));
      expect(guard.stopped).not.toBeNull();
    });

    it('nothing is added to the queue by a turn that ends the run, whatever is in it', async () => {
      const { guard, heard } = listening();
      const { agent, requests } = agentOf(again);
      guard(agent);
      agent.subscribe(async ({ type }) => {
        if (type !== 'message_end' || requests.length !== 4) return;
        agent.followUp({ role: 'user', content: [{ type: 'text', text: 'And then?' }], timestamp: 0 });
        agent.abort();
      });
      await agent.prompt('Find it.');
      expect(heard.length).toBeGreaterThan(0);
      expect(agent.hasQueuedMessages()).toBe(true);
      agent.clearFollowUpQueue();
      expect(agent.hasQueuedMessages()).toBe(false);
    });

    it('a picture under the same words is news', async () => {
      const { guard, heard } = listening();
      const { agent, requests } = agentOf((n) => (n <= 6 ? again(n) : { text: 'Done.' }));
      guard(agent);
      const picture = { type: 'image', data: 'AA', mimeType: 'image/png' };
      agent.subscribe(async ({ type }) => {
        if (type !== 'turn_end' || requests.length > 6) return;
        agent.steer({ role: 'user', content: [{ type: 'text', text: 'And this?' }, picture], timestamp: 0 });
      });
      await agent.prompt('Find it.');
      expect(wordsIn(agent.state.messages.at(-1))).toBe('Done.');
      expect(heard).toEqual([]);
    });
  });

  describe(`${pi.name}: aborts`, () => {
    /** A guard whose question nobody answers. */
    function waiting() {
      let ask = () => {};
      const asked = new Promise<void>((resolve) => {
        ask = resolve;
      });
      const onAsk = () => {
        ask();
        return new Promise<boolean>(() => {});
      };
      return { guard: deloop({ onAsk }), asked };
    }

    for (const [what, calls, toolExecution] of [
      ['a call', 1, 'parallel'],
      ['several calls', 3, 'parallel'],
      ['several calls, one after another,', 3, 'sequential'],
    ] as const)
      it(`a run that asks a person about ${what} ends with its abort, and no tool runs`, async () => {
        const { guard, asked } = waiting();
        let ran = 0;
        const { agent, requests } = agentOf(
          (n, { sent }) =>
            sent.includes('Something else.')
              ? { text: 'Done.' }
              : { calls: Array.from({ length: calls }, (_, k) => callOf(10 * n + k, 'look', {})) },
          {
            toolExecution,
            execute: async () => {
              ran++;
              return { content: [{ type: 'text', text: 'Nothing was found.' }] };
            },
          },
        );
        const ended = guard(agent).prompt('Find it.');
        await asked;
        const before = [ran, requests.length];
        agent.abort();
        await ended;
        expect([ran, requests.length]).toEqual(before);
        expect(agent.state.isStreaming).toBe(false);
        expect(agent.state.messages.at(-1)?.stopReason).toBe('aborted');
        await agent.prompt('Something else.');
        expect(wordsIn(agent.state.messages.at(-1))).toBe('Done.');
        expect(guard.stopped).toBeNull();
      });

    it('a tool that gives up at the abort was cancelled, and has not failed', async () => {
      const { guard, heard } = listening();
      const { agent, requests } = agentOf(again, {
        execute: (_id: string, _args: unknown, signal: AbortSignal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('Given up.')));
            agent.abort();
          }),
      });
      guard(agent);
      for (let n = 1; n <= 8; n++) await agent.prompt(`Try ${n}.`);
      expect(requests).toHaveLength(8);
      expect(heard).toEqual([]);
    });
  });
}

/** A message without its time, and without that which a tool took: pi 1 tells both. */
function timeless(message: object | undefined): object {
  return { ...message, timestamp: 0, durationMs: 0 };
}
