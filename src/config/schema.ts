import { HABITS, HINTS, LEVELS, MAX_AT, MAX_MESSAGE, NAME_PATTERN } from '../core/check-preset.ts';
import { ACTIONS } from '../core/ladder.ts';
import type { DescribedKind, OptionSpec } from '../core/options.ts';
import type { Json } from '../core/types.ts';
import { detectorKinds, presets } from '../presets/registry.ts';
import { MAX_SWARM, MAX_WORKER, MOST } from '../swarm/swarm-options.ts';
import { MODES, SETTINGS } from './config.ts';
import { kindsByName } from './parse-detectors.ts';
import { MAX_NAME } from './parse-preset.ts';
import { PREFIX, REDIS } from './parse-swarm.ts';

type Schema = { readonly [keyword: string]: Json };

const COUNT: Schema = { type: 'integer', minimum: 1, maximum: MAX_AT };
const MESSAGE: Schema = { type: 'string', minLength: 1, maxLength: MAX_MESSAGE };
const NAMES: Schema = { type: 'array', items: { type: 'string', minLength: 1 } };
const DETECTOR_NAME: Schema = { type: 'string', pattern: NAME_PATTERN.source };
const HARMLESS_NAME: Schema = { not: { const: '__proto__' } };

const HABIT_TEXTS: { readonly [Name in keyof typeof HABITS]: string } = {
  rounds: 'Rules are checked at every call, or when the calls of a round are known.',
  duplicates: 'Whether the same call twice in one round counts twice.',
  answers: '"first": one decision a round, and only a rule of higher precedence may still speak.',
  userBoundary: "What a person's message clears.",
  agents: '"together": sub-agents share one history.',
  strikes:
    'How long a strike is remembered: for the run, or until a person speaks, or that and for one subject only.',
};

/** The JSON Schema (draft 2020-12) of `deloop.config.json`, made from what the guard itself checks. */
export function configSchema(): Json {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'deloop.config.json',
    description: 'How deloop guards the agents of this project. Also valid as "deloop" in package.json.',
    ...object({
      $schema: { type: 'string', description: 'Where this schema is, for editors.' },
      preset: about('The guard to start from: its name, or a whole preset.', {
        anyOf: [
          ...Object.entries(presets).map(([name, preset]) => about(preset.about, { const: name })),
          { $ref: '#/$defs/preset' },
        ],
      }),
      mode: about('"shadow" decides and reports, but lets everything pass; "off" does nothing.', {
        enum: [...MODES],
        default: 'enforce',
      }),
      attended: about('false: nobody can answer, so what would ask halts.', {
        type: 'boolean',
        default: true,
      }),
      tools: about('What you know about tools, by name; "*" matches any part of one.', {
        type: 'object',
        propertyNames: HARMLESS_NAME,
        additionalProperties: { $ref: '#/$defs/tool' },
      }),
      messages: about(
        'Own wording, by detector ("call-streak") or detector and action ("call-streak:halt").',
        {
          type: 'object',
          propertyNames: HARMLESS_NAME,
          additionalProperties: MESSAGE,
        },
      ),
      detectors: about(
        'Options of the preset\'s detectors, by name; "off" removes one with its rungs.',
        overrides(),
      ),
      ladder: about(
        "Takes the place of the preset's whole ladder; the first rung that fits decides.",
        LADDER,
      ),
      store: about(
        "Where swarms of coding agents share their tallies. It works in the user's own file and in the managed one.",
        STORE,
      ),
      swarm: about('The swarm that sessions of coding agents belong to; "off" = none.', {
        anyOf: [{ const: 'off' }, SWARM],
      }),
      locked: about('Fields that nobody may change. It works in the managed file alone.', {
        type: 'array',
        items: { enum: [...SETTINGS] },
      }),
    }),
    allOf: SETTINGS.map(lockedIsSet),
    $defs: {
      preset: presetSchema(),
      tool: TOOL,
      rung: RUNG,
      ...Object.fromEntries(detectorKinds.map((kind) => [kind.kind, useOf(kind)])),
    },
  };
}

