import { describe, expect, it } from 'vitest';
import { type AgentEvent, createSwarmGuard, type Intervention } from '../../src/index.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { deloop, jsonLines, newFolder, toLines } from './run-cli.ts';

type Line = { readonly [field: string]: unknown };

async function replayed(files: { readonly [name: string]: readonly object[] }, ...flags: readonly string[]) {
  const cwd = newFolder(
    Object.fromEntries(Object.entries(files).map(([name, events]) => [name, toLines(events as never)])),
  );
  const { status, out, err } = await deloop(['replay', ...Object.keys(files), '--json', ...flags], { cwd });
  const lines = jsonLines(out);
  return { status, err, decisions: lines.filter(({ type }) => type === undefined), lines };
}

const shown = ({ action, detector, count, call }: Line) => `${action} ${detector} ${count} at ${call}`;

/** Everybody looks for the same page, and does something of their own in between. */
function deadEnd(calls: number, agentOf: (n: number) => string | undefined): AgentEvent[] {
  return Array.from({ length: calls }, (_, n): AgentEvent[] => {
    const agent = agentOf(n);
    const own = { id: `own ${n}`, tool: 'read_file', agent };
    const search = { id: `search ${n}`, tool: 'web_search', agent };
    return [
      { type: 'tool-call', ...search, args: { query: 'x' } },
      { type: 'tool-result', ...search, status: 'error', output: '404: there is no such page' },
      { type: 'tool-call', ...own, args: { path: `${n}.txt` } },
      { type: 'tool-result', ...own, status: 'ok', output: `text ${n}` },
    ];
  }).flat();
}

function handoffs(times: number): AgentEvent[] {
  return Array.from({ length: times }, (_, n): AgentEvent[] => {
    const [agent, to] = n % 2 === 0 ? ['planner', 'coder'] : ['coder', 'planner'];
    const call = { id: `${n}`, tool: `transfer_to_${to}`, agent };
    return [
      { type: 'tool-call', ...call, args: { task: `part ${n}` } },
      { type: 'tool-result', ...call, status: 'ok', output: `${to} has part ${n}` },
    ];
  }).flat();
}

