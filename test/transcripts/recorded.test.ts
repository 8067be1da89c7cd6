import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/core/types.ts';
import { readFixture } from './read.ts';

// Sessions of real agents whose model followed a script. What it said and what it was sent back, as it saw it itself,
// is what the recordings must hold: scripts/record-agents.mjs writes both.

type Figures = { readonly [name: string]: number };

const ROOT = new URL('./fixtures/recorded/', import.meta.url);

describe.each(readdirSync(ROOT))('recordings of %s', (agent) => {
  const text = readFileSync(new URL(`${agent}/expected.json`, ROOT), 'utf8');
  const expected = JSON.parse(text) as { readonly [file: string]: Figures };
  const files = readdirSync(new URL(`${agent}/`, ROOT)).filter((file) => file !== 'expected.json');

  it('are all told of, and no other', () => {
    expect(Object.keys(expected).sort()).toEqual(files.sort());
  });

  it.each(files)('%s holds what happened', (file) => {
    const { events, problems, facts } = readFixture(`recorded/${agent}/${file}`);
    expect(problems).toEqual([]);
    expect(facts.usage).toBeUndefined();
    expect(figuresOf(events)).toEqual(expected[file]);
  });
});

function figuresOf(events: readonly AgentEvent[]): Figures {
  const turns = events.filter((event) => event.type === 'turn');
  const results = events.filter((event) => event.type === 'tool-result');
  const sum = (name: 'input' | 'output' | 'cachedInput') =>
    turns.reduce((total, { usage }) => total + (usage?.[name] ?? 0), 0);
  return {
    calls: events.filter(({ type }) => type === 'tool-call').length,
    results: results.length,
    failures: results.filter(({ status }) => status !== 'ok' && status !== 'unknown').length,
    turns: turns.length,
    input: sum('input'),
    output: sum('output'),
    cachedInput: sum('cachedInput'),
  };
}