const NAME: Schema = { type: 'string', minLength: 1, maxLength: MAX_WORKER };

const STORE: Schema = object({
  redis: about('redis://user:password@host:6379/0, or rediss: for TLS.', {
    type: 'string',
    pattern: REDIS.source,
  }),
  folder: about('A folder of this machine; from the home folder on, where it is not absolute.', {
    type: 'string',
    minLength: 1,
  }),
  tenant: about('Whose swarms these are.', { ...NAME, default: 'default' }),
  prefix: about('What all keys in Redis begin with.', {
    type: 'string',
    pattern: PREFIX.source,
    default: 'deloop',
  }),
});

const LIMIT: Schema = { type: 'integer', minimum: 1, maximum: MOST };
const PRICE: Schema = { type: 'integer', minimum: 0, maximum: MOST };
const SPAWNED: Schema = { type: 'integer', minimum: 0, maximum: 1e9 };
const LIMITS: Schema = object({ calls: LIMIT, tokens: LIMIT, money: LIMIT });

const SWARM: Schema = object({
  name: { type: 'string', minLength: 1, maxLength: MAX_SWARM },
  worker: about('This worker; else the agent, and a digest of its session.', NAME),
  windowMs: about('Counts are forgotten between half of it and all of it later.', {
    type: 'integer',
    minimum: 100,
    maximum: 86_400_000,
  }),
  waitMs: about('How long a call waits for the store.', { type: 'integer', minimum: 1, maximum: 60_000 }),
  budget: about('What the whole swarm may use; money in millionths.', LIMITS),
  tenantBudget: about('What all swarms of the tenant may use together.', LIMITS),
  rollUp: about('Count for the tenant, too.', { type: 'boolean' }),
  prices: about(
    'Prices of a million tokens, in millionths.',
    object({ input: PRICE, cached: PRICE, output: PRICE }),
  ),
  spawn: about(
    'Children of one agent, agents on one level, levels.',
    object({ children: SPAWNED, perDepth: SPAWNED, depth: SPAWNED }),
  ),
  depth: about('How far down this worker is.', { type: 'integer', minimum: 0, maximum: 1000 }),
  spawnTools: about('Tools that start an agent.', NAMES),
  handoffTools: about('Tools that hand over to the agent in place of "*".', NAMES),
  shareErrors: about("Whether workers may read a line of each other's errors.", { type: 'boolean' }),
});

const LADDER: Schema = { type: 'array', items: { $ref: '#/$defs/rung' } };

const TOOL: Schema = object({
  identity: about('The argument fields that make two calls the same; false = never the same.', {
    anyOf: [NAMES, { const: false }],
  }),
  volatile: about('Fields of a JSON output that change on every run and say nothing.', NAMES),
  effect: about('What a success does to the world.', { enum: ['none', 'write', 'shell'] }),
  poll: about('Repeating is its job: only failures count.', { type: 'boolean' }),
  noop: about('It does nothing: it neither counts nor breaks a streak.', { type: 'boolean' }),
  exempt: about('The guard never looks at it.', { type: 'boolean' }),
  at: about('Its own thresholds, by action.', object({ nudge: COUNT, block: COUNT, halt: COUNT })),
});

const RUNG: Schema = object(
  {
    on: about('The name of a detector.', DETECTOR_NAME),
    at: about('The n-th occurrence, inclusive.', COUNT),
    exactly: about('Only at "at", not after it.', { type: 'boolean' }),
    every: about('After "at", only every n-th time.', COUNT),
    strikes: about('Only when so many decisions on the same detector were delivered before.', COUNT),
    below: about('Only when fewer than so many were.', COUNT),
    attended: about('Only when somebody can answer (true), or when nobody can (false).', { type: 'boolean' }),
    where: about("Only when the finding's facts have these values.", {
      type: 'object',
      propertyNames: HARMLESS_NAME,
      additionalProperties: { type: ['string', 'number', 'boolean'] },
    }),
    action: about('What to do.', { enum: [...ACTIONS] }),
    level: { enum: [...LEVELS] },
    hint: about('What the host may do beside passing the message on.', { enum: [...HINTS] }),
    message: about('A template over {tool}, {count}, {subject} and the facts of the finding.', MESSAGE),
    prompt: about(
      'What a person is asked, with "ask": a template like "message", which is for the model.',
      MESSAGE,
    ),
    forget: about('Once delivered, the detector starts anew.', { type: 'boolean' }),
  },
  ['on', 'at', 'action', 'message'],
);

