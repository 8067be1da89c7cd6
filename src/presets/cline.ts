import { definePreset, type Preset } from '../core/preset.ts';
import { callStreak } from '../detectors/call-streak.ts';
import { failedRounds } from '../detectors/failed-rounds.ts';

/** Cline: a word at the third identical call in a row, the user from the fifth on, and after six turns of failures alone. */
export const cline: Preset = definePreset([callStreak, failedRounds], {
  name: 'cline',
  about:
    'Nudges at the third identical call in a row; asks from the fifth on, and after six turns in which everything failed.',
  // Each run starts with new trackers.
  userBoundary: 'clear',
  detectors: {
    'call-streak': { kind: 'call-streak', match: 'exact' },
    mistakes: { kind: 'failed-rounds' },
  },
  ladder: [
    {
      on: 'call-streak',
      at: 5, // the hard threshold of loopDetection
      action: 'ask',
      level: 'critical',
      message:
        'The agent has made the same call of {tool} {count} times in a row. Should it stop, or go on with advice from you?',
    },
    {
      on: 'mistakes',
      at: 6, // maxConsecutiveMistakes
      action: 'ask',
      level: 'critical',
      message:
        'For {count} turns in a row every call of the agent has failed. Should it stop, or go on with advice from you?',
    },
    {
      on: 'call-streak',
      at: 3, // the soft threshold of loopDetection
      exactly: true,
      action: 'nudge',
      level: 'warning',
      message:
        'The same call of {tool} was made {count} times in a row. Say what you hoped to learn from it, and take another way to it.',
    },
  ],
});
