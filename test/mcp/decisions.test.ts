import { describe, expect, it } from 'vitest';
import { ECHO, type Fields, MODERN, MODERN_ELICITING, type Talk, talk, textsOf } from './talk.ts';

const SAME = { path: 'a.txt' };
const FORMS = { elicitation: { form: {} } };

/** What the client sees of a call. */
function seen(answer: Fields): 'plain' | 'nudged' | 'refused' {
  const { texts, isError } = textsOf(answer);
  if (isError && '_meta' in ((answer['result'] ?? {}) as Fields)) return 'refused';
  return texts.some((text) => text.startsWith('[deloop] ')) ? 'nudged' : 'plain';
}

function loop({ call }: Talk, times: number, params: Fields = {}): readonly string[] {
  return Array.from({ length: times }, () => seen(call('read_file', SAME, { result: ECHO }, params)));
}

function greet({ client, server }: Talk, capabilities: Fields): void {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } };
  client({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params });
  server({ jsonrpc: '2.0', id: 'hello', result: { protocolVersion: '2025-11-25', capabilities: {} } });
}

describe('a nudge', () => {
  it('is a text block behind the content, and the rest of the message stays as it was', () => {
    const talking = talk();
    loop(talking, 2);
    const passed = talking.client(
      '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}',
    );
    expect(passed).not.toBeNull();
    const text = (ECHO['content'] as { text: string }[])[0]?.text;
    const head = '{ "result" : {"content":[ {"type":"text", "text":"';
    const tail = '"} ], "big":12345678901234567890, "one":1.0},"jsonrpc":"2.0","id":77}';
    const changed = talking.server(head + text + tail);
    expect(changed.startsWith(head + text)).toBe(true);
    expect(changed.endsWith(' ], "big":12345678901234567890, "one":1.0},"jsonrpc":"2.0","id":77}')).toBe(
      true,
    );
    const { content } = (JSON.parse(changed) as { result: { content: unknown[] } }).result;
    expect(content).toEqual([
      { type: 'text', text },
      {
        type: 'text',
        text: expect.stringMatching(/^\[deloop\] read_file has given the same result 3 times/),
      },
    ]);
  });

  it.each([
    ['clicks that each show the same screen are told', () => 'iVBORw0KGgo'.repeat(400), true],
    ['clicks that each show another screen are not', (n: number) => `iVBORw0KGgo${n}`.repeat(400), false],
  ])('%s', (_, screen, told) => {
    const { call, decisions } = talk();
    for (let n = 0; n < 3; n++) {
      const shown = { content: [{ type: 'image', mimeType: 'image/png', data: screen(n) }] };
      call('computer', { action: 'left_click', coordinate: [400 + n, 300] }, { result: shown });
    }
    expect(decisions.some((decision) => decision.startsWith('nudge'))).toBe(told);
  });

  it('counts as delivered, so that harder rules may follow it', () => {
    const talking = talk({ preset: 'koda' });
    expect(
      loop(talking, 10)
        .map((answer, n) => `${n + 1} ${answer}`)
        .filter((row) => !row.endsWith('plain')),
    ).toEqual(['5 nudged', '10 refused']);
    expect(talking.decisions).toEqual(['nudge call-streak', 'halt call-streak']);
  });

  it('goes into the words of an error, where there is no result', () => {
    const { call } = talk();
    const error = { code: -32000, message: 'The "door" is shut.' };
    const answers = [1, 2, 3].map(() => call('open_door', SAME, { error })['error'] as { message: string });
    expect(answers[1]).toEqual(error);
    expect(answers[2]).toEqual({
      code: -32000,
      message: expect.stringMatching(/^The "door" is shut\.\n\n\[deloop\] open_door has failed/),
    });
  });

  it('stands alone where a result has structured content only', () => {
    const { call } = talk();
    const result = { structuredContent: { weather: 'as it was an hour ago, and the hour before' } };
    const answers = [1, 2, 3].map(() => call('get_weather', SAME, { result })['result']);
    expect(answers[1]).toEqual(result);
    expect(answers[2]).toEqual({
      ...result,
      content: [{ type: 'text', text: expect.stringContaining('[deloop]') }],
    });
  });

  it('is not told, and is no strike, where a result has no place for it', () => {
    const { call, decisions } = talk({ preset: 'koda' });
    const result = { content: 'not a list' };
    for (let n = 1; n <= 10; n++) expect(call('read_file', SAME, { result })['result']).toEqual(result);
    expect(new Set(decisions)).toEqual(new Set(['nudge call-streak']));
  });
});

