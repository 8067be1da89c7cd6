import { definePreset, type Preset } from '../core/preset.ts';
import { callStreak } from '../detectors/call-streak.ts';
import { iterationCap } from '../detectors/iteration-cap.ts';

/** crewAI: a call that equals the one before it is answered without running; after 25 iterations one last answer is due. */
export const crewai: Preset = definePreset([callStreak, iterationCap], {
  name: 'crewai',
  about: 'Refuses a call that equals the one before it. After 25 iterations only a final answer is left.',
  // Each task begins with a memory of its own.
  userBoundary: 'clear',
  detectors: {
    'call-streak': { kind: 'call-streak', match: 'exact' },
    'iteration-cap': { kind: 'iteration-cap' },
  },
  ladder: [
    {
      on: 'call-streak',
      at: 2, // equal to the last used tool
      action: 'block',
      level: 'warning',
      hint: 'stub',
      message:
        'Not run again: {tool} was just called with this input, and its result stands above. Use that result, or go on to the next step.',
    },
    {
      on: 'iteration-cap',
      at: 25, // max_iter
      action: 'halt',
      level: 'critical',
      hint: 'last-turn',
      message:
        'All {used} iterations are used up. Give your best final answer now, from what you know, without another tool.',
    },
  ],
});
