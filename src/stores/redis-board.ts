import type { Answer, Board, Count, Note, Refusal, SwarmScope } from './board.ts';
import { newId } from './new-id.ts';
import { CLEAR, READ, STEER, WRITE } from './redis-board-scripts.ts';
import type { RunScript } from './redis-client.ts';
import { ENLIST, NAMES } from './redis-list-scripts.ts';
import { decodeName, encodeName, remembered } from './redis-names.ts';
import { PAGE, type Page, pagesOf, stateOf } from './redis-pages.ts';
import { TELL } from './redis-tell.ts';
import { nameOf, namesOf, workerOf } from './redis-workers.ts';

export type RedisBoardOptions = {
  readonly run: RunScript;
  /** What all keys begin with. */
  readonly prefix: string;
  readonly tenant: string;
  readonly expiresAfterMs: number;
  readonly now: (() => number) | undefined;
};

const MAX_SWARMS = 10_000;
/** Whatever a swarm is called, its name stays readable in the list. */
const MAX_LISTED = 5 * 512;
/** How long a page of a checkpoint may take: nobody's agent waits for it. */
const PATIENCE_MS = 10_000;
/** A swarm is noted as active this often. */
const ENLIST_MS = 60_000;

/** All keys of a scope have its name as their hash tag, so that one server of a cluster has them all. */
function keysOf(prefix: string, tenant: string, swarm: SwarmScope): string {
  const tag = swarm === null ? encodeName(tenant) : `${encodeName(tenant)}:${encodeName(swarm)}`;
  return `${prefix}:{${tag}}:`;
}

export function redisBoard({ run, prefix, tenant, expiresAfterMs, now }: RedisBoardOptions): Board {
  const startOfSwarm = remembered((swarm) => keysOf(prefix, tenant, swarm));
  const startOfTenant = keysOf(prefix, tenant, null);
  const startOf = (scope: SwarmScope) => (scope === null ? startOfTenant : startOfSwarm(scope));
  const list = `${prefix}:{${encodeName(tenant)}}:swarms`;
  const keep = String(expiresAfterMs);
  const clock = () => (now === undefined ? '' : String(now()));
  const enlisted = new Map<string, number>();
  /** Together they name a swarm that is not there yet. */
  const id = newId();
  let made = 0;

  /** Off the way of any decision: who asks for the swarms of a tenant may find a new one a moment later. */
  function enlist(swarm: SwarmScope): void {
    const at = Date.now();
    if (swarm === null || at - (enlisted.get(swarm) ?? -ENLIST_MS) < ENLIST_MS) return;
    enlisted.set(swarm, at);
    const values = [clock(), keep, encodeName(swarm, MAX_LISTED), String(MAX_SWARMS)];
    run(ENLIST, [list], values).catch(() => enlisted.delete(swarm));
  }

  async function page(scope: SwarmScope, from: number): Promise<Page> {
    const start = startOf(scope);
    const values = [start, String(from), String(from + PAGE - 1)];
    return JSON.parse(String(await run(READ, [`${start}s`, `${start}k`], values, PATIENCE_MS))) as Page;
  }

  return {
    tell(scope, { member, first, notes, resent, born, control, windowMs }) {
      const start = startOf(scope);
      enlist(scope);
      const keys = [`${start}s`, `${start}q:${member}`, `${start}k`];
      const half = Math.max(1, Math.floor(windowMs / 2));
      made += 1;
      const values = [
        clock(),
        String(half),
        keep,
        String(first),
        String(resent),
        born,
        id + made,
        String(control.version),
        control.halted ? '1' : '0',
        control.why,
        control.by,
        String(control.at),
      ];
      for (const note of notes) add(note, start, keys, values);
      return run(TELL, keys, values).then(answerOf);
    },
    async steer(scope, { halt, why, by }) {
      enlist(scope);
      const values = [clock(), keep, halt ? '1' : '0', why, by];
      const [version, at] = (await run(STEER, [`${startOf(scope)}s`], values)) as [number, number];
      return { version: Number(version), halted: halt, why, by, at: Number(at) };
    },
    async read(scope) {
      const head = await page(scope, 0);
      if (head.swarm === undefined && head.control === undefined) return null;
      const pages = [head];
      for (let from = PAGE; (pages.at(-1) as Page).size === PAGE; from += PAGE)
        pages.push(await page(scope, from));
      return stateOf(head, pages);
    },
    async write(scope, state) {
      await this.clear(scope);
      const start = startOf(scope);
      for (const each of pagesOf(state))
        await run(WRITE, [`${start}s`, `${start}k`], [start, keep, JSON.stringify(each)], PATIENCE_MS);
      enlist(scope);
    },
    async clear(scope) {
      const start = startOf(scope);
      const values = [start, String(PAGE)];
      while (Number(await run(CLEAR, [`${start}s`, `${start}k`], values, PATIENCE_MS)) > 0);
    },
    async swarms() {
      const listed = (await run(NAMES, [list], [])) as readonly string[];
      return Array.from({ length: listed.length / 2 }, (_, index) => ({
        swarm: decodeName(String(listed[2 * index])),
        updatedAt: Number(listed[2 * index + 1]),
      }));
    },
  };
}

