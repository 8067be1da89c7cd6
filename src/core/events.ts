import { DeloopError, show } from './errors.ts';
import { type AgentEvent, type ControlEvent, type Json, STATUSES, type Status } from './types.ts';

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

type Fields = { readonly [name: string]: unknown };

const CONTROLS: readonly unknown[] = [
  'grant',
  'approve',
  'delivered',
  'reset',
  'disable',
  'enable',
] satisfies ControlEvent['do'][];
const MARKS: readonly unknown[] = [
  'calls-known',
  'round-done',
  'compaction',
  'rewind',
  'state-change',
  'spawn',
  'handoff',
];

/** Anything as an event: null when its type is unknown; throws when it is no event or a part of it is missing. */
export function toEvent(raw: unknown): AgentEvent | null {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw bad('an event', raw, 'an object');
  const fields = raw as Fields;
  const {
    type,
    agent,
    text: words,
  } = raw as { readonly type?: unknown; readonly agent?: unknown; readonly text?: unknown };
  if (typeof type !== 'string') throw bad('type', type, 'a text');
  if (!isText(agent)) throw bad('agent', agent, 'a text');
  if (!isText(words)) throw bad('text', words, 'a text');
  switch (type) {
    case 'tool-call':
      text(fields, 'tool');
      if (isText(fields['id']) && fields['args'] !== undefined) return fields as AgentEvent;
      return { ...fields, args: fields['args'] ?? null, ...idOf(fields) } as AgentEvent;
    case 'tool-result':
      optionalText(fields, 'tool');
      if (isText(fields['id']) && isStatus(fields['status']) && fields['output'] !== undefined)
        return fields as AgentEvent;
      return { ...fields, ...idOf(fields), ...outcomeOf(fields) } as AgentEvent;
    case 'text-delta':
      text(fields, 'text');
      return fields as AgentEvent;
    case 'control':
      if (!CONTROLS.includes(fields['do'])) throw bad('do', fields['do'], `one of ${CONTROLS.join(', ')}`);
      if (fields['n'] !== undefined) count(fields, 'n');
      return fields as AgentEvent;
    case 'swarm-tally':
      text(fields, 'key');
      count(fields, 'calls');
      count(fields, 'workers');
      optionalText(fields, 'tool');
      return fields as AgentEvent;
    case 'verdict':
      count(fields, 'stuck');
      return fields as AgentEvent;
    case 'user':
    case 'turn':
      return fields as AgentEvent;
    default:
      return MARKS.includes(type) ? (fields as AgentEvent) : null;
  }
}

/** Output and status of a result, however the host tells it. Output that is not there is the empty text. */
export function outcomeOf(result: Exclude<ToolResult, string | null> | Fields): {
  output: Json;
  status: Status;
} {
  const { output, status, ok, success } = result as Fields;
  const failed = ok === false || success === false;
  return { output: (output ?? '') as Json, status: isStatus(status) ? status : failed ? 'error' : 'ok' };
}

function isStatus(value: unknown): value is Status {
  return (STATUSES as readonly unknown[]).includes(value);
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function idOf(fields: Fields): { readonly id?: string } {
  const { id } = fields;
  if (id === undefined || id === null) return {};
  if (typeof id === 'string') return { id };
  if (typeof id === 'number') return { id: String(id) };
  throw bad('id', id, 'a text or a number');
}

function text(fields: Fields, name: string): void {
  if (typeof fields[name] !== 'string') throw bad(name, fields[name], 'a text');
}

function optionalText(fields: Fields, name: string): void {
  if (!isText(fields[name])) throw bad(name, fields[name], 'a text');
}

function count(fields: Fields, name: string): void {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw bad(name, value, 'a number from 0 up');
}

function bad(name: string, value: unknown, expected: string): DeloopError {
  return new DeloopError('event', `${name} is ${show(value)}; it must be ${expected}`);
}
