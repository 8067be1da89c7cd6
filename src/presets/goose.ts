import { definePreset, type Preset } from '../core/preset.ts';
import { callStreak } from '../detectors/call-streak.ts';
import { iterationCap } from '../detectors/iteration-cap.ts';

/** goose: refuses an identical call in a row beyond a maximum; a person is asked after 1,000 turns. */
export const goose: Preset = definePreset([callStreak, iterationCap], {
  name: 'goose',
  about: 'Blocks the third identical call in a row. Asks the user after 1,000 turns.',
  // Its inspector is never told of a user message.
  userBoundary: 'keep',
  detectors: {
    'call-streak': { kind: 'call-streak', match: 'exact' },
    'iteration-cap': { kind: 'iteration-cap' },
  },
  ladder: [
    {
      on: 'call-streak',
      at: 3, // more than max_repetitions = 2, the value of its own test; goose itself ships without one
      action: 'block',
      level: 'warning',
      message:
        'Not run: {tool} was called {count} times in a row with the same arguments. Work with the result you have, or tell the user what is missing.',
    },
    {
      on: 'iteration-cap',
      at: 1000, // GOOSE_MAX_TURNS
      action: 'ask',
      level: 'warning',
      message: 'The agent has worked for {used} turns without a word from you. Shall it go on?',
    },
  ],
});
