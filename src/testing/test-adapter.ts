import assert from 'node:assert/strict';
import type { Nudge } from '../adapters/desk.ts';
import type { Question } from '../adapters/stop-reason.ts';
import type { WatchOptions } from '../adapters/watch.ts';
import type { Preset } from '../core/preset.ts';
import type { Json } from '../core/types.ts';
import { presets } from '../presets/registry.ts';
import { boardOf } from '../stores/board-of.ts';
import { createMemoryStore } from '../stores/memory.ts';
import type { Store } from '../stores/store.ts';
import { type Ability, checkInabilities } from './abilities.ts';
import type { AdapterHost, ScriptedTurn } from './adapter-host.ts';
import {
  type Act,
  actionsOf,
  assertHeard,
  assertRan,
  callOf,
  isSentBehind,
  play,
  REPORT,
  stage,
  timesSent,
  wasSent,
} from './adapter-stage.ts';
import { hearingPeople, hearingThoughts } from './hearing.ts';
import type { Runner } from './runner.ts';

const NOTHING = 'Nothing was found.';
const { recommended, zagens } = presets;
/** It blocks the third call of a kind, and a person's message clears nothing: it sees across two runs. */
const strict: Preset = { ...zagens, userBoundary: 'keep' };

/** It hears what is said beside calls, and counts responses. */
const listening: Preset = {
  name: 'listening',
  about: 'Tells of the third response that says the same, and of the fifth of any kind.',
  detectors: {
    said: { kind: 'turn-repeat', calls: 'counted' },
    responses: { kind: 'iteration-cap' },
  },
  ladder: [
    { on: 'said', at: 3, below: 1, action: 'nudge', message: 'The same was said {count} times.' },
    { on: 'responses', at: 5, below: 1, action: 'nudge', message: 'There were {count} responses.' },
  ],
};

/** The n-th response asks for the same again. */
const again = (n: number): ScriptedTurn => ({ calls: [callOf(n, 'look', { query: 'x' })] });
const look: Act['tools'] = { look: () => NOTHING };
const identical = (options: WatchOptions | null = {}): Act => ({ turn: again, tools: look, options });
/** The same for a while, then the model is done. */
const identicalUntil = (last: number, options: WatchOptions | null = {}): Act => ({
  turn: (n) => (n <= last ? again(n) : { text: 'Done.' }),
  tools: look,
  options,
});

/** Other calls, and always the same failure. */
const failing: Act = {
  turn: (n) => ({ calls: [callOf(n, 'build', { target: `t${n}` })] }),
  tools: {
    build() {
      throw new TypeError('the config is not valid');
    },
  },
  options: {},
};

class QuotaError extends Error {
  override readonly name = 'QuotaError';
  readonly code = 429;
}

/** A run that does what it should: reads, one failure, two at once, an answer. */
const healthy = (options: WatchOptions | null, ownHooks = false): Act => ({
  turn(n) {
    if (n === 1) return { text: 'I look.', calls: [callOf(n, 'look', { query: 'a' })] };
    if (n === 2) return { calls: [callOf(n, 'look', { query: 'b' }, 0), callOf(n, 'count', { of: 'b' }, 1)] };
    if (n === 3) return { calls: [callOf(n, 'fetch', { page: 1 })] };
    if (n === 4) return { calls: [callOf(n, 'count', { of: 'c' })] };
    return { text: 'There are 2.' };
  },
  tools: {
    look: (args) => `found ${JSON.stringify(args)}`,
    count: (args) => ({ of: (args as { of: string }).of, n: 2 }),
    fetch() {
      throw new QuotaError('too many requests');
    },
  },
  options,
  ownHooks,
});

const LINES = [
  'the gate is open',
  'rain since noon',
  'three birds',
  'a letter came',
  'no wind',
  'all is sold',
];

/** Equal calls that bring something else each time: `look` in words, `count` as data. */
const changing = (tool: 'look' | 'count'): Act => {
  let line = 0;
  return {
    turn: (n) => (n <= 14 ? { calls: [callOf(n, tool, {})] } : { text: 'Done.' }),
    tools: {
      look: () => `line ${++line}: ${LINES[line % LINES.length]}`,
      count: () => ({ lines: ++line, last: LINES[line % LINES.length] as string }),
    },
    options: {},
  };
};

