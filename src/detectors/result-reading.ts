import { fieldsOf, parsedArgs } from '../core/arguments.ts';
import type { DigestText } from '../core/digest-text.ts';
import { digestCall, digestOutcome } from '../core/evidence.ts';
import type { Detector, Entry, Json } from '../core/types.ts';

/** Whose list says what means nothing in a call and its result; `whole` = everything means something. */
export const READINGS = ['whole', 'hermes', 'openclaw'] as const;
export type Reading = (typeof READINGS)[number];

type Rule = {
  readonly tools: readonly string[];
  /** The values of the argument `action` it is for; empty = no action. Without it: any. */
  readonly actions?: readonly string[];
  /** Fields left out of the arguments, at any depth. */
  readonly args?: readonly string[];
  readonly results: readonly ResultRule[];
};
/** What is compared of a result that has details of its own: some fields, or all but some. */
type ResultRule = {
  /** The values of the field `status` it is for. Without it: any. */
  readonly statuses?: readonly string[];
  /** These fields only; `text` = what the model read, `a|b` = b where a is empty. */
  readonly only?: readonly string[];
  /** All but these, at any depth; the text is not compared. */
  readonly without?: readonly string[];
  /** All but these, each a path from the top. */
  readonly withoutPaths?: readonly string[];
};

const SEND_ACTIONS = [
  'send',
  'broadcast',
  'reply',
  'thread-reply',
  'sendWithEffect',
  'sendAttachment',
  'upload-file',
  'sticker',
  'poll',
];
/** What a delivery is given anew each time. */
const DELIVERY_FIELDS = [
  'messageId',
  'message_id',
  'messageIds',
  'platformMessageId',
  'platformMessageIds',
  'fileId',
  'file_id',
  'fileKey',
  'pollId',
  'poll_id',
  'receipt',
  'runId',
  'idempotencyKey',
  'ts',
  'timestamp',
  'sentAt',
  'deliveredAt',
  'createdAt',
];
const ENDED = ['status', 'exitCode', 'exitSignal'];
const WORDING = ['step', 'explanation'];

const RULES: { readonly [Name in Reading]: readonly Rule[] } = {
  whole: [],
  hermes: [
    {
      tools: ['execute_code'],
      results: [{ withoutPaths: ['duration_seconds', 'kernel.execution_count'] }],
    },
  ],
  openclaw: [
    {
      tools: ['exec'],
      results: [
        { statuses: ['running'], only: ['status', 'tail'] },
        {
          statuses: ['completed', 'failed'],
          only: ['status', 'exitCode', 'timedOut', 'aggregated|text'],
        },
        {
          statuses: ['approval-pending', 'approval-unavailable'],
          only: ['status', 'reason', 'host', 'command', 'warningText'],
        },
      ],
    },
    { tools: ['process'], actions: ['poll'], results: [{ only: [...ENDED, 'aggregated', 'text'] }] },
    {
      tools: ['process'],
      actions: ['log'],
      results: [{ only: [...ENDED, 'totalLines', 'totalChars', 'truncated', 'text'] }],
    },
    { tools: ['message'], actions: SEND_ACTIONS, results: [{ without: DELIVERY_FIELDS }] },
    { tools: ['sessions_send'], results: [{ without: DELIVERY_FIELDS }] },
    {
      tools: ['telegram', 'discord', 'slack', 'whatsapp', 'signal'],
      actions: ['', ...SEND_ACTIONS],
      results: [{ without: DELIVERY_FIELDS }],
    },
    // Another wording of a plan is the same plan, as long as the same steps are done.
    { tools: ['update_plan'], args: WORDING, results: [{ without: WORDING }] },
  ],
};

