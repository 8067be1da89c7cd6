import { definePreset, type Preset } from '../core/preset.ts';
import { callStreak } from '../detectors/call-streak.ts';

/** opencode: a person is asked at the third identical call side by side in one model response. */
export const opencode: Preset = definePreset([callStreak], {
  name: 'opencode',
  about: 'Asks at the third identical call in a row within one model response.',
  userBoundary: 'clear',
  detectors: {
    // It compares the parts of one message, by JSON.stringify of the input.
    'call-streak': { kind: 'call-streak', match: 'raw', within: 'round' },
  },
  ladder: [
    {
      on: 'call-streak',
      at: 3, // DOOM_LOOP_THRESHOLD
      action: 'ask',
      level: 'warning',
      message:
        'The agent has called {tool} {count} times in a row with the same input. Let it run, or stop here?',
    },
  ],
});