/** Other calls, and always the same words beside them. */
const saying = (text: string | undefined): Act => ({
  turn: (n) =>
    n <= 7
      ? { ...(text !== undefined && { text }), calls: [callOf(n, 'look', { query: `${n}` })] }
      : { text: 'Done.' },
  tools: { look: (args) => JSON.stringify(args) },
  options: { preset: listening },
});

/** It nudges when four fifths of the tokens are used. */
const thrifty = (tokens: number): Preset => ({
  ...recommended,
  detectors: { ...recommended.detectors, budget: { kind: 'budget', tokens } },
});

/** The same, from a provider that begins with the same ids in every response. */
const withSameIds = ({ turn, ...act }: Act): Act => ({
  ...act,
  turn(...given) {
    const { calls, ...said } = turn(...given);
    return { ...said, ...(calls && { calls: calls.map((call, nth) => ({ ...call, id: `call_${nth}` })) }) };
  },
});
const SAID = 'I shall look at the next one of the pages that are left.';

const SLOW_MS = 20;

/** The same store, far away. */
function slow(store: Store): Store {
  return {
    ...store,
    async update(session, change) {
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      return store.update(session, change);
    },
  };
}

/** One worker of a swarm; it waits for nothing but the processor. */
const inSwarm = (store: Store, worker: string): WatchOptions => ({
  store,
  session: `session of ${worker}`,
  swarm: { name: 'night', worker, waitMs: 60_000 },
});
/** One search that leads nowhere, whoever tries it. */
const deadEnd = (options: WatchOptions): Act => ({
  turn: (n) => (n === 1 ? { calls: [callOf(n, 'search', { query: 'x' })] } : { text: 'Done.' }),
  tools: {
    search() {
      throw new Error('404: there is no such page');
    },
  },
  options,
});