/** Digests of the call and of its outcome, where they are not those of the entry; 0 = as in the entry. */
type Read = readonly [key: number, outcome: number];
/** Levels of a result that are compared. */
export const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/** The hooks by which a detector reads results its own way, for its fact; see `keyOf` and `outcomeOf`. */
export function reads(reading: Reading, digestText: DigestText): Pick<Detector, 'note' | 'observe'> {
  const rules = RULES[reading];
  if (rules.length === 0) return {};
  /** The rule for a call and the digest of what counts of its arguments. */
  const noted = (tool: string, given: Json): readonly [rule: number, key: number] | null => {
    if (!rules.some(({ tools }) => tools.includes(tool))) return null;
    const { value } = parsedArgs(given);
    const action = fieldsOf(value)['action'] ?? '';
    const index = rules.findIndex(
      ({ tools, actions }) =>
        tools.includes(tool) && (actions === undefined || actions.some((known) => known === action)),
    );
    const rule = rules[index];
    if (rule === undefined) return null;
    const { args } = rule;
    return [index, args === undefined ? 0 : digestCall(tool, without(value as Json, args), digestText)];
  };
  return {
    note: ({ tool, args }) => noted(tool, args),
    observe(event, note) {
      if (event.type === 'tool-call') {
        const key = noted(event.tool, event.args)?.[1] ?? 0;
        return key === 0 ? null : [key, 0];
      }
      if (event.type !== 'tool-result' || note === null) return null;
      const [index, key] = note as unknown as readonly [number, number];
      const shown = compared((rules[index] as Rule).results, event.output);
      return [key, shown === null ? 0 : digestOutcome(shown, event.status, digestText)];
    },
  };
}

/** The digest of a call, as it was read. */
export function keyOf({ exact }: Entry, fact: Json): number {
  return (fact as Read | null)?.[0] || exact;
}

/** The digest of an outcome, as it was read. */
export function outcomeOf({ outcome }: Entry, fact: Json): number {
  return (fact as Read | null)?.[1] || outcome;
}

/** What is left of a result; null = all of it, as it is. */
function compared(rules: readonly ResultRule[], output: Json): Json {
  const { value } = parsedArgs(output);
  const result = fieldsOf(value);
  const own = fieldsOf(result['details']);
  const details = Object.keys(own).length > 0 ? own : result;
  if (Object.keys(details).length === 0) return null;
  const rule = rules.find(
    ({ statuses }) => statuses === undefined || statuses.some((status) => status === details['status']),
  );
  if (rule === undefined) return null;
  if (rule.only !== undefined) return picked(rule.only, details, textOf(result['content']));
  if (rule.without !== undefined) return without(details as Json, rule.without);
  return (rule.withoutPaths ?? []).reduce<Json>(
    (left, path) => withoutPath(left, path.split('.')),
    value as Json,
  );
}

function picked(
  names: readonly string[],
  details: { readonly [name: string]: unknown },
  text: string,
): readonly Json[] {
  return names.map((name) => {
    const [first, second] = name.split('|') as [string, string | undefined];
    const value = first === 'text' ? text : (details[first] ?? null);
    return second !== undefined && (value === null || value === '') ? text : (value as Json);
  });
}

/** The texts of a result in parts, one a line. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => fieldsOf(part)['text'])
    .filter((text) => typeof text === 'string')
    .join('\n')
    .trim();
}

function without(value: Json, names: readonly string[]): Json {
  return stripped(value, new Set(names), 0, { left: MAX_VALUES });
}

/** `budget` bounds results that share sub-objects and so unfold without end. */
function stripped(value: Json, names: ReadonlySet<string>, depth: number, budget: { left: number }): Json {
  if (typeof value !== 'object' || value === null) return value;
  budget.left -= 1;
  if (depth > MAX_DEPTH || budget.left < 0) return null;
  if (Array.isArray(value)) return value.map((item: Json) => stripped(item, names, depth + 1, budget));
  const fields = fieldsOf(value);
  const sent = isSentMessage(fields);
  const kept = Object.entries(fields).filter(([name]) => !names.has(name) && !(sent && name === 'id'));
  return Object.fromEntries(
    kept.map(([name, item]) => [name, stripped(item as Json, names, depth + 1, budget)]),
  );
}

/** A message has a new id each time it is sent; the id of a conversation or a route stays. */
function isSentMessage(fields: { readonly [name: string]: unknown }): boolean {
  const { id, text, direction, senderId, accountId, conversation } = fields;
  return (
    typeof id === 'string' &&
    typeof text === 'string' &&
    ([direction, senderId, accountId].some((field) => typeof field === 'string') ||
      (typeof conversation === 'object' && conversation !== null))
  );
}

function withoutPath(value: Json, [name = '', ...rest]: readonly string[]): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
    return value;
  const fields = value as { readonly [name: string]: Json };
  if (rest.length > 0) return { ...fields, [name]: withoutPath(fields[name] as Json, rest) };
  return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
}
