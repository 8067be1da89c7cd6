import { definePreset, type Preset } from '../core/preset.ts';
import { roundRepeat } from '../detectors/round-repeat.ts';

/** Crush: stops when one step, its calls and their results, makes up more than half of the last ten. */
export const crush: Preset = definePreset([roundRepeat], {
  name: 'crush',
  about: 'Stops when the same step, calls and results, came six times among the last ten.',
  // It looks at the steps of the current run only.
  userBoundary: 'clear',
  detectors: {
    'round-repeat': {
      kind: 'round-repeat',
      match: 'raw', // its signature is made of the input as sent
      outcomes: 'same', // and of the output
      order: 'kept',
      window: 10, // loopDetectionWindowSize
      judged: 'full-window', // fewer steps are never a loop
    },
  },
  ladder: [
    {
      on: 'round-repeat',
      at: 6, // more than loopDetectionMaxRepeats = 5
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: the same calls with the same results made up {count} of the last {rounds} steps. Report what was tried and what is missing.',
    },
  ],
});
