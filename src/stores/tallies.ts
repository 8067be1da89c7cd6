import {
  type Answer,
  type Control,
  type Count,
  MAX_NAMES,
  MAX_OUTCOMES,
  MAX_WORKERS,
  NO_CONTROL,
  type Note,
  type Order,
  type Refusal,
  type Request,
  type SpawnLimits,
  type SwarmState,
} from './board.ts';
import {
  countOf,
  type Mark,
  NEVER,
  NOTHING,
  newTally,
  opened,
  type Pair,
  savedOf,
  shifted,
  sum,
  sweep,
  type Tally,
} from './tally.ts';

/** What a swarm shares, counted in this process. The script in `redis-tell.ts` counts the same way, and a test holds them together. */
export type Tallies = {
  tell(request: Request, now: number): Answer;
  steer(order: Order, now: number): Control;
  clear(): void;
  toJSON(): SwarmState;
};

type LastAnswer = { readonly first: number; readonly numbers: readonly number[] };
type Agent = { epoch: number; progress: number; depth: number };

/** So that a swarm fits into a file; the least recently used is forgotten first. */
export type Bounds = { readonly records: number; readonly marks: number; readonly agents: number };
const BOUNDS: Bounds = { records: 512, marks: 4096, agents: 1024 };
const MAX_MEMBERS = 256;
const NUMBERS = 5;
/** Members whose last answer is kept: whoever did not hear it asks again at once. */
const MAX_ANSWERS = 16;
const UNKNOWN_DEPTH = -1;

