import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { createSessions } from '../../src/cli/mcp/http/sessions.ts';
import type { Session } from '../../src/mcp/session.ts';
import { talk } from './talk.ts';

const call = (client: string) =>
  Buffer.from(
    JSON.stringify({
      id: 1,
      method: 'tools/call',
      params: { name: 'x', _meta: { 'io.modelcontextprotocol/clientInfo': { name: client } } },
    }),
  );

function sessions(): {
  of: (headers: IncomingHttpHeaders, message?: Buffer) => Session;
  wait(ms: number): void;
} {
  let time = 0;
  const all = createSessions(
    () => talk().session,
    () => time,
  );
  return {
    of: (headers, message = call('one')) => all.of(headers, message),
    wait(ms) {
      time += ms;
    },
  };
}

it('knows a session by its name, however long it was silent', () => {
  const { of, wait } = sessions();
  const one = of({ 'mcp-session-id': 'one' });
  expect(of({ 'mcp-session-id': 'two' })).not.toBe(one);
  wait(1e12);
  expect(of({ 'mcp-session-id': 'one' })).toBe(one);
});

it('knows a client without a session by what it says of itself, until it was silent for half an hour', () => {
  const { of, wait } = sessions();
  const one = of({ authorization: 'a' });
  expect(of({ authorization: 'b' })).not.toBe(one);
  expect(of({ authorization: 'a' }, call('two'))).not.toBe(one);
  wait(30 * 60_000);
  expect(of({ authorization: 'a' })).toBe(one);
  wait(30 * 60_000 + 1);
  expect(of({ authorization: 'a' })).not.toBe(one);
});

it('begins anew with each initialize that names no session', () => {
  const { of } = sessions();
  const message = Buffer.from('{"id":1,"method":"initialize","params":{}}');
  expect(of({}, message)).not.toBe(of({}, message));
});

it('keeps a thousand sessions, those that were used last', () => {
  const { of } = sessions();
  const [first, second] = ['0', '1'].map((id) => of({ 'mcp-session-id': id }));
  for (let n = 2; n < 1000; n++) of({ 'mcp-session-id': String(n) });
  expect(of({ 'mcp-session-id': '0' })).toBe(first);
  of({ 'mcp-session-id': 'one more' });
  expect(of({ 'mcp-session-id': '0' })).toBe(first);
  expect(of({ 'mcp-session-id': '1' })).not.toBe(second);
});