describe('a block', () => {
  it('is a result that says it is an error, under the id as it was written', () => {
    const talking = talk();
    expect(loop(talking, 6)).toEqual(['plain', 'plain', 'nudged', 'plain', 'refused', 'refused']);
    talking.toClient();
    expect(
      talking.client(
        '{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}',
      ),
    ).toBeNull();
    const [answer] = talking.toClient();
    expect(answer?.['id']).toBe(1);
    expect(answer?.['result']).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('read_file') }],
      isError: true,
      _meta: {
        'deloop/decision': expect.objectContaining({ action: 'ask', detector: 'no-progress', count: 5 }),
      },
    });
  });

  it('says that it is complete, in the wire of 2026-07-28', () => {
    const { call } = talk({ preset: 'zagens' });
    const answers = [1, 2, 3].map(() =>
      call('read_file', SAME, { result: { ...ECHO, resultType: 'complete' } }, { _meta: MODERN }),
    );
    expect(answers[2]?.['result']).toMatchObject({ resultType: 'complete', isError: true });
  });

  it('is an error for a call that is to run as a task', () => {
    const { call } = talk({ preset: 'zagens' });
    const params = { task: { ttl: 60_000 } };
    const result = { task: { taskId: 't', status: 'working' } };
    const answers = [1, 2, 3].map(() => call('read_file', SAME, { result }, params));
    expect(answers[2]?.['error']).toMatchObject({
      code: -32050,
      message: expect.stringContaining('Not run:'),
    });
  });

  it('lifts when the world has changed', () => {
    const { call } = talk();
    for (let n = 1; n <= 5; n++) call('read_file', SAME);
    expect(seen(call('read_file', SAME))).toBe('refused');
    call(
      'write_file',
      { path: 'a.txt', content: 'new' },
      { result: { content: [{ type: 'text', text: 'done' }] } },
    );
    expect(seen(call('read_file', SAME))).toBe('plain');
  });
});

describe('a halt', () => {
  it('refuses every further call, whatever it is, and says why', () => {
    const talking = talk({ preset: 'koda' });
    loop(talking, 10);
    const { texts, isError } = textsOf(talking.call('write_file', { path: 'b.txt', content: 'x' }));
    expect(isError).toBe(true);
    expect(texts[0]).toContain('This session is stopped');
  });

  it('ends with a new session', () => {
    const talking = talk({ preset: 'koda' });
    loop(talking, 10);
    greet(talking, {});
    expect(loop(talking, 5)).toEqual(['plain', 'plain', 'plain', 'plain', 'nudged']);
  });

  it('comes with a result, too, which still reaches the client', () => {
    const talking = talk({ preset: 'zagens' });
    const result = { content: [{ type: 'text', text: 'no such host' }], isError: true };
    const answers = Array.from({ length: 9 }, (_, n) => talking.call('fetch', { page: n }, { result }));
    const { texts } = textsOf(answers[7] as Fields);
    expect(texts[0]).toBe('no such host');
    expect(texts[1]).toContain('This session is stopped');
    expect(textsOf(answers[8] as Fields).texts[0]).toContain('This session is stopped');
    expect(talking.decisions.at(-1)).toBe('halt failure-streak');
  });

  it('ends when a person says so, who is asked once', () => {
    const talking = talk({ preset: 'koda' });
    greet(talking, FORMS);
    loop(talking, 10);
    const call = { jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'list', arguments: {} } };
    expect(talking.client(call)).toBeNull();
    const [question] = talking.toClient();
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: { message: expect.stringContaining('list') },
    });
    expect(
      talking.client({ jsonrpc: '2.0', id: question?.['id'], result: { action: 'accept', content: {} } }),
    ).toBeNull();
    expect(talking.toServer()).toEqual([call]);
    expect(talking.approvals).toEqual(['approved']);
    expect(seen(talking.call('read_file', SAME))).toBe('plain');
  });

  it('stays when nobody answers, and nobody is asked again', () => {
    const talking = talk({ preset: 'koda' });
    greet(talking, FORMS);
    loop(talking, 10);
    const call = { jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'list', arguments: {} } };
    talking.client(call);
    const [question] = talking.toClient();
    talking.client({ jsonrpc: '2.0', id: question?.['id'], result: { action: 'cancel' } });
    expect(textsOf(talking.toClient()[0] as Fields).texts[0]).toContain('This session is stopped');
    talking.client(call);
    expect(textsOf(talking.toClient()[0] as Fields).texts[0]).toContain('This session is stopped');
  });

  it('stands for a question where nobody can answer', () => {
    const talking = talk({ attended: false });
    greet(talking, FORMS);
    expect(loop(talking, 7).at(-1)).toBe('refused');
    expect(talking.decisions.at(-1)).toBe('halt no-progress');
  });
});

