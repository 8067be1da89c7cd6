import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ECHO, type Fields, MODERN, talk, textsOf } from './talk.ts';

const SAME = { path: 'a.txt' };
const call = (id: unknown, params: Fields = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'read_file', arguments: SAME, ...params },
});

describe('every other message', () => {
  it.each([
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ' {"jsonrpc" : "2.0", "id":1, "method":"ping"}\r',
    '{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"a":[1.0,1e3,12345678901234567890]}}',
    '{"jsonrpc":"2.0","id":3,"method":"no/such/method","params":{"text":"tools/call"}}',
    '{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"\\u00e9"}}',
    '{"jsonrpc":"2.0","id":5,"method":"tools/call"}',
    '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":[]}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read_file"}}',
    '{"jsonrpc":"2.0","id":8,"result":{"action":"accept"}}',
    '{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
    '[]',
    '[1,2]',
    '[{"jsonrpc":"2.0","id":10,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]',
    '{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"read_file"}',
    '{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"read_file"}} more',
    '{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"read_file",}}',
    '',
    'Content-Length: 5',
    '"text"',
    'null',
    '\uFEFF{}',
    '{"a":"unfinished',
    '{{{{',
    ']',
  ])('%s passes as it is, from either side', (text) => {
    const { client, server, toClient } = talk();
    expect(client(call('open'))).not.toBeNull();
    expect(client(text)).toBe(text);
    expect(server(text)).toBe(text);
    expect(toClient()).toEqual([]);
  });

  it('passes bytes that are no text', () => {
    const { session } = talk();
    const way = { toClient: () => {}, toServer: () => {} };
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
    expect(session.fromClient(bytes, way)).toBe(bytes);
    expect(session.fromServer(bytes)).toBe(bytes);
  });

  it('passes whatever JSON there is, and a call as it was written', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), fc.jsonValue(), (first, second, id) => {
        const { client, server } = talk();
        expect(client(first)).toBe(first);
        const text = JSON.stringify(call(id, { arguments: { value: second } }));
        expect(client(text)).toBe(text);
        const answer = JSON.stringify({ jsonrpc: '2.0', id, result: ECHO });
        expect(server(answer)).toBe(answer);
        expect(server(second)).toBe(second);
      }),
    );
  });
});

describe('a call', () => {
  it.each([
    '{"jsonrpc":"2.0","id":ID,"m\\u0065thod":"tools\\/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}',
    '{"params":{"arguments":{"path":"a.txt"},"name":"read_file"},"method":"tools/call","id":ID,"jsonrpc":"2.0"}',
    '{"method":"ping","jsonrpc":"2.0","id":ID,"params":{"name":"read_file","arguments":{"path":"a.txt"}},"method":"tools/call"}',
  ])('is one however it is written: %s', (text) => {
    const { client, server } = talk({ preset: 'zagens' });
    const passed = [1, 2, 3].map((id) => {
      const one = client(text.replace('ID', String(id)));
      server({ jsonrpc: '2.0', id, result: ECHO });
      return one === null;
    });
    expect(passed).toEqual([false, false, true]);
  });

  it.each([
    '1',
    '1.0',
    '-0',
    '1e2',
    '12345678901234567890',
    '"1"',
    '"\\u00e9"',
    '""',
    'null',
    'true',
    '{"a":[1]}',
    '[]',
  ])('may have the id %s', (id) => {
    const { client, server, toClient } = talk();
    const text = JSON.stringify(call('ID')).replace('"ID"', id);
    const answer = `{"result":${JSON.stringify(ECHO)},"id":${id}}`;
    for (let n = 1; n <= 2; n++) {
      expect(client(text)).toBe(text);
      expect(server(answer)).toBe(answer);
    }
    client(text);
    expect(server(answer)).toContain('[deloop]');
    client(text);
    server(answer);
    expect(client(text)).toBeNull();
    expect(toClient()[0]?.['id']).toEqual(JSON.parse(id));
  });

  it('is found again when the id comes back as another way to write the same number', () => {
    const { client, server } = talk();
    const answers = ['1.0', '1', '10e-1'].map((id) => {
      client(JSON.stringify(call('ID')).replace('"ID"', id));
      return server({ id: 1, result: ECHO }).includes('[deloop]');
    });
    expect(answers).toEqual([false, false, true]);
  });

  it('keeps apart a number and a text that look the same', () => {
    const { client, server } = talk();
    client(call(1));
    client(call('1', { name: 'other' }));
    const failure = {
      content: [{ type: 'text', text: 'MCP error -32602: Tool other not found' }],
      isError: true,
    };
    server({ id: '1', result: failure });
    server({ id: 1, result: ECHO });
    expect(client(call(2))).not.toBeNull();
  });

  it('that was cancelled is over; a result that comes all the same passes', () => {
    const { client, server, session } = talk();
    client(call(1));
    expect(session.unanswered).toBe(1);
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    expect(client(cancel)).toBe(cancel);
    expect(session.unanswered).toBe(0);
    const answer = JSON.stringify({ id: 1, result: ECHO });
    expect(server(answer)).toBe(answer);
  });

  it('is counted while nobody has answered it', () => {
    const { client, server, session } = talk();
    client(call(1));
    client({ id: 2, method: 'ping' });
    server({ id: 2, result: {} });
    server({ method: 'notifications/progress' });
    expect(session.unanswered).toBe(1);
    server({ id: 1, result: ECHO });
    expect(session.unanswered).toBe(0);
  });

  it('is forgotten when thousands after it were never answered either', () => {
    const { client, session, server } = talk();
    for (let id = 0; id < 5000; id++) client({ id, method: 'tools/list' });
    const answer = JSON.stringify({ id: 0, result: { tools: [] } });
    expect(server(answer)).toBe(answer);
    expect(session.unanswered).toBe(4999);
  });
});

