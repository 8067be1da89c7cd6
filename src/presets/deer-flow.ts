import { definePreset, type Preset } from '../core/preset.ts';
import { callWindow } from '../detectors/call-window.ts';
import { roundRepeat } from '../detectors/round-repeat.ts';

/** deer-flow: one warning at the third same set of calls among twenty, a stop at the fifth; the same for a tool used very often. */
export const deerFlow: Preset = definePreset([callWindow, roundRepeat], {
  name: 'deer-flow',
  about:
    'The same set of calls among the last 20 rounds: a nudge once at 3, a halt at 5. One tool among the last 50 calls: a nudge at 30, a halt at 50.',
  // Its memory is that of a run.
  userBoundary: 'clear',
  // A set of calls is warned of once.
  strikes: 'subject',
  detectors: {
    'round-repeat': {
      kind: 'round-repeat',
      match: 'salient',
      outcomes: 'ignored',
      order: 'free', // a set has no order
      window: 20, // window_size
    },
    'tool-frequency': { kind: 'call-window', match: 'tool', window: 50 }, // as long as the hard limit
  },
  ladder: [
    {
      on: 'round-repeat',
      at: 5, // hard_limit
      action: 'halt',
      level: 'critical',
      hint: 'last-turn',
      message:
        'Stopped: the same calls were made in {count} of the last {rounds} rounds. Give the final answer from what has been found, and say what is missing.',
    },
    {
      on: 'round-repeat',
      at: 3, // warn_threshold
      below: 1,
      action: 'nudge',
      level: 'warning',
      message:
        'The same calls were made in {count} of the last {rounds} rounds. Finish with what you have; if the task cannot be completed, sum up what was done.',
    },
    {
      on: 'tool-frequency',
      at: 50, // tool_freq_hard_limit
      action: 'halt',
      level: 'critical',
      hint: 'last-turn',
      message:
        'Stopped: {tool} was called {count} times lately. Give the final answer from what has been found, and say what is missing.',
    },
    {
      on: 'tool-frequency',
      at: 30, // tool_freq_warn
      exactly: true,
      where: { rising: true },
      action: 'nudge',
      level: 'warning',
      message:
        '{tool} was called {count} times lately and there is no answer yet. Finish with what you have; if the task cannot be completed, sum up what was done.',
    },
  ],
});
