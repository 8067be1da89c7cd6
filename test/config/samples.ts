import type { Preset } from '../../src/core/preset.ts';
import type { Rung } from '../../src/core/types.ts';

/** A rung that fits every preset with a call-streak. */
const RUNG: Rung = {
  on: 'call-streak',
  at: 3,
  action: 'nudge',
  message: 'Again?',
};
export const PRESET: Omit<Preset, 'about'> & { readonly ladder: readonly [Rung] } = {
  name: 'mine',
  detectors: { 'call-streak': { kind: 'call-streak', window: 8 } },
  ladder: [RUNG],
};

/** Configs that must be accepted, with what they show. */
export const GOOD: readonly (readonly [what: string, config: unknown])[] = [
  ['nothing', {}],
  ['every plain field', { $schema: './x.json', preset: 'koda', mode: 'shadow', attended: false }],
  ['a preset object', { preset: PRESET }],
  [
    'a preset object with habits and about',
    { preset: { ...PRESET, about: 'Mine.', rounds: 'round', strikes: 'turn' } },
  ],
  [
    'every declaration of a tool',
    {
      tools: {
        'mcp__*': {
          identity: ['path'],
          volatile: ['at'],
          effect: 'write',
          poll: true,
          noop: false,
          exempt: false,
        },
        wait: { identity: false, at: { nudge: 1, block: 2, halt: 1_000_000 } },
      },
    },
  ],
  ['a tool with the name of something every object has', { tools: { constructor: { exempt: true } } }],
  ['messages', { messages: { 'call-streak': 'Again?', 'call-streak:halt': 'Stop.' } }],
  ['a detector switched off', { detectors: { 'iteration-cap': 'off' } }],
  ['an option at each end of its range', { detectors: { 'outcome-repeat': { window: 2 } } }],
  ['an option that may be off', { detectors: { 'call-streak': { prefixBytes: 'off' } } }],
  ['a list of names', { detectors: { 'outcome-repeat': { clearedBy: ['write'] } } }],
  ['a new detector with its kind', { detectors: { mine: { kind: 'call-count', window: 48 } } }],
  [
    'another kind under a known name',
    { detectors: { 'call-streak': { kind: 'call-count', stateChange: 'ignored' } } },
  ],
  ['where the first rung of a detector stands', { detectors: { 'call-streak': { at: 6 } } }],
  ['a detector that some preset object may have', { detectors: { mine: { window: 5 } } }],
  ['an empty ladder', { ladder: [] }],
  [
    'a store and a swarm with everything',
    {
      store: {
        redis: 'rediss://me:secret@cache:6379/1',
        folder: '/var/swarm',
        tenant: 'acme',
        prefix: 'x.y',
      },
      swarm: {
        name: 'nightly',
        worker: 'w1',
        windowMs: 100,
        waitMs: 60_000,
        budget: { calls: 1, tokens: 2, money: 3 },
        tenantBudget: { money: 4 },
        rollUp: false,
        prices: { input: 0, cached: 1, output: 2 },
        spawn: { children: 0, perDepth: 1, depth: 2 },
        depth: 1,
        spawnTools: ['Task'],
        handoffTools: [],
        shareErrors: true,
      },
    },
  ],
  ['no swarm, whatever others say', { swarm: 'off' }],
  ['a swarm whose name is yet to come', { swarm: { waitMs: 20 } }],
  [
    'a rung with everything',
    {
      ladder: [
        {
          ...RUNG,
          exactly: true,
          every: 2,
          strikes: 1,
          below: 3,
          attended: false,
          where: { same: true, n: 1, why: 'x' },
          level: 'info',
          hint: 'last-turn',
          forget: true,
        },
      ],
    },
  ],
  ['locks on what it sets', { preset: 'koda', mode: 'enforce', locked: ['preset', 'mode'] }],
  ['no locks', { locked: [] }],
];