export function createTallies(
  saved: SwarmState | null,
  makeBorn: () => string,
  bounds: Bounds = BOUNDS,
): Tallies {
  let half = saved?.half ?? 0;
  let born = saved?.born ?? '';
  let epoch = saved?.epoch ?? 0;
  let active: Pair = [...(saved?.active ?? ([0, 0] as const))];
  let [calls, tokens, money, seen] = saved?.totals ?? [0, 0, 0, 0];
  let control = saved?.control ?? NO_CONTROL;
  const depths = new Map<number, { epoch: number; children: Pair }>(
    saved?.depths.map(([depth, at, now, before]) => [depth, { epoch: at, children: [now, before] }]),
  );
  const agents = new Map<string, Agent>(
    saved?.agents.map(([name, at, progress, depth]) => [name, { epoch: at, progress, depth }]),
  );
  const members = new Map<string, number>(saved?.members);
  const answers = new Map<string, LastAnswer>(
    saved?.answers?.map(([member, first, numbers]) => [member, { first, numbers }]),
  );
  const records = new Map<string, Tally>(saved?.records.map((record) => [record.key, opened(record)]));
  let marked = 0;
  for (const { marks } of records.values()) marked += marks.size;

  /** A clock that goes back stands still. */
  function roll(now: number): void {
    const next = Math.max(epoch, Math.floor(now / half));
    active = shifted(active, next - epoch);
    epoch = next;
  }

  function agentOf(name: string): Agent {
    let agent = agents.get(name);
    if (agent === undefined) {
      agent = { epoch: NEVER, progress: 0, depth: UNKNOWN_DEPTH };
      seen += 1;
    }
    moveToEnd(agents, name, agent);
    if (agents.size > bounds.agents) agents.delete(agents.keys().next().value as string);
    return agent;
  }

  function appear(name: string): Agent {
    const agent = agentOf(name);
    if (agent.epoch < epoch) {
      if (agent.epoch === epoch - 1) active[1] -= 1;
      active[0] += 1;
      agent.epoch = epoch;
    }
    return agent;
  }

  function recordOf(key: string, worker: string, now: number): Tally {
    let record = records.get(key);
    if (record === undefined || record.epoch < epoch - 1) {
      marked -= record?.marks.size ?? 0;
      record = newTally(epoch, worker, now);
    } else if (record.epoch < epoch) {
      for (const pair of ['calls', 'wasted', 'workers', 'wasters', 'failures'] as const)
        record[pair] = shifted(record[pair], 1);
      record.epoch = epoch;
      marked -= sweep(record.marks, epoch - 1);
    }
    moveToEnd(records, key, record);
    return record;
  }

  /** The worker's mark; beyond the bound a worker leaves none. */
  function markOf(record: Tally, worker: string): Mark {
    const known = record.marks.get(worker);
    if (known !== undefined) return known;
    const mark: Mark = [NEVER, NEVER];
    if (record.marks.size < MAX_WORKERS) {
      record.marks.set(worker, mark);
      marked += 1;
    }
    return mark;
  }

  function touch(record: Tally, worker: string): void {
    const mark = markOf(record, worker);
    record.calls[0] += 1;
    if (mark[0] === epoch) return;
    if (record.marks.has(worker)) {
      if (mark[0] === epoch - 1) record.workers[1] -= 1;
      record.workers[0] += 1;
      mark[0] = epoch;
    }
    record.names = [worker, ...record.names.filter((name) => name !== worker)].slice(0, MAX_NAMES);
  }

  function end(record: Tally, note: Note & { readonly kind: 'result' }): void {
    const { worker, outcome, failed, said = '' } = note;
    if (failed) record.failures[0] += 1;
    // Whoever gets through has shown that this is no dead end.
    else record.wasted = [0, 0];
    if (said !== '') record.said = said;
    if (!record.outcomes.includes(`,${outcome},`)) {
      const outcomes = [...record.outcomes.split(',').filter((known) => known !== ''), outcome];
      record.outcomes = `,${outcomes.slice(-MAX_OUTCOMES).join(',')},`;
      agentOf(worker).progress += 1;
    } else if (failed) {
      const mark = markOf(record, worker);
      record.wasted[0] += 1;
      if (mark[1] < epoch && record.marks.has(worker)) {
        if (mark[1] === epoch - 1) record.wasters[1] -= 1;
        record.wasters[0] += 1;
        mark[1] = epoch;
      }
    }
  }

  function handOff(record: Tally, { worker, to }: Note & { readonly kind: 'handoff' }): void {
    const progress = agentOf(worker).progress + agentOf(to).progress;
    if (record.progress !== progress) {
      record.calls = [0, 0];
      record.progress = progress;
    }
    touch(record, worker);
  }

  function childrenAt(depth: number): Pair {
    const level = depths.get(depth) ?? { epoch, children: [0, 0] };
    level.children = shifted(level.children, epoch - level.epoch);
    level.epoch = epoch;
    depths.set(depth, level);
    return level.children;
  }

  function spawn(
    record: Tally,
    { worker, to, depth: told, limits }: Note & { readonly kind: 'spawn' },
  ): Pick<Count, 'depth' | 'atDepth' | 'refused'> {
    const parent = agentOf(worker);
    const depth = (parent.depth === UNKNOWN_DEPTH ? told : parent.depth) + 1;
    const level = childrenAt(depth);
    const refused = refusal(sum(record.calls), sum(level), depth, limits);
    if (refused === '') {
      touch(record, to);
      level[0] += 1;
      agentOf(to).depth = depth;
    }
    return { depth, atDepth: sum(level), refused };
  }

  function apply(note: Note, now: number): Count {
    appear(note.worker);
    if (note.kind === 'spend') {
      tokens += note.tokens;
      money += note.money;
      return NOTHING;
    }
    const record = recordOf(keyOf(note), note.worker, now);
    let child: Partial<Count> = {};
    if (note.kind === 'call') {
      calls += 1;
      touch(record, note.worker);
    } else if (note.kind === 'result') end(record, note);
    else if (note.kind === 'handoff') handOff(record, note);
    else if (note.kind === 'spawn') child = spawn(record, note);
    else {
      touch(record, note.worker);
      if (note.said) record.said = note.said;
    }
    return { ...countOf(record), ...child };
  }

  /** What is there, for a note that was counted before. */
  function look(note: Note, now: number): Count {
    const record = note.kind === 'spend' ? undefined : records.get(keyOf(note));
    if (record === undefined || note.kind === 'spend' || record.epoch < epoch - 1) return NOTHING;
    const count = countOf(recordOf(keyOf(note), note.worker, now));
    if (note.kind !== 'spawn') return count;
    const depth = agents.get(note.to)?.depth ?? UNKNOWN_DEPTH;
    const known = depth !== UNKNOWN_DEPTH;
    return { ...count, depth, atDepth: known ? sum(childrenAt(depth)) : 0, refused: known ? '' : 'children' };
  }

  function forget(): void {
    for (const [key, { marks }] of records) {
      if (records.size <= bounds.records && marked <= bounds.marks) break;
      if (records.size === 1) break;
      records.delete(key);
      marked -= marks.size;
    }
    while (members.size > MAX_MEMBERS) members.delete(members.keys().next().value as string);
    while (answers.size > MAX_ANSWERS) answers.delete(answers.keys().next().value as string);
  }

  return {
    tell({ member, first, notes, resent, born: knownBorn, control: told, windowMs }, now) {
      if (half === 0) half = Math.max(1, Math.floor(windowMs / 2));
      const wasThere = born !== '';
      if (!wasThere) born = makeBorn();
      roll(now);
      const last = members.get(member);
      const before = last === undefined ? (wasThere && knownBorn === born ? resent : 0) : last - first + 1;
      const skipped = Math.min(notes.length, Math.max(0, before));
      const heard = answers.get(member);
      const counts = notes.map((note, index) =>
        index < skipped ? asOfThen(look(note, now), heard, first + index) : apply(note, now),
      );
      const to = first + notes.length - 1;
      if (last === undefined || to > last)
        moveToEnd(answers, member, { first, numbers: counts.flatMap(numbersOf) });
      moveToEnd(members, member, Math.max(last ?? 0, to));
      if (told.version > control.version) control = told;
      forget();
      return {
        now,
        born,
        applied: notes.length - skipped,
        totals: { calls, tokens, money, active: sum(active), agents: seen },
        control,
        counts,
      };
    },
    steer({ halt, why, by }, now) {
      control = { version: Math.max(now, control.version + 1), halted: halt, why, by, at: now };
      return control;
    },
    clear() {
      for (const map of [records, agents, depths]) map.clear();
      marked = 0;
      active = [0, 0];
      [calls, tokens, money, seen] = [0, 0, 0, 0];
      born = '';
      half = 0;
    },
    toJSON: () => ({
      version: 1,
      half,
      born,
      epoch,
      active: [...active],
      totals: [calls, tokens, money, seen],
      control,
      depths: [...depths].map(([depth, { epoch: at, children }]) => [depth, at, ...children]),
      agents: [...agents].map(([name, { epoch: at, progress, depth }]) => [name, at, progress, depth]),
      members: [...members],
      answers: [...answers].map(([member, { first, numbers }]) => [member, first, numbers]),
      records: [...records].map(([key, record]) => savedOf(key, record)),
    }),
  };
}