describe('deloop replay --swarm', () => {
  it('tells a dead end of all agents at the seventh try, and blocks the twelfth', async () => {
    const trace = deadEnd(12, (n) => `w${n % 6}`);
    const { decisions, status } = await replayed({ 'crew.jsonl': trace }, '--swarm');
    const about = decisions.filter(({ detector }) => detector === 'dead-end');
    // Every second call is one of the searches.
    expect(about.map(({ action, call }) => `${action} ${((call as number) + 1) / 2}`)).toEqual([
      'nudge 7',
      'nudge 8',
      'nudge 9',
      'nudge 10',
      'nudge 11',
      'block 12',
    ]);
    expect(about[0]?.['message']).toMatch(/crew\/w0 first, lately crew\/w5, crew\/w4/);
    expect(status).toBe(0);
    expect((await replayed({ 'crew.jsonl': trace })).decisions).toEqual([]);
  });

  it('tells a ping-pong of handoffs at the sixth, and asks at the twelfth', async () => {
    const { decisions } = await replayed({ 'crew.jsonl': handoffs(12) }, '--swarm');
    const about = decisions.filter(({ detector }) => detector === 'handoff-repeat').map(shown);
    expect(about[0]).toBe('nudge handoff-repeat 6 at 6');
    expect(about.at(-1)).toBe('ask handoff-repeat 12 at 12');
    expect(about).toHaveLength(7);
  });

  it('is silent about fifty agents that read the same README', async () => {
    const trace = Array.from({ length: 50 }, (_, n): AgentEvent[] => {
      const call = { id: `${n}`, tool: 'read_file', agent: `w${n}` };
      return [
        { type: 'tool-call', ...call, args: { path: 'README.md' } },
        { type: 'tool-result', ...call, status: 'ok', output: '# deloop' },
      ];
    }).flat();
    expect((await replayed({ 'fan-out.jsonl': trace }, '--swarm')).decisions).toEqual([]);
  });

  it('takes several files as workers of one swarm', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 7 }, (_, n) => [`worker-${n}.jsonl`, deadEnd(1, () => undefined)]),
    );
    const { decisions } = await replayed(files, '--swarm');
    expect(decisions.map(({ file, ...rest }) => `${file} ${shown(rest)}`)).toEqual([
      'worker-6.jsonl nudge dead-end 5 at 1',
    ]);
    expect(decisions[0]?.['message']).toMatch(/worker-0 first/);
  });

  it('forgets by the times that the events tell', async () => {
    const at = (minutes: number) =>
      deadEnd(7, (n) => `w${n}`).map((event, n) => ({ ...event, at: n * minutes * 60_000 }));
    const detectors = async (minutes: number) =>
      (await replayed({ 'crew.jsonl': at(minutes) }, '--swarm')).decisions.map(({ detector }) => detector);
    expect(await detectors(0.01)).toContain('dead-end');
    expect(await detectors(4)).not.toContain('dead-end');
  });

  it('gives what the workers were told live, from what each of them has written down', async () => {
    const store = createMemoryStore();
    const names = ['ann', 'ben', 'cleo', 'dan'];
    const live = new Map<string, string[]>(names.map((name) => [name, []]));
    const logs = new Map<string, AgentEvent[]>(names.map((name) => [name, []]));
    const guards = names.map((worker) =>
      createSwarmGuard({
        store,
        swarm: {
          name: 'night',
          worker,
          waitMs: 60_000,
          onEvent: (event) => logs.get(worker)?.push(structuredClone(event)),
        },
        onDecision: ({ action, finding, message, call }: Intervention) =>
          live.get(worker)?.push(`${action} ${finding.detector} ${finding.count} at ${call}: ${message}`),
      }),
    );
    const events = deadEnd(24, () => undefined);
    for (let n = 0; n < events.length; n += 2) {
      const guard = guards[Math.floor(n / 4) % names.length] as (typeof guards)[number];
      const [call, result] = events.slice(n, n + 2) as [AgentEvent, AgentEvent];
      const decision = await guard.accept(call);
      if (decision.action === 'nudge') await guard.delivered();
      if (decision.action === 'block' || decision.action === 'halt') continue;
      const after = await guard.accept(result);
      if (after.action === 'nudge') await guard.delivered();
      await guard.swarm.flush();
    }
    const all = [...live.values()].flat();
    expect(all.some((line) => line.startsWith('nudge dead-end'))).toBe(true);
    expect(all.some((line) => line.startsWith('block dead-end'))).toBe(true);
    for (const [worker, log] of logs) {
      const { decisions } = await replayed({ [`${worker}.jsonl`]: log }, '--swarm', '--through');
      expect(decisions.map((line) => `${shown(line)}: ${line['message']}`)).toEqual(live.get(worker));
    }
  });

  it('gives what agents of one process were told live, from nothing but what they did', async () => {
    const events = [...handoffs(7), ...deadEnd(13, (n) => `w${n % 6}`)];
    const live: string[] = [];
    const guard = createSwarmGuard({
      store: createMemoryStore(),
      swarm: { name: 'night', worker: 'crew', waitMs: 60_000 },
      onDecision: ({ action, finding, message }: Intervention) =>
        live.push(`${action} ${finding.detector} ${finding.count}: ${message}`),
    });
    const refused = new Set<string | undefined>();
    for (const event of events) {
      const { agent } = event;
      if (event.type === 'tool-result' && refused.has(event.id)) continue;
      const { action } = await guard.accept(event);
      if (action === 'nudge') await guard.delivered(agent);
      if (action === 'block' && event.type === 'tool-call') refused.add(event.id);
      await guard.swarm.flush();
    }
    const { decisions } = await replayed({ 'crew.jsonl': events }, '--swarm', '--through');
    expect(live.length).toBeGreaterThan(8);
    expect(
      decisions.map(({ action, detector, count, message }) => `${action} ${detector} ${count}: ${message}`),
    ).toEqual(live);
  });

  it('holds a log against what the swarm would have been told', async () => {
    const trace = deadEnd(13, (n) => `w${n}`);
    const { lines } = await replayed({ 'crew.jsonl': trace }, '--swarm');
    const [told, alone] = [lines, lines.filter(({ action }) => action !== 'block')];
    for (const [log, status] of [
      [told, 0],
      [alone, 1],
    ] as const) {
      const cwd = newFolder({ 'crew.jsonl': toLines(trace as never), 'log.jsonl': toLines(log as never) });
      const args = ['replay', 'crew.jsonl', '--verify', 'log.jsonl', '--swarm'];
      expect((await deloop(args, { cwd })).status).toBe(status);
    }
  });
});