describe('a question', () => {
  const again = (id: unknown) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'read_file', arguments: SAME },
  });

  /** Up to the call that asks, in the wire before 2026-07-28. */
  function asked(): { talking: Talk; question: Fields } {
    const talking = talk();
    greet(talking, FORMS);
    loop(talking, 6);
    expect(talking.client(again('seventh'))).toBeNull();
    const messages = talking.toClient();
    expect(messages).toHaveLength(1);
    return { talking, question: messages[0] as Fields };
  }

  it('is a request to the client, under an id that no server has', () => {
    const { question } = asked();
    expect(question).toEqual({
      jsonrpc: '2.0',
      id: 'deloop-approval-test-1',
      method: 'elicitation/create',
      params: {
        message: expect.stringMatching(
          /^The agent may be stuck: read_file .*go on\?\n\nThe agent wants to call read_file\./,
        ),
        requestedSchema: { type: 'object', properties: {} },
      },
    });
  });

  it('lets the call go on when a person accepts, and its result is judged anew', () => {
    const { talking, question } = asked();
    expect(
      talking.client({ jsonrpc: '2.0', id: question['id'], result: { action: 'accept', content: {} } }),
    ).toBeNull();
    expect(talking.toServer()).toEqual([again('seventh')]);
    expect(talking.server({ jsonrpc: '2.0', id: 'seventh', result: ECHO })).toBe(
      JSON.stringify({ jsonrpc: '2.0', id: 'seventh', result: ECHO }),
    );
    expect(loop(talking, 2)).toEqual(['plain', 'nudged']);
  });

  it('stops the session when a person declines', () => {
    const { talking, question } = asked();
    talking.client({ jsonrpc: '2.0', id: question['id'], result: { action: 'decline' } });
    expect(talking.toServer()).toEqual([]);
    const [answer] = talking.toClient();
    expect(answer?.['id']).toBe('seventh');
    expect(textsOf(answer as Fields).texts[0]).toMatch(/^A person has stopped this\./);
    expect(textsOf(talking.call('list', {})).texts[0]).toContain('This session is stopped');
    expect(talking.approvals).toEqual(['declined']);
  });

  it('refuses the call alone when a person dismisses it', () => {
    const { talking, question } = asked();
    talking.client({ jsonrpc: '2.0', id: question['id'], result: { action: 'cancel' } });
    expect(textsOf(talking.toClient()[0] as Fields).isError).toBe(true);
    expect(seen(talking.call('list', {}))).toBe('plain');
  });

  it('is not put again to a client that could not answer it', () => {
    const { talking, question } = asked();
    talking.client({ jsonrpc: '2.0', id: question['id'], error: { code: -32601, message: 'no' } });
    expect(textsOf(talking.toClient()[0] as Fields).isError).toBe(true);
    talking.client(again('eighth'));
    expect(talking.toClient().map(({ id }) => id)).toEqual(['eighth']);
  });

  it('is put once for calls that come together, and its answer is for all of them', () => {
    const { talking, question } = asked();
    expect(talking.client(again('eighth'))).toBeNull();
    expect(talking.toClient()).toEqual([]);
    talking.client({ jsonrpc: '2.0', id: question['id'], result: { action: 'accept' } });
    expect(talking.toServer()).toEqual([again('seventh'), again('eighth')]);
  });

  it('is taken back with the call, which the server never hears of', () => {
    const { talking, question } = asked();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'seventh' } };
    expect(talking.client(cancel)).toBeNull();
    expect(talking.toClient()).toEqual([
      expect.objectContaining({
        method: 'notifications/cancelled',
        params: expect.objectContaining({ requestId: question['id'] }),
      }),
    ]);
    // The answer that crosses it is nobody's.
    expect(talking.client({ jsonrpc: '2.0', id: question['id'], result: { action: 'accept' } })).toBeNull();
    expect(talking.toServer()).toEqual([]);
  });

  it.each([{}, { elicitation: { url: {} } }, { elicitation: null }])(
    'is a refusal for a client with %j',
    (capabilities) => {
      const talking = talk();
      greet(talking, capabilities);
      expect(loop(talking, 7).at(-1)).toBe('refused');
      expect(talking.decisions.at(-1)).toBe('ask no-progress');
    },
  );

  it('after a result holds the next call', () => {
    const talking = talk();
    greet(talking, FORMS);
    const result = {
      content: [{ type: 'text', text: 'The database is not reachable from here.' }],
      isError: true,
    };
    const answers = Array.from({ length: 10 }, (_, n) => talking.call('query_rows', { page: n }, { result }));
    expect(talking.decisions.at(-1)).toBe('ask same-failure');
    expect(textsOf(answers[9] as Fields).texts).toHaveLength(2);
    expect(talking.client(again('next'))).toBeNull();
    const [question] = talking.toClient();
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: { message: expect.stringMatching(/^The agent may be stuck: query_rows .*go on\?/) },
    });
    talking.client({ jsonrpc: '2.0', id: question?.['id'], result: { action: 'accept' } });
    expect(talking.toServer()).toEqual([again('next')]);
  });

  it('after a result refuses the next call, where there is nobody to ask', () => {
    const talking = talk();
    const result = {
      content: [{ type: 'text', text: 'The database is not reachable from here.' }],
      isError: true,
    };
    for (let n = 0; n < 10; n++) talking.call('query_rows', { page: n }, { result });
    expect(textsOf(talking.call('list', {})).isError).toBe(true);
    expect(seen(talking.call('list', {}))).toBe('plain');
  });

  describe('in the wire of 2026-07-28', () => {
    const params = { name: 'read_file', arguments: SAME, _meta: MODERN_ELICITING };
    const result = { ...ECHO, resultType: 'complete' };

    function modern(): { talking: Talk; key: string } {
      const talking = talk();
      for (let n = 1; n <= 6; n++) talking.call('read_file', SAME, { result }, { _meta: MODERN_ELICITING });
      const answer = talking.call('read_file', SAME, { result }, { _meta: MODERN_ELICITING });
      const { resultType, inputRequests } = answer['result'] as { resultType: string; inputRequests: Fields };
      expect(resultType).toBe('input_required');
      const [key = ''] = Object.keys(inputRequests);
      expect(inputRequests[key]).toEqual({
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: expect.stringMatching(/^The agent may be stuck: read_file /),
          requestedSchema: { type: 'object', properties: {} },
        },
      });
      return { talking, key };
    }
    const retry = (key: string, action: string, more: Fields = {}) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 'retry',
        method: 'tools/call',
        params: { ...params, inputResponses: { ...more, [key]: { action } } },
      });

    it('is a result that asks for input; the call that comes with the answer goes on without it', () => {
      const { talking, key } = modern();
      const passed = talking.client(retry(key, 'accept')) as string;
      expect(passed).toBe(JSON.stringify({ jsonrpc: '2.0', id: 'retry', method: 'tools/call', params }));
      expect(talking.server({ jsonrpc: '2.0', id: 'retry', result })).toContain('"retry"');
      expect(talking.approvals).toEqual(['approved']);
    });

    it('leaves the answers to questions of the server where they are', () => {
      const { talking, key } = modern();
      const passed = talking.client(retry(key, 'accept', { theirs: { action: 'accept' } })) as string;
      expect(JSON.parse(passed)).toMatchObject({
        params: { inputResponses: { theirs: { action: 'accept' } } },
      });
      expect(passed).not.toContain('deloop');
    });

    it('stops the session when a person declines', () => {
      const { talking, key } = modern();
      expect(talking.client(retry(key, 'decline'))).toBeNull();
      expect(talking.toClient()[0]?.['result']).toMatchObject({ resultType: 'complete', isError: true });
      expect(textsOf(talking.call('list', {}, { result }, { _meta: MODERN })).texts[0]).toContain('stopped');
    });

    it('is a refusal for a client that cannot elicit', () => {
      const talking = talk();
      for (let n = 1; n <= 6; n++) talking.call('read_file', SAME, { result }, { _meta: MODERN });
      const answer = talking.call('read_file', SAME, { result }, { _meta: MODERN });
      expect(answer['result']).toMatchObject({ resultType: 'complete', isError: true });
    });

    it('an answer that nobody asked for is a call like any other', () => {
      const talking = talk();
      const passed = talking.client(retry('deloop-approval-other-1', 'accept'));
      expect(JSON.parse(passed as string)).toMatchObject({ params });
      expect(passed).not.toContain('inputResponses');
    });
  });
});

it('changes nothing in shadow mode', () => {
  const talking = talk({ preset: 'koda', mode: 'shadow' });
  greet(talking, FORMS);
  expect(new Set(loop(talking, 12))).toEqual(new Set(['plain']));
  expect(new Set(talking.decisions)).toEqual(new Set(['nudge call-streak', 'halt call-streak']));
});
