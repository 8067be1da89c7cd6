import { describe, expect, it } from 'vitest';
import { createHistory } from '../../src/transcripts/history.ts';

const says = (role: string, content: string) => ({ role, content });
const system = says('system', 'You are careful.');

/** What each of the requests has that is new; every request is answered. */
function fresh(...requests: readonly (readonly object[])[]): readonly (readonly unknown[])[] {
  const history = createHistory();
  return requests.map((messages) => {
    const told = history.fresh(messages).map((message) => (message as { content: string }).content);
    history.answered();
    return told;
  });
}

/** The n-th request of a conversation, which repeats the ones before it. */
function request(name: string, n: number): readonly object[] {
  const messages: object[] = [system, says('user', `${name} asks`)];
  for (let round = 1; round < n; round++) {
    messages.push(says('assistant', `${name} call ${round}`), says('tool', `${name} result ${round}`));
  }
  return messages;
}

describe('the requests of a log', () => {
  it('of two conversations that take turns tell each message once', () => {
    const requests = [1, 2, 3].flatMap((n) => [request('one', n), request('two', n)]);
    expect(fresh(...requests)).toEqual([
      ['You are careful.', 'one asks'],
      ['two asks'],
      ['one result 1'],
      ['two result 1'],
      ['one result 2'],
      ['two result 2'],
    ]);
  });

  it.each([7, 8])('of a conversation that paused for %i others', (others) => {
    const requests = Array.from({ length: others }, (_, n) => request(`other ${n}`, 1));
    const told = fresh(request('one', 2), ...requests, request('one', 3)).at(-1);
    expect(told).toEqual(
      others < 8
        ? ['one result 2']
        : ['one asks', 'one call 1', 'one result 1', 'one call 2', 'one result 2'],
    );
  });

  it('that are made again have nothing new', () => {
    expect(fresh(request('one', 2), request('one', 2), request('one', 1)).slice(1)).toEqual([[], []]);
  });

  it('are continued by the responses that stand between them, and by none before the first', () => {
    const history = createHistory();
    history.answered();
    expect(history.fresh([says('assistant', 'told'), says('user', 'x')])).toEqual([says('user', 'x')]);
    history.fresh([]);
    history.answered();
    const more = [says('assistant', 'told'), says('user', 'x'), says('assistant', 'y'), says('user', 'z')];
    expect(history.fresh(more)).toEqual([says('user', 'z')]);
  });
});
