import { definePreset, type Preset } from '../core/preset.ts';
import { outcomeRepeat } from '../detectors/outcome-repeat.ts';

/** atomcode: blocks the third call that has twice ended the same way, and the sixth whatever came of it. */
export const atomcode: Preset = definePreset([outcomeRepeat], {
  name: 'atomcode',
  about: 'Blocks the third call with the same outcome, the sixth with any.',
  // The agent clears the window at each user message.
  userBoundary: 'clear',
  detectors: {
    'outcome-repeat': {
      kind: 'outcome-repeat',
      window: 32, // WINDOW
      clearedBy: ['edit_file', 'write_file', 'create_file', 'search_replace'], // STATE_CHANGING
    },
  },
  ladder: [
    {
      on: 'outcome-repeat',
      at: 6, // HARD_THRESHOLD
      action: 'block',
      level: 'critical',
      message:
        'Not run: call {count} of {tool} with the same arguments; the output varies. Make a change, or ask the user.',
    },
    {
      on: 'outcome-repeat',
      at: 3, // THRESHOLD
      where: { same: true },
      action: 'block',
      level: 'warning',
      message: 'Not run: {tool} gave the same result each time. Use it, make a change, or ask the user.',
    },
  ],
});