/** What a note is counted under: its kind, and what it is about. */
export function keyOf(note: Exclude<Note, { readonly kind: 'spend' }>): string {
  switch (note.kind) {
    case 'call':
    case 'result':
      return `f:${note.key}`;
    case 'failure':
      return `e:${note.key}`;
    case 'handoff':
      return `h:${[note.worker, note.to].sort().join(' ')}`;
    case 'spawn':
      return `p:${note.worker}`;
  }
}

/** What a note had come to when it was counted, if that is known still: the numbers that thresholds are about. */
function asOfThen(count: Count, heard: LastAnswer | undefined, number: number): Count {
  if (heard === undefined || number < heard.first) return count;
  const at = NUMBERS * (number - heard.first);
  const [calls, workers, wasted, wasters, failures] = heard.numbers.slice(at, at + NUMBERS);
  if (failures === undefined) return count;
  return { ...count, calls, workers, wasted, wasters, failures } as Count;
}

function numbersOf({ calls, workers, wasted, wasters, failures }: Count): readonly number[] {
  return [calls, workers, wasted, wasters, failures];
}

function refusal(
  children: number,
  atDepth: number,
  depth: number,
  { children: most, perDepth, depth: deepest }: SpawnLimits,
): Refusal {
  if (depth > deepest) return 'depth';
  if (children >= most) return 'children';
  return atDepth >= perDepth ? 'per-depth' : '';
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}
