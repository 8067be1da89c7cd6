import { DeloopError, show } from './errors.ts';
import { type AgentEvent, type EventType, type Json, STATUSES, type Status } from './types.ts';

/** What a tool gave back. `ok` or `success` is short for `status` `ok` or `error`; a plain text is a success. */
export type ToolResult =
  | string
  | null
  | {
      readonly output?: Json | undefined;
      readonly status?: Status | undefined;
      readonly ok?: boolean | undefined;
      readonly success?: boolean | undefined;
      readonly errorType?: string | undefined;
      readonly at?: number | undefined;
    };

export type Outcome = {
  readonly output: Json;
  readonly status: Status;
  readonly at?: number | undefined;
  readonly errorType?: string | undefined;
};

type Fields = { readonly [name: string]: unknown };
type FieldType = 'text' | 'number' | readonly string[];

/** What an event must have. */
const REQUIRED: { readonly [Type in EventType]: { readonly [field: string]: FieldType } } = {
  user: {},
  turn: {},
  'text-delta': { text: 'text' },
  'tool-call': { tool: 'text' },
  'calls-known': {},
  'tool-result': {},
  'round-done': {},
  'state-change': {},
  compaction: {},
  rewind: {},
  control: { do: ['grant', 'approve', 'delivered', 'reset', 'disable', 'enable'] },
  verdict: { stuck: 'number' },
  spawn: {},
  handoff: {},
  'swarm-tally': { key: 'text', calls: 'number', workers: 'number' },
};
/** What it may have; then it must be of this type. */
const OPTIONAL: { readonly [field: string]: FieldType } = {
  agent: 'text',
  text: 'text',
  tool: 'text',
  n: 'number',
  scope: 'text',
};

/** Anything as an event: null when its type is unknown; throws when it is no event or a part of it is missing. */
export function toEvent(raw: unknown): AgentEvent | null {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw bad('an event', raw, 'an object');
  const fields = raw as Fields;
  const { type, id, args } = fields;
  if (typeof type !== 'string') throw bad('type', type, 'a text');
  if (!Object.hasOwn(REQUIRED, type)) return null;
  for (const [name, expected] of Object.entries(REQUIRED[type as EventType]))
    check(name, fields[name], expected);
  for (const [name, expected] of Object.entries(OPTIONAL)) {
    if (fields[name] !== undefined) check(name, fields[name], expected);
  }
  const known = typeof id === 'number' ? String(id) : (id ?? undefined);
  if (known !== undefined) check('id', known, 'text');
  if (type === 'tool-call') return { ...fields, id: known, args: args ?? null } as AgentEvent;
  if (type !== 'tool-result') return fields as AgentEvent;
  const { output, status, ok, success, at, errorType } = fields;
  const outcome = outcomeOf({ output, status, ok, success, at, errorType });
  return { ...fields, id: known, ...outcome } as AgentEvent;
}

/** Output and status of a result, however the host tells it: what has neither is the output itself. */
export function outcomeOf(result: unknown): Outcome {
  const told = typeof result === 'object' && result !== null && isTold(result);
  const { output, status, ok, success, isError, at, errorType } = (
    told ? result : { output: result }
  ) as Fields;
  const failed = ok === false || success === false || isError === true;
  const known = STATUSES.includes(status as Status) ? (status as Status) : undefined;
  const other = failed ? 'error' : status === undefined || ok === true || success === true ? 'ok' : 'unknown';
  return {
    output: ((told && output === undefined && isError !== undefined ? result : output) ?? '') as Json,
    status: known ?? other,
    at: at as number | undefined,
    errorType: typeof errorType === 'string' ? errorType : undefined,
  };
}

function isTold(result: object): boolean {
  return (
    'output' in result || 'status' in result || 'ok' in result || 'success' in result || 'isError' in result
  );
}

function check(name: string, value: unknown, expected: FieldType): void {
  if (expected === 'text') {
    if (typeof value !== 'string') throw bad(name, value, 'a text');
  } else if (expected === 'number') {
    if (!Number.isFinite(value) || (value as number) < 0) throw bad(name, value, 'a number from 0 up');
  } else if (!expected.some((known) => known === value))
    throw bad(name, value, `one of ${expected.join(', ')}`);
}

function bad(name: string, value: unknown, expected: string): DeloopError {
  return new DeloopError('event', `${name} is ${show(value)}; it must be ${expected}`);
}
