import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestCall } from '../../src/core/evidence.ts';
import { type AgentEvent, createGuard, type Preset, presets } from '../../src/index.ts';
import { fastDigestText } from '../../src/platform/digest-text.ts';
import { event, rubbish } from '../laws/arbitrary.ts';

const EVENTS = 1_000_000;
const MAX_STATE = 262_144;

/** A guard that never throws could hide that it always does: what it reports must be about events that are none. */
function watched(preset: Preset) {
  return createGuard({
    preset,
    onError: (error) => {
      if ((error as { code?: string }).code !== 'event') throws.push(error);
    },
  });
}
const throws: unknown[] = [];

describe.each(Object.entries(presets) as [string, Preset][])('%s over a million events', (name, preset) => {
  it('stays under 256 KB and never throws', () => {
    const pool = fc.sample(event, { numRuns: 20_000, seed: 1 });
    const guard = watched(preset);
    let largest = 0;
    for (let i = 0; i < EVENTS; i++) {
      guard.accept(varied(pool[(i * 7919) % pool.length] as AgentEvent, i));
      if (i % 5000 === 0) largest = Math.max(largest, Buffer.byteLength(JSON.stringify(guard.state)));
    }
    console.log(`${name}: largest state ${largest} bytes over ${EVENTS} events`);
    expect(throws).toEqual([]);
    expect(largest).toBeLessThan(MAX_STATE);
  });

  it('stays under 256 KB when everything is as long and as many as it can be', () => {
    const guard = watched(preset);
    for (let i = 0; i < 60_000; i++) {
      const agent = i % 40 === 0 ? undefined : `${'agent '.repeat(40)}${i % 40}`;
      const tool = `${'tool '.repeat(40)}${i % 17}`;
      const id = `${'id '.repeat(40)}${i}`;
      const args = { path: `${i % 47}`, command: 'npm test' };
      guard.accept({ type: 'tool-call', id, tool, args, agent });
      if (i % 3 === 0)
        guard.accept({ type: 'tool-result', id, tool, args, agent, output: '3 failed', status: 'error' });
      if (i % 50 === 0) guard.accept({ type: 'turn', agent });
    }
    const length = Buffer.byteLength(JSON.stringify(guard.state));
    console.log(`${name}: state at its fullest ${length} bytes`);
    expect(throws).toEqual([]);
    expect(length).toBeLessThan(MAX_STATE);
  });

  it('stays under 256 KB when 32 agents do all there is to do', () => {
    const guard = watched(preset);
    let largest = 0;
    for (let i = 0; i < 40_000; i++) {
      for (const one of busy(i)) guard.accept(one);
      if (i % 500 === 0) largest = Math.max(largest, Buffer.byteLength(JSON.stringify(guard.state)));
    }
    console.log(`${name}: state of 32 busy agents ${largest} bytes`);
    expect(throws).toEqual([]);
    expect(largest).toBeLessThan(MAX_STATE);
  });

  it('takes 100,000 random and malformed events', () => {
    const guard = watched(preset);
    for (const one of fc.sample(fc.oneof(event, rubbish), { numRuns: 100_000, seed: 2 })) {
      guard.accept(one as AgentEvent);
    }
    expect(Buffer.byteLength(JSON.stringify(guard.state))).toBeLessThan(MAX_STATE);
  });
});

describe('digests', () => {
  it('of ten million different calls are all different', () => {
    const count = 10_000_000;
    const seen = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const args =
        i % 2 === 0
          ? { command: `ls -la /src/${i}` }
          : { file_path: `/src/${i % 1000}.ts`, offset: i, limit: 100 };
      seen[i] = digestCall(i % 3 === 0 ? 'bash' : 'read_file', args, fastDigestText);
    }
    seen.sort();
    let collisions = 0;
    for (let i = 1; i < count; i++) if (seen[i] === seen[i - 1]) collisions += 1;
    expect(collisions).toBe(0);
  });
});

const TOOLS = ['Read', 'Edit', 'Bash', 'BashOutput', 'WebFetch', 'mcp__x__scroll', 'tool '.repeat(40)];

/** Turns, streamed text, edits, pages and failures of 32 agents with long names; every fifth call never ends. */
function busy(i: number): readonly AgentEvent[] {
  const worker = (i >> 4) % 32;
  const agent = worker === 0 ? undefined : `${'agent '.repeat(40)}${worker}`;
  const tool = TOOLS[(i * 31) % TOOLS.length] as string;
  const id = `${'id '.repeat(40)}${i}`;
  const args = { path: `${i % 977}`, command: `npm test ${i % 301}`, text: `${i}` };
  const page = Array.from({ length: 50 }, (_, line) => `line ${i * 50 + line} of it, as read`).join('\n');
  const result =
    i % 4 === 0
      ? ({ status: 'error', output: `error: part ${i % 13} is not there` } as const)
      : ({ status: 'ok', output: page } as const);
  const at = 1_000_000_000_000 + i * 1000;
  return [
    ...(i % 3 === 0 ? [{ type: 'turn', agent, text: words(i), reasoning: words(i + 1) } as const] : []),
    { type: 'text-delta', channel: i % 2 === 0 ? 'content' : 'reasoning', text: words(i + 3), agent },
    { type: 'tool-call', id, tool, args, agent, at },
    ...(i % 5 === 0
      ? []
      : [{ type: 'tool-result', id, tool, args, agent, at: at + 500, ...result } as const]),
  ];
}

function words(seed: number): string {
  return Array.from({ length: 60 }, (_, word) => `word${(seed * 7919 + word * 104_729) % 100_003}`).join(' ');
}

/** Mostly as generated, sometimes with a name that was never there before. */
function varied(one: AgentEvent, index: number): AgentEvent {
  if (one.type !== 'tool-call' || index % 5 !== 0) return one;
  return {
    ...one,
    id: `call ${index}`,
    args: { path: `file ${index % 200}` },
    agent: index % 3 === 0 ? `agent ${index % 40}` : one.agent,
  };
}