/** What every adapter must do in its host; a host that cannot do a thing says why. */
export function testAdapter(host: AdapterHost, { describe, it }: Runner): void {
  checkInabilities(host.cannot ?? {});
  const unless = (ability: Ability, name: string, body: () => Promise<void>) => {
    const why = host.cannot?.[ability];
    if (why === undefined) it(name, body);
    else it(`cannot: ${name} (${why})`, async () => {});
  };
  const can = (ability: Ability) => host.cannot?.[ability] === undefined;

  describe(`${host.name}: a healthy run`, () => {
    for (const mode of ['enforce', 'shadow', 'off'] as const)
      it(`is untouched to the byte (${mode})`, async () => {
        const bare = await play(host, healthy(null));
        const watched = await play(host, healthy({ mode }));
        assert.deepEqual(watched.requests, bare.requests);
        assert.deepEqual(watched.ran, bare.ran);
        assert.equal(watched.requests.length, 5);
        assert.equal(watched.ending.ended, 'done');
        assert.equal(watched.ending.text, 'There are 2.');
        assert.equal(watched.ending.reason, null);
        assert.deepEqual(watched.heard, []);
        assert.deepEqual(watched.errors, []);
      });

    it('whose equal calls bring other results is left alone', async () => {
      for (const tool of ['look', 'count'] as const) {
        const told = await play(host, changing(tool));
        assert.deepEqual(actionsOf(told), [], `what ${tool} brings is another thing each time`);
        assertRan(told, 14);
        assert.equal(told.ending.ended, 'done');
      }
    });

    unless('same-ids', 'may have the same ids in every response', async () => {
      const told = await play(host, withSameIds(changing('look')));
      assert.deepEqual(actionsOf(told), []);
      assertRan(told, 14);
      assert.equal(told.ending.ended, 'done');
    });

    unless('tool-errors', 'leaves the errors of tools what they are', async () => {
      for (const options of [null, {}]) {
        const { ending } = await play(host, healthy(options));
        assert.equal(ending.toolErrors?.length, 1);
        const [error] = ending.toolErrors as [QuotaError];
        assert.ok(error instanceof QuotaError, 'the error of a tool is what the tool threw');
        assert.equal(error.code, 429);
      }
    });

    unless('own-hooks', "runs the user's own hooks", async () => {
      const bare = await play(host, healthy(null, true));
      const watched = await play(host, healthy({}, true));
      assert.ok(bare.hooks.length > 0, 'the driver sets hooks of its own');
      assert.deepEqual(watched.hooks, bare.hooks);
    });
  });

  describe(`${host.name}: a loop`, () => {
    it('of identical calls is nudged at the 3rd, blocked from the 5th, halted at the 7th', async () => {
      const told = await play(host, identical());
      assertHeard(told);
      const [nudge, block] = told.heard.map(({ message }) => message) as [string, string];
      assert.deepEqual(actionsOf(told), ['nudge 3', 'block 5', 'block 6', 'halt 7']);
      assertRan(told, 4);
      if (can('nudge')) {
        assert.ok(!wasSent(told, 3, nudge), 'the nudge is not there before it is given');
        assert.ok(wasSent(told, 4, nudge), 'the model gets the nudge');
      }
      if (can('lasting-nudge')) {
        assert.ok(wasSent(told, 6, nudge), 'the nudge stays in the conversation');
        assert.equal(timesSent(told, 6, nudge), 1, 'the nudge is said once');
        assert.ok(isSentBehind(told, 4, nudge, NOTHING), 'the nudge comes after the results');
      }
      assert.ok(!wasSent(told, 5, block));
      assert.ok(wasSent(told, 6, block), 'the model gets a result for the blocked call');
      assert.equal(told.ending.ended, 'stopped');
    });

    it('ends with a typed reason', async () => {
      const stops: string[] = [];
      const told = await play(host, identical({ onStop: (stop) => stops.push(stop.message) }));
      const { ending, heard } = told;
      const { reason } = ending;
      assert.ok(reason, 'the driver tells the reason');
      assert.deepEqual(stops, [reason.message], 'onStop hears of it once');
      assertHeard(told);
      const { finding, message } = heard.at(-1) as (typeof heard)[number];
      const { detector, subject, count, evidence } = finding;
      assert.deepEqual(
        { by: 'deloop', action: 'halt', detector, subject, count, evidence, message, call: 7 },
        {
          by: reason.by,
          action: reason.action,
          detector: reason.detector,
          subject: reason.subject,
          count: reason.count,
          evidence: reason.evidence,
          message: reason.message,
          call: reason.call,
        },
      );
      assert.equal(reason.detector, 'no-progress');
    });

    unless(
      'last-turn',
      'leaves the model a last turn without tools, and its report is the result',
      async () => {
        const told = await play(host, identical());
        assert.deepEqual(
          told.requests.map(({ tools }) => tools),
          [...Array<boolean>(7).fill(true), false],
        );
        assert.ok(wasSent(told, 8, told.heard[3]?.message as string), 'the model knows why');
        assert.equal(told.ending.text, REPORT);
      },
    );

    it('ends without a last turn where nobody wants one', async () => {
      const told = await play(host, identical({ lastTurn: false }));
      assert.equal(told.requests.length, 7);
      assertRan(told, 4);
      assert.equal(told.ending.ended, 'stopped');
    });

    it('keeps what the model said before the stop', async () => {
      const told = await play(host, {
        ...identical({ lastTurn: false }),
        turn: (n) => ({ ...again(n), text: `Thought ${n}.` }),
      });
      const kept = JSON.stringify([told.ending.text, told.ending.partial ?? null]);
      assert.match(kept, /Thought \d/);
    });

    it('of two calls in turn is nudged, blocked and halted', async () => {
      const told = await play(host, {
        turn: (n) => ({ calls: [callOf(n, 'look', { query: n % 2 === 0 ? 'b' : 'a' })] }),
        tools: { look: (args) => `result of ${(args as { query: string }).query}` },
        options: {},
      });
      assert.deepEqual(actionsOf(told), [
        'nudge 5',
        'nudge 6',
        'nudge 7',
        'block 8',
        'block 9',
        'block 10',
        'halt 11',
      ]);
      assertRan(told, 7);
      assert.equal(told.ending.ended, 'stopped');
    });

    it('of failures is nudged at the 3rd and the 6th, halted at the 10th', async () => {
      const stronger: Nudge[] = [];
      const told = await play(host, {
        ...failing,
        options: { onStrongerModel: (nudge) => stronger.push(nudge) },
      });
      assert.deepEqual(actionsOf(told), ['nudge 3', 'nudge 6', 'halt 10']);
      assertRan(told, 10);
      if (can('nudge')) {
        assert.ok(wasSent(told, 4, told.heard[0]?.message as string), 'the model gets the nudge');
        const expected = [{ text: told.heard[1]?.message, strongerModel: true }];
        assert.deepEqual(stronger, expected, 'onStrongerModel hears of the second nudge');
      }
      assert.equal(told.ending.ended, 'stopped');
      if (can('last-turn')) {
        assert.equal(told.requests.length, 11);
        assert.ok(wasSent(told, 11, told.heard[2]?.message as string), 'the model knows why');
        assert.equal(told.ending.text, REPORT);
      } else assert.equal(told.requests.length, 10);
    });

    unless(
      'parallel',
      'of parallel duplicates counts once a response, and the model hears of it before the next step',
      async () => {
        const told = await play(host, {
          turn: (n) => ({ calls: [0, 1, 2].map((nth) => callOf(n, 'look', { query: 'x' }, nth)) }),
          tools: look,
          options: {},
        });
        const blocks = [13, 14, 15, 16, 17, 18].map((call) => `block ${call}`);
        assert.deepEqual(actionsOf(told).slice(0, 8), ['nudge 7', ...blocks, 'halt 19']);
        assertRan(told, 12);
        assert.equal(told.ending.ended, 'stopped');
      },
    );

    unless('unknown-tool', 'of calls to a tool that does not exist is seen', async () => {
      const told = await play(host, {
        turn: (n) => (n <= 4 ? { calls: [callOf(n, 'no_such_tool', { n })] } : { text: 'Done.' }),
        tools: look,
        options: {},
      });
      assert.deepEqual(actionsOf(told).slice(0, 1), ['nudge 3']);
      const [event] = told.events;
      assert.equal(event?.type, 'tool-result');
      assert.equal(event?.type === 'tool-result' && event.status, 'unknown-tool');
      if (can('nudge'))
        assert.ok(wasSent(told, 4, told.heard[0]?.message as string), 'the model gets the nudge');
    });

    unless('same-ids', 'with the same ids in every response is seen all the same', async () => {
      const told = await play(host, withSameIds(identical()));
      assert.deepEqual(actionsOf(told), ['nudge 3', 'block 5', 'block 6', 'halt 7']);
      assertRan(told, 4);
    });

    unless(
      'unknown-tool',
      'of calls to a tool that does not exist is halted, whatever their ids',
      async () => {
        const unknown: Act = {
          turn: (n) => ({ calls: [callOf(n, 'no_such_tool', { n })] }),
          tools: look,
          options: {},
        };
        const told = await play(host, unknown);
        assert.match(actionsOf(told).at(-1) ?? '', /^halt/);
        if (can('same-ids'))
          assert.deepEqual(actionsOf(await play(host, withSameIds(unknown))), actionsOf(told));
      },
    );

    it('is counted in responses, each of them once', async () => {
      const told = await play(host, saying(undefined));
      assert.deepEqual(actionsOf(told), ['nudge 5']);
      assert.equal(told.ending.ended, 'done');
    });

    unless('text', 'of the same words beside other calls is seen', async () => {
      const told = await play(host, {
        ...saying(SAID),
        tools: { look: () => 'It is like all the others that were seen.' },
      });
      assert.deepEqual(
        told.heard.map(({ finding: { detector, count } }) => [detector, count]),
        [
          ['said', 3],
          ['responses', 5],
        ],
      );
      // Some hosts show what was said only with the next response.
      const at = told.heard[0]?.call;
      assert.ok(at === 3 || at === 4, `heard at call ${at}`);
    });

    unless('reasoning', 'of thoughts is heard: they reach the guard', async () => {
      const thinking = (reasoning: string | undefined): Act => ({
        turn: (n) => ({
          ...(reasoning !== undefined && { reasoning }),
          ...(n <= 2 ? { calls: [callOf(n, 'look', { query: `${n}` })] } : { text: 'Done.' }),
        }),
        tools: look,
        options: { preset: hearingThoughts },
      });
      assert.deepEqual((await play(host, thinking(undefined))).heard, []);
      const { heard } = await play(host, thinking('It may be on the next page.'));
      assert.ok(heard.length > 0, 'the guard hears what the model thinks');
    });

    unless('usage', 'that costs too much is seen by its tokens, each of them counted once', async () => {
      // 1,200 in all; some hosts tell those of a response with the next one, so of the last one never.
      const costing = (tokens: number): Act => ({
        turn: (n) => ({
          ...(n <= 5 ? { calls: [callOf(n, 'look', { query: `${n}` })] } : { text: 'Done.' }),
          usage: { input: 100, output: 100 },
        }),
        tools: { look: (args) => JSON.stringify(args) },
        options: { preset: thrifty(tokens) },
      });
      const { heard } = await play(host, costing(1000));
      assert.deepEqual(
        [heard[0]?.finding.detector, heard[0]?.action],
        ['budget', 'nudge'],
        'all tokens count',
      );
      assert.deepEqual((await play(host, costing(1600))).heard, [], 'no tokens count twice');
    });
  });

  describe(`${host.name}: declarations and modes`, () => {
    it('shadow changes nothing and reports', async () => {
      const bare = await play(host, identicalUntil(9, null));
      const told = await play(host, identicalUntil(9, { mode: 'shadow' }));
      assert.deepEqual(told.requests, bare.requests);
      assertRan(told, 9);
      assert.equal(told.ending.ended, 'done');
      assert.deepEqual(actionsOf(told).slice(0, 2), ['nudge 3', 'block 5']);
    });

    it('tools that are exempt, or that poll, may repeat', async () => {
      for (const declaration of [{ exempt: true }, { poll: true }, { identity: false as const }]) {
        const told = await play(host, identicalUntil(9, { tools: { look: declaration } }));
        assertRan(told, 9, JSON.stringify(declaration));
        assert.equal(told.ending.ended, 'done');
      }
    });

    it('the fields that are declared to be volatile do not count', async () => {
      let n = 0;
      const told = await play(host, {
        turn: (turn) => (turn <= 4 ? again(turn) : { text: 'Done.' }),
        tools: { look: () => ({ found: 0, token: `${n++} ${Math.sqrt(n)}` }) },
        options: { tools: { look: { volatile: ['token'] } } },
      });
      assert.deepEqual(actionsOf(told), ['nudge 3']);
    });

    it('the model runs on when our callbacks and the store break', async () => {
      const fail = (): never => {
        throw new Error('broken');
      };
      const told = await play(
        host,
        identicalUntil(4, {
          session: 'broken',
          onDecision: fail,
          onStop: fail,
          store: { update: fail, delete: fail, list: fail },
        }),
      );
      assert.equal(told.ending.ended, 'done');
      assert.deepEqual(actionsOf(told), ['nudge 3']);
      assert.ok(told.errors.length >= 2, 'onError hears of both');
    });
  });

  describe(`${host.name}: a question`, () => {
    it('is a halt where nobody can answer', async () => {
      const told = await play(host, identical());
      assert.equal(told.ending.reason?.action, 'halt');
    });

    it('that onAsk answers with no stops the run', async () => {
      const asked: Question[] = [];
      const told = await play(
        host,
        identical({
          onAsk(question) {
            asked.push(question);
            return false;
          },
        }),
      );
      assert.deepEqual(actionsOf(told), ['nudge 3', 'block 5', 'block 6', 'ask 7']);
      assert.equal(asked.length, 1);
      assert.equal(asked[0]?.message, told.heard[3]?.message);
      assertRan(told, 4);
      assert.equal(told.ending.ended, 'stopped');
      assert.equal(told.ending.reason?.action, 'ask');
    });

    unless('ask-between', 'about a result is asked before the model is called again', async () => {
      const asked: number[] = [];
      const { session, told } = await stage(host, {
        ...failing,
        options: {
          onAsk() {
            asked.push(told.requests.length);
            return false;
          },
        },
      });
      const ending = await session.send('Find it.');
      assert.deepEqual(actionsOf(told), ['nudge 3', 'nudge 6', 'ask 10']);
      assert.deepEqual(asked, [10]);
      assertRan(told, 10);
      assert.equal(ending.ended, 'stopped');
      assert.equal(ending.reason?.action, 'ask');
    });

    it('that onAsk answers with yes lets the call run', async () => {
      const told = await play(host, identicalUntil(7, { onAsk: async () => true }));
      assert.deepEqual(actionsOf(told), ['nudge 3', 'block 5', 'block 6', 'ask 7']);
      assertRan(told, 5);
      assert.equal(told.ending.ended, 'done');
      assert.equal(told.ending.text, 'Done.');
    });

    unless('hold', "is held in the host's own way, and a yes lets the call run", async () => {
      const { session, told } = await stage(host, identicalUntil(7, { attended: true, session: 'held' }));
      const held = await session.send('Find it.');
      assert.equal(held.ended, 'held');
      assertRan(told, 4);
      const ending = await session.answer?.(true);
      assertRan(told, 5);
      assert.equal(ending?.ended, 'done');
      assert.equal(ending?.text, 'Done.');
      assert.deepEqual(actionsOf(told), ['nudge 3', 'block 5', 'block 6', 'ask 7']);
    });

    unless('hold', "is held in the host's own way, and a no stops the run", async () => {
      const { session, told } = await stage(host, identical({ attended: true, session: 'held' }));
      await session.send('Find it.');
      const ending = await session.answer?.(false);
      assertRan(told, 4);
      assert.equal(ending?.ended, 'stopped');
      assert.equal(ending?.reason?.action, 'ask');
    });
  });

  describe(`${host.name}: going on`, () => {
    it('resumes after a halt', async () => {
      let resumed = false;
      const { session, told } = await stage(host, {
        turn: (n) => (resumed && told.ran.length > 4 ? { text: 'Done.' } : again(n)),
        tools: look,
        options: { session: 'resumed' },
      });
      const halted = await session.send('Find it.');
      assert.equal(halted.ended, 'stopped');
      assertRan(told, 4);
      resumed = true;
      const ending = await session.resume();
      assertRan(told, 5);
      assert.equal(ending.ended, 'done');
      assert.equal(ending.text, 'Done.');
      assert.equal(ending.reason, null);
    });

    it('goes on when the person writes something new after a halt', async () => {
      let more = false;
      const { session, told } = await stage(host, {
        turn: (n) => (more && told.ran.length > 4 ? { text: 'Done.' } : again(n)),
        tools: look,
        options: { session: 'more' },
      });
      await session.send('Find it.');
      more = true;
      const ending = await session.send('It has moved: look again.');
      assertRan(told, 5);
      assert.equal(ending.ended, 'done');
    });

    it('hears each message of a person once', async () => {
      const { session, told } = await stage(host, {
        turn: (n) => (n % 2 === 1 ? { calls: [callOf(n, 'look', { query: `${n}` })] } : { text: 'Done.' }),
        tools: look,
        options: { preset: hearingPeople, session: 'heard' },
      });
      for (const prompt of ['Find it.', 'Find the other one, too.']) await session.send(prompt);
      assert.deepEqual(
        told.heard.map(({ finding }) => finding.count),
        [1, 2],
      );
    });

    it('decides the same from a saved state', async () => {
      const first = await stage(host, identicalUntil(2, { preset: strict, session: 'saved' }));
      await first.session.send('Find it.');
      assert.deepEqual(actionsOf(first.told), []);
      const state: unknown = JSON.parse(JSON.stringify(first.session.state()));
      const second = await play(host, identicalUntil(1, { preset: strict, session: 'saved', state }));
      assert.deepEqual(actionsOf(second), ['block 3']);
    });

    it('decides the same from a store', async () => {
      const store = createMemoryStore();
      const options = { preset: strict, session: 'kept', store };
      // Who does not wait until all is saved leaves less behind than he has seen.
      await play(host, identicalUntil(2, { ...options, store: slow(store) }));
      assert.deepEqual(
        (await store.list()).map(({ session }) => session),
        ['kept'],
      );
      const second = await play(host, identicalUntil(1, options));
      assert.deepEqual(actionsOf(second), ['block 3']);
      const other = await play(host, identicalUntil(1, { ...options, session: 'other' }));
      assert.deepEqual(actionsOf(other), []);
    });

    it('has all in the store when it ends', async () => {
      const store = createMemoryStore();
      const { session } = await stage(host, healthy({ session: 'kept', store: slow(store) }));
      await session.send('Find it.');
      const saved = await store.update('kept', (state) => [state as Json, state]);
      assert.ok(saved, 'the store has it by the name of the session');
      const { mark: _, ...kept } = saved as { readonly mark: unknown };
      assert.deepEqual(
        kept,
        JSON.parse(JSON.stringify(session.state())),
        'whoever ends waits until all is saved',
      );
    });

    it('goes on from what another process did meanwhile', async () => {
      const options = { preset: strict, session: 'shared', store: createMemoryStore() };
      const turn = (n: number): ScriptedTurn => (n % 2 === 1 ? again(n) : { text: 'Done.' });
      const { session, told } = await stage(host, { turn, tools: look, options });
      await session.send('Find it.');
      await play(host, identicalUntil(1, options));
      await session.send('Find it.');
      assert.deepEqual(actionsOf(told), ['block 3']);
    });
  });

  describe(`${host.name}: a swarm`, () => {
    it('leaves a healthy run untouched to the byte, and counts its calls', async () => {
      const store = createMemoryStore();
      const bare = await play(host, healthy(null));
      const watched = await play(host, healthy(inSwarm(store, 'ann')));
      assert.deepEqual(watched.requests, bare.requests);
      assert.deepEqual(watched.ran, bare.ran);
      assert.deepEqual(watched.heard, []);
      assert.deepEqual(watched.errors, []);
      const { totals, records } = (await boardOf(store).read('night')) ?? {};
      assert.equal(totals?.[0], 5);
      assert.ok(records?.every(({ first }) => first === 'ann'));
    });

    it('tells a dead end to whoever comes to it seventh, and keeps the twelfth from it', async () => {
      const store = createMemoryStore();
      for (let n = 1; n <= 12; n++) {
        const told = await play(host, deadEnd(inSwarm(store, `worker-${n}`)));
        assertRan(told, n < 12 ? 1 : 0, `worker ${n}`);
        assert.equal(told.ending.ended, 'done');
        assert.deepEqual(told.errors, []);
        const [call, failure] = told.heard;
        assert.equal(
          call?.finding.detector,
          n < 7 ? undefined : 'dead-end',
          `worker ${n}: from the seventh on, each hears that others have failed`,
        );
        assert.equal(failure?.finding.detector, n < 8 || n === 12 ? undefined : 'swarm-failure');
        assert.equal(call?.action, n < 7 ? undefined : n < 12 ? 'nudge' : 'block');
        for (const { message } of told.heard) {
          assert.match(message, /worker-1 first/);
          if (can('nudge') || n === 12) assert.ok(wasSent(told, 2, message), 'the model hears of it');
        }
      }
    });

    it('of many that read the same is left alone', async () => {
      const store = createMemoryStore();
      for (let n = 1; n <= 12; n++) {
        const told = await play(host, identicalUntil(1, inSwarm(store, `worker-${n}`)));
        assert.deepEqual(told.heard, []);
        assertRan(told, 1);
      }
    });

    it('that was stopped stops every run at its next call, until it is let go', async () => {
      const store = createMemoryStore();
      const board = boardOf(store);
      await board.steer('night', { halt: true, why: 'wrong branch', by: 'ops' });
      const told = await play(host, identicalUntil(1, inSwarm(store, 'ann')));
      assertRan(told, 0);
      assert.equal(told.ending.ended, 'stopped');
      assert.equal(told.ending.reason?.detector, 'swarm-halt');
      assert.match(told.ending.reason?.message ?? '', /ops: wrong branch/);
      await board.steer('night', { halt: false, why: '', by: 'ops' });
      const freed = await play(host, identicalUntil(1, inSwarm(store, 'ben')));
      assertRan(freed, 1);
      assert.equal(freed.ending.ended, 'done');
    });

    it('that has used up its budget stops', async () => {
      const { store, session, swarm } = inSwarm(createMemoryStore(), 'ann');
      const options = { store, session, swarm: { ...(swarm as object), budget: { calls: 3 } } };
      const told = await play(host, {
        turn: (n) => ({ calls: [callOf(n, 'look', { query: `${n}` })] }),
        tools: { look: (args) => JSON.stringify(args) },
        options: options as WatchOptions,
      });
      assert.equal(told.ending.ended, 'stopped');
      assert.equal(told.ending.reason?.detector, 'swarm-budget');
      assertRan(told, 2);
    });

    it('whose store breaks holds nobody up', async () => {
      const fail = (): never => {
        throw new Error('broken');
      };
      const store = { update: fail, delete: fail, list: fail };
      const told = await play(host, identicalUntil(4, inSwarm(store, 'ann')));
      assert.equal(told.ending.ended, 'done');
      assert.deepEqual(actionsOf(told), ['nudge 3']);
      assert.ok(told.errors.length >= 1, 'onError hears of it');
    });
  });
}
