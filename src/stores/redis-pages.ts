import { type Control, NO_CONTROL, type SwarmState } from './board.ts';
import { nameOf, namesOf, workerOf } from './redis-workers.ts';

/** Records, or agents, of one page. */
export const PAGE = 200;

/** What the scripts read and write; an empty list may come as an empty object. */
export type Page = {
  readonly swarm?: readonly [...numbers: number[], born: string, half: number];
  readonly control?: readonly [version: number, halted: number, why: string, by: string, at: number];
  readonly depths: SwarmState['depths'] | object;
  readonly agents: SwarmState['agents'] | object;
  readonly records: readonly SavedPage[] | object;
  readonly size: number;
};
type Mark = readonly [name: string, called: number, wasted: number];
type SavedPage = readonly [
  short: string,
  record: readonly (number | string)[],
  marks: readonly Mark[] | object,
];

export function stateOf(head: Page, pages: readonly Page[]): SwarmState {
  const [epoch = 0, now = 0, before = 0, calls = 0, tokens = 0, money = 0, agents = 0, born = '', half = 0] =
    (head.swarm ?? []) as readonly (number | string)[] as readonly number[];
  const [version, halted, why, by, at] = head.control ?? [0, 0, '', '', 0];
  return {
    version: 1,
    half,
    born: String(born),
    epoch,
    active: [now, before],
    totals: [calls, tokens, money, agents],
    control: version === 0 ? NO_CONTROL : { version, halted: halted === 1, why, by, at },
    depths: listed<SwarmState['depths'][number]>(head.depths),
    agents: pages
      .flatMap((page) => listed<SwarmState['agents'][number]>(page.agents))
      .map(([name, ...rest]) => [nameOf(name), ...rest] as const),
    members: [],
    records: pages
      .flatMap((page) => listed<SavedPage>(page.records))
      .map(([short, record, marks]) => ({
        key: short.slice(0, 2) + short.slice(2).split(' ').map(nameOf).join(' '),
        tally: record.slice(0, 13) as readonly number[],
        first: nameOf(String(record[13])),
        outcomes: String(record[14]),
        names: namesOf(String(record[15])),
        said: String(record[16]),
        workers: listed<Mark>(marks).map(([name, ...rest]) => [nameOf(name), ...rest] as const),
      })),
  };
}

function listed<Item>(list: readonly Item[] | object): readonly Item[] {
  return Array.isArray(list) ? list : [];
}

export function* pagesOf(state: SwarmState): Generator<object, void, void> {
  const { epoch, active, totals, born, half, control, depths } = state;
  const swarm = [epoch, ...active, totals[0], totals[1], totals[2], totals[3], born, half];
  const steered = controlList(control);
  const agents = state.agents.map(([name, ...rest]) => [workerOf(name), ...rest]);
  const records = state.records.map(({ key, tally, first, outcomes, names, said, workers }) => [
    key.slice(0, 2) + key.slice(2).split(' ').map(workerOf).join(' '),
    [...tally, workerOf(first), outcomes, names.map(workerOf).join(' '), said],
    workers.map(([name, ...rest]) => [workerOf(name), ...rest]),
  ]);
  const all = Math.max(1, agents.length, records.length);
  for (let from = 0; from < all; from += PAGE) {
    const part = <Item>(list: readonly Item[]) => list.slice(from, from + PAGE);
    const once = from === 0;
    yield {
      swarm,
      control: steered,
      depths: once ? depths : [],
      members: once ? state.members : [],
      agents: part(agents),
      records: part(records),
    };
  }
}

function controlList({ version, halted, why, by, at }: Control): readonly unknown[] {
  return [version, halted ? 1 : 0, why, by, at];
}
