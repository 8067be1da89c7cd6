import picocolors from 'picocolors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRunCounter } from '../../src/cli/side-by-side/run-counter.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

const ERASE = '\r\u001B[K';

function terminalOf(watched: boolean): { readonly terminal: Terminal; readonly shown: string[] } {
  const shown: string[] = [];
  const colors = picocolors.createColors(false);
  const terminal: Terminal = {
    out: async () => {},
    err: (text) => shown.push(text),
    outColors: colors,
    errColors: colors,
    width: 80,
    watched,
  };
  return { terminal, shown };
}

describe('the counter of runs', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is silent for a second, then speaks four times a second at most', () => {
    const { terminal, shown } = terminalOf(true);
    const counter = createRunCounter(terminal, 40);
    for (const passed of [0, 999, 1, 1, 248, 1]) {
      vi.advanceTimersByTime(passed);
      counter.step();
    }
    expect(shown).toEqual([`${ERASE}3 of 40 runs (7 %)`, `${ERASE}6 of 40 runs (15 %)`]);
    counter.clear();
    counter.clear();
    expect(shown.at(-1)).toBe(ERASE);
    expect(shown).toHaveLength(3);
  });

  it('makes way for what is said to people', () => {
    const { terminal, shown } = terminalOf(true);
    const counter = createRunCounter(terminal, 2);
    counter.terminal.err('first\n');
    vi.advanceTimersByTime(1000);
    counter.step();
    counter.terminal.err('second\n');
    expect(shown).toEqual(['first\n', `${ERASE}1 of 2 runs (50 %)`, ERASE, 'second\n']);
  });

  it('says nothing when nobody watches', () => {
    const { terminal, shown } = terminalOf(false);
    const counter = createRunCounter(terminal, 1);
    vi.advanceTimersByTime(5000);
    counter.step();
    counter.clear();
    expect(shown).toEqual([]);
  });
});
