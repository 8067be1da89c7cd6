import { expect, it } from 'vitest';
import type { SavedRecord, SwarmState } from '../../src/stores/board.ts';
import { NO_CONTROL } from '../../src/stores/board.ts';
import { PAGE, type Page, pagesOf, stateOf } from '../../src/stores/redis-pages.ts';

const record = (key: string): SavedRecord => ({
  key,
  tally: [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_800_000_000_000, 11],
  first: 'ann b',
  outcomes: ',x,y,',
  names: ['ben/é', 'ann b'],
  said: 'no such file',
  workers: [
    ['ann b', 6, -2],
    ['ben/é', 7, 7],
  ],
});

function stateWith(records: number, agents: number): SwarmState {
  return {
    version: 1,
    half: 500,
    born: 'b1',
    epoch: 7,
    active: [2, 1],
    totals: [40, 50, 60, 3],
    control: { version: 9, halted: true, why: 'too dear', by: 'ops', at: 5 },
    depths: [[1, 7, 2, 0]],
    agents: Array.from({ length: agents }, (_, n) => [`agent ${n}`, 7, n, -1] as const),
    members: [],
    records: Array.from({ length: records }, (_, n) => record(n % 2 === 0 ? `f:${n}` : `h:ann ${n}`)),
  };
}

/** As the scripts keep it and give it back, page by page. */
function stored(state: SwarmState): readonly Page[] {
  return JSON.parse(JSON.stringify([...pagesOf(state)])) as readonly Page[];
}

it('a checkpoint comes back as it was, whatever it is called and however many pages it takes', () => {
  for (const [records, agents, pages] of [
    [0, 0, 1],
    [1, 2, 1],
    [PAGE, PAGE, 1],
    [PAGE + 1, 3, 2],
    [3, 2 * PAGE + 1, 3],
  ] as const) {
    const state = stateWith(records, agents);
    const all = stored(state);
    expect(all).toHaveLength(pages);
    expect(stateOf(all[0] as Page, all)).toEqual(state);
  }
});

it('levels and members are written once, with the first page', () => {
  const state: SwarmState = { ...stateWith(PAGE + 1, 0), members: [['m', 3]] };
  expect(stored(state)).toMatchObject([
    { depths: [[1, 7, 2, 0]], members: [['m', 3]] },
    { depths: [], members: [] },
  ]);
});

it('names are written so that they cannot be taken for anything else', () => {
  const [page] = stored(stateWith(2, 1));
  expect(page).toMatchObject({
    swarm: [7, 2, 1, 40, 50, 60, 3, 'b1', 500],
    control: [9, 1, 'too dear', 'ops', 5],
    agents: [['agent%00200', 7, 0, -1]],
    records: [
      [
        'f:0',
        expect.arrayContaining(['ann%0020b', 'ben%002f%00e9 ann%0020b']),
        [['ann%0020b', 6, -2], expect.anything()],
      ],
      ['h:ann 1', expect.anything(), expect.anything()],
    ],
  });
});

it('empty lists come from the server as empty objects, and nothing at all from a swarm that was only halted', () => {
  const page: Page = { depths: {}, agents: {}, records: {}, size: 0 };
  const nothing = {
    version: 1,
    half: 0,
    born: '',
    epoch: 0,
    active: [0, 0],
    totals: [0, 0, 0, 0],
    depths: [],
    agents: [],
    members: [],
    records: [],
  };
  expect(stateOf(page, [page])).toEqual({ ...nothing, control: NO_CONTROL });
  const halted: Page = { ...page, control: [3, 0, '', 'ops', 8] };
  const control = { version: 3, halted: false, why: '', by: 'ops', at: 8 };
  expect(stateOf(halted, [halted])).toEqual({ ...nothing, control });
});
