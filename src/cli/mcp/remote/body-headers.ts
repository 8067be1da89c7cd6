import { type Fields, fieldsOf, isFields } from '../../../mcp/fields.ts';
import { isBatch, readMessages } from '../../../mcp/message.ts';
import { idKey } from '../../../mcp/requests.ts';
import type { Outgoing } from './outgoing.ts';

/** In the wire of 2026-07-28 headers repeat what is in a request, for machines in between that do not read it. */
export type BodyHeaders = {
  of(message: Outgoing): { readonly [name: string]: string };
  /** Takes note of what the server says of its tools: some want arguments in headers, too. */
  learn(answer: Buffer): void;
};

type Declared = { readonly path: readonly string[]; readonly header: string };

const NAMED_BY: ReadonlyMap<unknown, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;
const MAX_TOOLS = 4096;
const MAX_DEPTH = 16;

export function createBodyHeaders(): BodyHeaders {
  const tools = new Map<string, readonly Declared[]>();
  const lists = new Set<unknown>();

  return {
    of({ message, version }) {
      if (message === null || version === null) return {};
      const { method, id } = message.fields;
      if (typeof method !== 'string' || id === undefined) return {};
      if (method === 'tools/list') lists.add(idKey(id));
      const params = fieldsOf(message.fields['params']);
      const name = params[NAMED_BY.get(method) ?? ''];
      const declared = method === 'tools/call' ? (tools.get(String(name)) ?? []) : [];
      return {
        'Mcp-Method': method,
        ...(typeof name === 'string' ? { 'Mcp-Name': written(name) } : {}),
        ...argumentHeaders(declared, params['arguments']),
      };
    },
    learn(answer) {
      if (lists.size === 0) return;
      const read = readMessages(answer);
      if (read === null || isBatch(read) || !lists.delete(idKey(read.fields['id']))) return;
      const { tools: told } = fieldsOf(read.fields['result']);
      for (const tool of Array.isArray(told) ? told : []) {
        const { name, inputSchema } = fieldsOf(tool);
        if (typeof name !== 'string' || (tools.size >= MAX_TOOLS && !tools.has(name))) continue;
        tools.set(name, declaredIn(inputSchema, [], MAX_DEPTH));
      }
    },
  };
}

/** https://modelcontextprotocol.io/specification/2026-07-28: `x-mcp-header` on a property of a tool's schema. */
function declaredIn(schema: unknown, path: readonly string[], depth: number): readonly Declared[] {
  const { 'x-mcp-header': header, properties } = fieldsOf(schema);
  const own = typeof header === 'string' && TOKEN.test(header) && path.length > 0 ? [{ path, header }] : [];
  if (depth === 0) return own;
  const inner = Object.entries(fieldsOf(properties)).flatMap(([name, value]) =>
    declaredIn(value, [...path, name], depth - 1),
  );
  return [...own, ...inner];
}

function argumentHeaders(declared: readonly Declared[], args: unknown): { readonly [name: string]: string } {
  return Object.fromEntries(
    declared.flatMap(({ path, header }) => {
      const value = path.reduce((at: unknown, step) => ownField(at, step), args);
      const text = typeof value === 'number' && !isExact(value) ? undefined : value;
      return ['string', 'number', 'boolean'].includes(typeof text)
        ? [[`Mcp-Param-${header}`, written(String(text))]]
        : [];
    }),
  );
}

function ownField(at: unknown, step: string): unknown {
  return isFields(at) && Object.hasOwn(at, step) ? (at as Fields)[step] : undefined;
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** What a header cannot hold goes in Base64. */
function written(value: string): string {
  const isPlain = PLAIN.test(value) && !ENCODED.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
