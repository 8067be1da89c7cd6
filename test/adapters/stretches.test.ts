import { describe, expect, it } from 'vitest';
import { createRun } from '../../src/adapters/create-run.ts';
import { joinedTo, restIn, type Stretch } from '../../src/adapters/stretches.ts';
import { createWatch } from '../../src/adapters/watch.ts';
import { definePreset } from '../../src/core/preset.ts';
import type { AgentEvent } from '../../src/core/types.ts';
import { thoughtStreak } from '../../src/detectors/thought-streak.ts';
import { createGuard } from '../../src/index.ts';

/** A run, and what its guard was told. */
function recorded(countsPieces = false) {
  const told: string[] = [];
  const run = createRun({
    countsPieces,
    now: () => 0,
    makeGuard() {
      const guard = createGuard();
      const accept = (event: AgentEvent) => {
        told.push(event.type === 'text-delta' ? `${event.channel} ${event.text.length}` : event.type);
        return guard.accept(event);
      };
      return Object.assign(Object.create(guard), { accept });
    },
  });
  return { run, told };
}

/** Streams of a run, as their pieces come. */
function streams() {
  const open = new Map();
  return {
    add: (channel: Stretch['channel'], text: string, agent: string) =>
      joinedTo(open, { channel, text }, agent),
    take: (agent: string) => restIn(open, agent),
  };
}

describe('stretches', () => {
  it('are as long as it takes to tell a loop, and not longer', () => {
    const stretches = streams();
    expect(stretches.add('content', 'x'.repeat(199), '')).toBeNull();
    expect(stretches.add('content', 'y', '')?.text).toBe(`${'x'.repeat(199)}y`);
    expect(stretches.take('')).toBeNull();
    expect(stretches.add('content', 'z'.repeat(200), '')?.text).toHaveLength(200);
  });

  it('are of one channel and of one agent', () => {
    const stretches = streams();
    expect(stretches.add('reasoning', 'why ', '')).toBeNull();
    expect(stretches.add('reasoning', 'else', 'scout')).toBeNull();
    expect(stretches.add('content', 'So.', '')).toEqual({ channel: 'reasoning', text: 'why ' });
    expect(stretches.take('')).toEqual({ channel: 'content', text: 'So.' });
    expect(stretches.take('scout')).toEqual({ channel: 'reasoning', text: 'else' });
  });

  it('come to the guard before whatever happens next', () => {
    const { run, told } = recorded();
    for (const word of ['I ', 'look ', 'there.']) expect(run.delta('content', word)).toBe(true);
    run.turn({ text: 'I look there.' });
    run.delta('content', 'And');
    run.before({ tool: 'look', args: {} });
    run.delta('reasoning', 'so');
    run.after({ tool: 'look', args: {} }, { output: '' });
    expect(told).toEqual(['content 13', 'turn', 'content 3', 'tool-call', 'reasoning 2', 'tool-result']);
  });

  it('stay pieces where a detector counts them', () => {
    const { run, told } = recorded(true);
    for (const word of ['I ', 'look ']) run.delta('reasoning', word);
    expect(told).toEqual(['reasoning 2', 'reasoning 5']);
    const heard: string[] = [];
    const watch = createWatch({
      preset: 'qwen-code',
      onDecision: ({ finding }) => heard.push(finding.detector),
    });
    for (let n = 1; n <= 3; n++) watch.run().delta('reasoning', 'I look again.');
    expect(heard).toEqual(['thought-streak']);
  });

  it('stay pieces where a preset brings detectors of its own', () => {
    const preset = definePreset([{ ...thoughtStreak, kind: 'own' }], {
      name: 'mine',
      about: '',
      detectors: { own: { kind: 'own' } },
      ladder: [{ on: 'own', at: 3, action: 'nudge', message: 'Again.' }],
    } as never);
    const run = createWatch({ preset }).start();
    for (let n = 1; n <= 3; n++) run.delta('reasoning', 'I look again.');
    expect(run.takeNudge()?.text).toBe('Again.');
  });

  it('do not let a stream in circles go on for long', () => {
    const { run } = recorded();
    let said = 0;
    while (run.delta('content', 'I should look again. ')) said += 1;
    expect(said).toBeLessThan(40);
  });
});