function presetSchema(): Schema {
  const habits = Object.entries(HABITS).map(([name, values]) => [
    name,
    about(HABIT_TEXTS[name as keyof typeof HABITS], { enum: [...values], default: values[0] }),
  ]);
  return object(
    {
      name: { type: 'string', minLength: 1, maxLength: MAX_NAME },
      about: { type: 'string' },
      detectors: {
        type: 'object',
        propertyNames: DETECTOR_NAME,
        additionalProperties: { $ref: '#/$defs/preset/$defs/use' },
      },
      ladder: LADDER,
      ...Object.fromEntries(habits),
    },
    ['name', 'detectors', 'ladder'],
    // A preset tells it in its ladder.
    { use: { ...anyUse(detectorKinds, true), not: { required: ['at'] } } },
  );
}

function overrides(): Schema {
  const named = [...kindsByName()].map(([name, kinds]) => {
    const [only] = kinds;
    const text = kinds.length === 1 && only !== undefined ? only.about : `The detector ${name}.`;
    const other = detectorKinds.filter((kind) => !kinds.includes(kind));
    return [name, about(text, { anyOf: [OFF, anyUse(kinds, false), anyUse(other, true)] })];
  });
  return {
    type: 'object',
    propertyNames: DETECTOR_NAME,
    properties: Object.fromEntries(named),
    additionalProperties: { anyOf: [OFF, anyUse(detectorKinds, false)] },
  };
}

const OFF: Schema = { const: 'off' };

function anyUse(kinds: readonly DescribedKind[], kindRequired: boolean): Schema {
  const anyOf = kinds.map(({ kind }) => ({ $ref: `#/$defs/${kind}` }));
  return kindRequired ? { type: 'object', required: ['kind'], anyOf } : { anyOf };
}

function useOf({ kind, about: text, options, defaults }: DescribedKind): Schema {
  const usual = defaults as { readonly [option: string]: Json };
  const specs = Object.entries(options).map(([name, spec]) => [
    name,
    optionSchema(spec, usual[name] ?? null),
  ]);
  const at = about('In a config: where the first of its rungs stands; the others move along.', COUNT);
  return about(text, object({ kind: { const: kind }, at, ...Object.fromEntries(specs) }));
}

function optionSchema(spec: OptionSpec, usual: Json): Schema {
  const shared = { default: usual };
  switch (spec.type) {
    case 'integer': {
      const whole = { type: 'integer', minimum: spec.min, maximum: spec.max };
      return about(spec.about, { ...(spec.offable === true ? { anyOf: [whole, OFF] } : whole), ...shared });
    }
    case 'choice':
      return about(spec.about, { enum: [...spec.of], ...shared });
    case 'names':
      return about(spec.about, { ...NAMES, ...shared });
  }
}

/** Only what the file itself sets can be locked. */
function lockedIsSet(name: string): Schema {
  const locks = {
    type: 'object',
    properties: { locked: { type: 'array', contains: { const: name } } },
    required: ['locked'],
  };
  return Object.fromEntries([
    ['if', locks],
    ['then', { required: [name] }],
  ]);
}

function about(description: string, schema: Schema): Schema {
  return { description, ...schema };
}

function object(
  properties: { readonly [name: string]: Json },
  required: readonly string[] = [],
  $defs: Schema = {},
): Schema {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys($defs).length === 0 ? {} : { $defs }),
  };
}