const KINDS = { call: 'c', result: 'r', failure: 'e', handoff: 'h', spawn: 's', spend: 'u' } as const;

/** What is sent of a note: the keys of its record and its agents, and six values. */
function add(note: Note, start: string, keys: string[], values: string[]): void {
  const by = workerOf(note.worker);
  const short = shortOf(note);
  keys.push(start + short, `${start}a:${by}`);
  values.push(KINDS[note.kind], by, short);
  switch (note.kind) {
    case 'call':
      values.push('', '', '');
      break;
    case 'result':
      values.push(note.outcome, note.failed ? '1' : '0', note.said ?? '');
      break;
    case 'failure':
      values.push('', '', note.said ?? '');
      break;
    case 'handoff':
      keys.push(`${start}a:${workerOf(note.to)}`);
      values.push(workerOf(note.to), '', '');
      break;
    case 'spawn': {
      const { children, perDepth, depth } = note.limits;
      keys.push(`${start}a:${workerOf(note.to)}`);
      values.push(workerOf(note.to), String(note.depth), `${children} ${perDepth} ${depth}`);
      break;
    }
    case 'spend':
      values.push(String(note.tokens), String(note.money), '');
  }
}

/** What a note is counted under, as a part of a key: as `keyOf` has it. */
function shortOf(note: Note): string {
  switch (note.kind) {
    case 'call':
    case 'result':
      return `f:${encodeName(note.key)}`;
    case 'failure':
      return `e:${encodeName(note.key)}`;
    case 'handoff':
      return `h:${[note.worker, note.to].sort().map(workerOf).join(' ')}`;
    case 'spawn':
      return `p:${workerOf(note.worker)}`;
    case 'spend':
      return '';
  }
}

const FIELDS = 12;

/** Where the counts stand in a reply. */
const COUNTS = 13;

function answerOf(given: unknown): Answer {
  const reply = given as readonly unknown[];
  const flat = reply[COUNTS] as readonly unknown[];
  const counts: Count[] = [];
  for (let from = 0; from < flat.length; from += FIELDS) counts.push(countOf(flat, from));
  return {
    applied: Number(reply[0]),
    now: Number(reply[1]),
    born: String(reply[2]),
    totals: {
      calls: Number(reply[3]),
      tokens: Number(reply[4]),
      money: Number(reply[5]),
      active: Number(reply[6]),
      agents: Number(reply[7]),
    },
    control: {
      version: Number(reply[8]),
      halted: Number(reply[9]) === 1,
      why: String(reply[10]),
      by: String(reply[11]),
      at: Number(reply[12]),
    },
    counts,
  };
}

function countOf(flat: readonly unknown[], from: number): Count {
  return {
    calls: Number(flat[from]),
    workers: Number(flat[from + 1]),
    wasted: Number(flat[from + 2]),
    wasters: Number(flat[from + 3]),
    failures: Number(flat[from + 4]),
    first: nameOf(String(flat[from + 5])),
    firstAt: Number(flat[from + 6]),
    names: namesOf(String(flat[from + 7])),
    said: String(flat[from + 8]),
    depth: Number(flat[from + 9]),
    atDepth: Number(flat[from + 10]),
    refused: String(flat[from + 11]) as Refusal,
  };
}