describe('a call that is sent again with what the server asked for', () => {
  const asks = {
    resultType: 'input_required',
    inputRequests: { name: { method: 'elicitation/create' } },
    requestState: 's',
  };
  const params = { _meta: MODERN };

  it('is no repeat, however often it happens', () => {
    const { client, server, decisions } = talk({ preset: 'zagens' });
    for (let n = 1; n <= 20; n++) {
      const retry = { ...params, inputResponses: { name: { action: 'accept' } }, requestState: 's' };
      expect(client(call(n, n === 1 ? params : retry))).not.toBeNull();
      server({ id: n, result: asks });
    }
    expect(decisions).toEqual([]);
    client(call(21, { ...params, inputResponses: { name: { action: 'accept' } }, requestState: 's' }));
    expect(server({ id: 21, result: { ...ECHO, resultType: 'complete' } })).not.toContain('[deloop]');
    // The second and the third of their own.
    expect(client(call(22, params))).not.toBeNull();
    expect(client(call(23, params))).toBeNull();
  });

  it('is known by the state alone, too', () => {
    const { client, server } = talk({ preset: 'zagens' });
    client(call(1, params));
    server({ id: 1, result: { resultType: 'input_required', requestState: 's' } });
    for (let n = 2; n <= 6; n++) {
      expect(client(call(n, { ...params, requestState: 's' }))).not.toBeNull();
      server({ id: n, result: { resultType: 'input_required', requestState: 's' } });
    }
  });

  it('passes even if nobody remembers the question', () => {
    const { client } = talk({ preset: 'zagens' });
    for (let n = 1; n <= 5; n++)
      expect(client(call(n, { ...params, inputResponses: { name: { action: 'accept' } } }))).not.toBeNull();
  });

  it('brings the nudge that was meant for the first', () => {
    const { client, server } = talk({ preset: 'koda' });
    for (let n = 1; n <= 4; n++) {
      client(call(n, params));
      server({ id: n, result: { ...ECHO, resultType: 'complete' } });
    }
    client(call(5, params));
    expect(server({ id: 5, result: asks })).not.toContain('[deloop]');
    client(call(6, { ...params, inputResponses: { name: { action: 'accept' } }, requestState: 's' }));
    expect(server({ id: 6, result: { ...ECHO, resultType: 'complete' } })).toContain('[deloop]');
  });

  it('does not pass a session that is stopped', () => {
    const talking = talk({ preset: 'koda' });
    for (let n = 1; n <= 10; n++) talking.call('read_file', SAME);
    expect(talking.client(call('x', { ...params, inputResponses: { name: {} } }))).toBeNull();
  });
});

describe('a task', () => {
  it('has the result that is fetched for it', () => {
    const { client, server, decisions } = talk();
    for (let n = 1; n <= 3; n++) {
      client(call(`call ${n}`, { task: {} }));
      server({ id: `call ${n}`, result: { task: { taskId: `task ${n}`, status: 'working' } } });
      client({ id: `get ${n}`, method: 'tasks/get', params: { taskId: `task ${n}` } });
      server({ id: `get ${n}`, result: { taskId: `task ${n}`, status: 'completed' } });
      client({ id: `result ${n}`, method: 'tasks/result', params: { taskId: `task ${n}` } });
      expect(server({ id: `result ${n}`, result: ECHO }).includes('[deloop]')).toBe(n === 3);
    }
    expect(decisions).toEqual(['nudge no-progress']);
  });
});

describe('a batch', () => {
  it('passes as it is while nothing in it is refused', () => {
    const { client, server } = talk();
    const text = `[ ${JSON.stringify(call(1))} , {"jsonrpc":"2.0","id":2,"method":"ping"} ]`;
    expect(client(text)).toBe(text);
    const answer = `[ {"id":2,"result":{}} , ${JSON.stringify({ id: 1, result: ECHO })} ]`;
    expect(server(answer)).toBe(answer);
  });

  it('goes on without what is refused, which is answered in a batch', () => {
    const talking = talk({ preset: 'zagens' });
    talking.call('read_file', SAME);
    const ping = '{"jsonrpc":"2.0", "id":"p","method":"ping"}';
    const text = `[${JSON.stringify(call('a'))},${ping},${JSON.stringify(call('b'))},${JSON.stringify(call('c'))}]`;
    expect(talking.client(text)).toBe(`[${JSON.stringify(call('a'))},${ping}]`);
    const [answers] = talking.toClient() as unknown as Fields[][];
    expect(answers?.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(talking.client(`[${JSON.stringify(call('d'))}]`)).toBeNull();
    expect(talking.server(`[${JSON.stringify({ id: 'a', result: ECHO })}]`)).toContain('"a"');
  });

  it('has nudges in it', () => {
    const talking = talk();
    for (let n = 1; n <= 2; n++) talking.call('read_file', SAME);
    talking.client([call('x')] as never);
    const passed = JSON.parse(talking.server([{ id: 'x', result: ECHO }] as never)) as Fields[];
    expect(textsOf(passed[0] as Fields).texts).toHaveLength(2);
  });
});