/** Configs that must be refused, with a part of the message that says why. */
export const BAD: readonly (readonly [what: string, config: unknown, message: string])[] = [
  ['a list', [], 'the config is []; it must be an object with $schema, preset, mode'],
  [
    'a rung at no count',
    { detectors: { 'call-streak': { at: 0 } } },
    'detectors.call-streak.at is 0; it must be a whole number from 1 to 1000000',
  ],
  [
    'where rungs stand, in a preset object',
    { preset: { ...PRESET, detectors: { 'call-streak': { kind: 'call-streak', at: 4 } } } },
    'has no option "at"',
  ],
  ['null', null, 'the config is null'],
  ['a store that is no object', { store: 'redis://cache' }, 'store is "redis://cache"'],
  [
    'a store with something else',
    { store: { url: 'x' } },
    'it must be an object with redis, folder, tenant, prefix',
  ],
  [
    'a store elsewhere',
    { store: { redis: 'http://cache' } },
    'store.redis is "string"; it must be a URL like redis:',
  ],
  ['a tenant without a name', { store: { tenant: '' } }, 'store.tenant is ""'],
  ['a prefix with a space', { store: { prefix: 'a b' } }, 'store.prefix is "a b"'],
  ['a swarm that is a name', { swarm: 'nightly' }, 'swarm is "nightly"; it must be "off", or an object'],
  [
    'a swarm that waits for nothing',
    { swarm: { waitMs: 0 } },
    'swarm.waitMs is 0; it must be a whole number',
  ],
  ['a tenant in a swarm', { swarm: { tenant: 'acme' } }, 'swarm is "tenant"; it must be in `store`'],
  ['an unknown option of a swarm', { swarm: { size: 3 } }, 'size'],
  [
    'an unknown field',
    { presett: 'koda' },
    'the config has no option "presett"; known are $schema, preset, mode',
  ],
  ['an unknown preset', { preset: 'kodda' }, 'preset is "kodda"; it must be one of koda, '],
  [
    'a preset that every object has',
    { preset: 'constructor' },
    'preset is "constructor"; it must be one of koda, ',
  ],
  ['a preset without a ladder', { preset: { name: 'x', detectors: {} } }, 'preset.ladder is undefined'],
  [
    'a preset without a name',
    { preset: { ...PRESET, name: '' } },
    'preset.name is ""; it must be a text of 1 to 64',
  ],
  [
    'a preset with an unknown habit',
    { preset: { ...PRESET, rounds: 'never' } },
    'rounds is "never"; it must be one of "call", "round"',
  ],
  [
    'a preset with an unknown kind',
    { preset: { ...PRESET, detectors: { 'call-streak': { kind: 'x' } } } },
    'kind is "x"; it must be one of',
  ],
  ['a preset with an unknown field', { preset: { ...PRESET, extra: 1 } }, 'no option "extra"'],
  ['an unknown mode', { mode: 'on' }, 'mode is "on"; it must be one of enforce, shadow, off'],
  ['a text for yes', { attended: 'yes' }, 'attended is "yes"; it must be true or false'],
  ['tools as a list', { tools: [] }, 'tools is []; it must be an object of tool names'],
  ['a tool as a list', { tools: { a: [] } }, 'tools["a"] is []'],
  [
    'an unknown declaration',
    { tools: { a: { polls: true } } },
    'tools["a"] has no option "polls"; known are identity, volatile',
  ],
  [
    'an unknown effect',
    { tools: { a: { effect: 'read' } } },
    'tools["a"].effect is "read"; it must be "none", "write" or "shell"',
  ],
  [
    'a threshold of 0',
    { tools: { a: { at: { halt: 0 } } } },
    'tools["a"].at.halt is 0; it must be a whole number from 1 to 1000000',
  ],
  ['thresholds as a list', { tools: { a: { at: [3] } } }, 'tools["a"].at is [3]'],
  [
    'an empty message',
    { messages: { 'call-streak': '' } },
    'messages.call-streak is ""; it must be a text of 1 to 4000 characters',
  ],
  [
    'a message that is too long',
    { messages: { 'call-streak': 'x'.repeat(4001) } },
    'it must be a text of 1 to 4000 characters',
  ],
  [
    'a detector that is on',
    { detectors: { 'call-streak': 'on' } },
    'detectors.call-streak is "on"; it must be an object of options, or "off"',
  ],
  ['a detector as a list', { detectors: { 'call-streak': [] } }, 'detectors.call-streak is []'],
  [
    'the name of no detector',
    { detectors: { Streak: 'off' } },
    'the name of a detector is "Streak"; it must be lower-case words and dashes',
  ],
  [
    'an unknown option',
    { detectors: { 'call-streak': { windw: 5 } } },
    'detectors.call-streak has no option "windw"; known are match, prefixBytes, window',
  ],
  [
    'an option below its range',
    { detectors: { 'outcome-repeat': { window: 1 } } },
    'detectors.outcome-repeat.window is 1; it must be a whole number from 2 to 64',
  ],
  [
    'an option above its range',
    { detectors: { 'outcome-repeat': { window: 65 } } },
    'detectors.outcome-repeat.window is 65; it must be a whole number from 2 to 64',
  ],
  ['a fraction', { detectors: { 'outcome-repeat': { window: 2.5 } } }, 'window is 2.5'],
  [
    'a choice that is none',
    { detectors: { 'call-streak': { match: 'near' } } },
    'match is "near"; it must be one of "exact", "raw"',
  ],
  ['off where it is no option', { detectors: { 'outcome-repeat': { window: 'off' } } }, 'window is "off"'],
  [
    'names that are empty',
    { detectors: { 'outcome-repeat': { clearedBy: [''] } } },
    'clearedBy is [""]; it must be a list of names',
  ],
  [
    'an unknown kind',
    { detectors: { mine: { kind: 'loop' } } },
    'detectors.mine.kind is "loop"; it must be one of',
  ],
  ['an option of no kind at all', { detectors: { mine: { nothing: 1 } } }, 'has no option "nothing"'],
  ['a ladder that is none', { ladder: {} }, 'ladder is {}; it must be a list of rungs'],
  ['a rung that is none', { ladder: [null] }, 'ladder[0] is null'],
  ['a rung as a list', { ladder: [[]] }, 'ladder[0]'],
  [
    'a rung at 0',
    { ladder: [{ ...RUNG, at: 0 }] },
    'ladder[0].at is 0; it must be a whole number from 1 to 1000000',
  ],
  ['a rung on nothing', { ladder: [{ ...RUNG, on: undefined }] }, 'ladder[0].on is undefined'],
  [
    'a rung with an unknown action',
    { ladder: [{ ...RUNG, action: 'stop' }] },
    'ladder[0].action is "stop"; it must be one of observe, nudge, block, ask, halt',
  ],
  [
    'a rung that is never to speak',
    { ladder: [{ ...RUNG, below: 0 }] },
    'ladder[0].below is 0; it must be a whole number from 1 to 1000000',
  ],
  [
    'a rung for somebody who may be there',
    { ladder: [{ ...RUNG, attended: 'maybe' }] },
    'ladder[0].attended is "maybe"; it must be true or false',
  ],
  [
    'a rung with an unknown hint',
    { ladder: [{ ...RUNG, hint: 'give up' }] },
    'ladder[0].hint is "give up"; it must be one of stub, stronger-model, last-turn',
  ],
  [
    'a rung with an unknown level',
    { ladder: [{ ...RUNG, level: 'loud' }] },
    'ladder[0].level is "loud"; it must be one of info, warning, critical',
  ],
  [
    'a rung with a fact that is a list',
    { ladder: [{ ...RUNG, where: { a: [1] } }] },
    'ladder[0].where.a is [1]',
  ],
  ['a rung with facts as a list', { ladder: [{ ...RUNG, where: [] }] }, 'ladder[0].where is []'],
  [
    'a rung with an unknown field',
    { ladder: [{ ...RUNG, when: 1 }] },
    'ladder[0] has no option "when"; known are on, at',
  ],
  [
    'a lock on what it does not set',
    { preset: 'koda', locked: ['mode'] },
    'locked is ["mode"]; it must be a list of fields that this file sets (preset)',
  ],
  ['a lock that is no list', { preset: 'koda', locked: 'preset' }, 'locked is "preset"'],
  [
    'a prototype',
    JSON.parse('{"__proto__": {"mode": "off"}}'),
    'the config has a field "__proto__"; remove it',
  ],
  [
    'a prototype among tools',
    JSON.parse('{"tools": {"__proto__": {"exempt": true}}}'),
    'a field "__proto__"',
  ],
];
