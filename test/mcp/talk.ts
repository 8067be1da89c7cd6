import { checkedGuards } from '../../src/core/checked-guard.ts';
import type { Options } from '../../src/index.ts';
import { createLearnedTools } from '../../src/mcp/learned-tools.ts';
import { createOrders } from '../../src/mcp/orders.ts';
import { createSession, type Session } from '../../src/mcp/session.ts';
import { detectorKinds, presetOf } from '../../src/presets/registry.ts';

export type Fields = { readonly [name: string]: unknown };

/** A client and a server in one place, with a guard between them. */
export type Talk = {
  /** What the server gets of a message of the client's; null = nothing. */
  client(message: Fields | string): string | null;
  /** What the client gets of a message of the server's. */
  server(message: Fields | string): string;
  /** A call that the server answers at once; gives what the client gets. */
  call(tool: string, args: Fields, answer?: Fields, params?: Fields): Fields;
  /** Messages of the guard's own, since it was last asked. */
  toClient(): readonly Fields[];
  toServer(): readonly Fields[];
  /** What was decided, as `action detector`. */
  readonly decisions: readonly string[];
  readonly approvals: readonly string[];
  readonly session: Session;
};

export const ECHO: Fields = {
  content: [{ type: 'text', text: 'the same as ever, word for word, as before' }],
};
export const MODERN: Fields = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
export const MODERN_ELICITING: Fields = {
  ...MODERN,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

export function talk(options: Options = {}): Talk {
  const decisions: string[] = [];
  const approvals: string[] = [];
  const learned = createLearnedTools();
  const { preset = 'recommended', ...rest } = options;
  const guard = checkedGuards({ ...rest, preset: presetOf(preset), described: detectorKinds })({
    rulesOver: learned.rulesOver,
    onDecision: ({ action, finding }) => decisions.push(`${action} ${finding.detector}`),
  });
  let time = 0;
  const session = createSession({
    guard,
    orders: createOrders(),
    learned,
    now: () => (time += 1000),
    unique: 'test',
    onApproval: (approval) => approvals.push(approval),
  });
  let toClient: string[] = [];
  let toServer: string[] = [];
  const way = {
    toClient: (message: Buffer) => toClient.push(String(message)),
    toServer: (message: Buffer) => toServer.push(String(message)),
  };
  let ids = 0;
  const bytes = (message: Fields | string) =>
    Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));

  const client: Talk['client'] = (message) => {
    const passed = session.fromClient(bytes(message), way as never);
    return passed === null ? null : String(passed);
  };
  const server: Talk['server'] = (message) => String(session.fromServer(bytes(message)));
  return {
    client,
    server,
    call(tool, args, answer = { result: ECHO }, params = {}) {
      ids += 1;
      toClient = [];
      const passed = client({
        jsonrpc: '2.0',
        id: ids,
        method: 'tools/call',
        params: { name: tool, arguments: args, ...params },
      });
      const got =
        passed === null ? (toClient.shift() as string) : server({ jsonrpc: '2.0', id: ids, ...answer });
      return JSON.parse(got) as Fields;
    },
    toClient() {
      const messages = toClient.map((message) => JSON.parse(message) as Fields);
      toClient = [];
      return messages;
    },
    toServer() {
      const messages = toServer.map((message) => JSON.parse(message) as Fields);
      toServer = [];
      return messages;
    },
    decisions,
    approvals,
    session,
  };
}

/** The texts of a result, and whether it is an error. */
export function textsOf(answer: Fields): { readonly texts: readonly string[]; readonly isError: boolean } {
  const result = (answer['result'] ?? {}) as { content?: { text?: string }[]; isError?: boolean };
  return { texts: (result.content ?? []).map(({ text }) => text ?? ''), isError: result.isError === true };
}
