import { describe, expect, it } from 'vitest';
import { EVERYTHING, guarded, hasHosts, load, MODERN } from './hosts.ts';
import { accept, decline, type Legacy, LOOP, loop, type Modern } from './looping.ts';

describe.runIf(hasHosts)('a client that goes round in circles', { timeout: 60_000 }, () => {
  it('v1: is nudged and blocked at the same calls as by the guard alone', async () => {
    const { connect } = await load<Legacy>('./tour-v1.mjs');
    const connection = await connect(guarded(EVERYTHING), { capabilities: {} });
    const args = { message: 'the same words again and again and again' };
    expect(await loop(connection, 8, 'echo', args)).toEqual([...LOOP, 'refused', 'refused']);
    expect(await loop(connection, 1, 'get-sum', { a: 1, b: 2 })).toEqual(['plain']);
    await connection.client.close();
  });

  it('v1: takes nudges and blocks from a tool with an output schema', async () => {
    const { connect } = await load<Legacy>('./tour-v1.mjs');
    const connection = await connect(guarded(EVERYTHING), { capabilities: {} });
    // The client checks results against schemas once it knows them.
    await connection.client.listTools();
    expect(await loop(connection, 6, 'get-structured-content', { location: 'Chicago' })).toEqual(LOOP);
    await connection.client.close();
  });

  it('v1: is halted, and every other call with it', async () => {
    const { connect } = await load<Legacy>('./tour-v1.mjs');
    const connection = await connect(guarded(EVERYTHING, '--preset', 'koda'), { capabilities: {} });
    const seen = await loop(connection, 12, 'echo', { message: 'again' });
    expect(seen.indexOf('nudged')).toBe(4);
    expect(seen.slice(9)).toEqual(['refused', 'refused', 'refused']);
    expect(await loop(connection, 1, 'get-sum', { a: 1, b: 2 })).toEqual(['refused']);
    await connection.client.close();
  });

  it.each([
    ['goes on', accept, 'plain', 'plain'],
    ['is stopped', decline, 'refused', 'refused'],
  ] as const)('v1: a person is asked at the seventh call, and it %s', async (_, elicit, seventh, other) => {
    const { connect } = await load<Legacy>('./tour-v1.mjs');
    const connection = await connect(guarded(EVERYTHING), { elicit, capabilities: { elicitation: {} } });
    const args = { message: 'the same words again and again and again' };
    expect(await loop(connection, 7, 'echo', args)).toEqual([...LOOP, seventh]);
    expect(connection.asked).toHaveLength(1);
    expect(await loop(connection, 1, 'get-sum', { a: 1, b: 2 })).toEqual([other]);
    await connection.client.close();
  });

  describe.each(['legacy', '2026-07-28'])('v2, %s', (mode) => {
    it.each([
      ['goes on', accept, 'plain', 'plain'],
      ['is stopped', decline, 'refused', 'refused'],
    ] as const)('a person is asked at the seventh call, and it %s', async (_, elicit, seventh, other) => {
      const { connect } = await load<Modern>('./tour-v2.mjs');
      const connection = await connect(guarded(MODERN), mode, elicit);
      expect(await loop(connection, 7, 'echo', { message: 'again' })).toEqual([...LOOP, seventh]);
      expect(connection.asked).toEqual([expect.stringContaining('The agent may be stuck')]);
      expect(await loop(connection, 1, 'counts', { to: 2 })).toEqual([other]);
      await connection.client.close();
    });

    it('takes nudges and blocks from a tool with an output schema', async () => {
      const { connect } = await load<Modern>('./tour-v2.mjs');
      const connection = await connect(guarded(MODERN), mode);
      await connection.client.listTools();
      expect(await loop(connection, 6, 'weather', { city: 'Bern' })).toEqual(LOOP);
      await connection.client.close();
    });

    it('may be asked by the server for each call, which is no loop', async () => {
      const { connect } = await load<Modern>('./tour-v2.mjs');
      const connection = await connect(guarded(MODERN, '--preset', 'zagens'), mode);
      // Each of these goes over the wire twice in the younger one.
      expect(await loop(connection, 3, 'confirm', { what: 'go' })).toEqual(['plain', 'plain', 'refused']);
      expect(connection.asked).toEqual(['Really go?', 'Really go?']);
      await connection.client.close();
    });

    it('is known by what the server declares of its tools', async () => {
      const { connect } = await load<Modern>('./tour-v2.mjs');
      const connection = await connect(guarded(MODERN, '--preset', 'zagens'), mode);
      await connection.client.listTools();
      const pages: string[] = [];
      for (let page = 1; page <= 3; page++)
        pages.push(...(await loop(connection, 1, 'fetch', { url: 'x', page })));
      expect(pages).toEqual(['plain', 'plain', 'refused']);
      await connection.client.close();
    });
  });
});
