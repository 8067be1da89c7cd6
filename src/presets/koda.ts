import { definePreset, type Preset } from '../core/preset.ts';
import { callStreak } from '../detectors/call-streak.ts';
import { iterationCap } from '../detectors/iteration-cap.ts';

/** koda: one piece of feedback at the fifth identical call in a row, then a hard stop; a person is asked at 200 iterations. */
export const koda: Preset = definePreset([callStreak, iterationCap], {
  name: 'koda',
  about:
    'Five identical calls in a row: feedback once, then a hard stop. Asks the user after 200 iterations.',
  // koda records a whole batch of calls and checks only what stands at its end.
  rounds: 'round',
  // Its detector lives as long as the session.
  userBoundary: 'keep',
  strikes: 'session',
  detectors: {
    // koda compares the first 200 bytes of the arguments as sent.
    'call-streak': { kind: 'call-streak', match: 'raw', prefixBytes: 200 },
    'iteration-cap': { kind: 'iteration-cap' },
  },
  ladder: [
    {
      on: 'call-streak',
      at: 5, // CONSECUTIVE_REPEAT_THRESHOLD
      strikes: 1,
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: {tool} was called {count} times in a row with the same arguments, and a first warning had no effect.',
    },
    {
      on: 'call-streak',
      at: 5,
      action: 'nudge',
      level: 'warning',
      forget: true,
      message:
        '{tool} was called {count} times in a row with the same arguments, and nothing new can come of it. Step back: say what you expected, what you got, and what you will do differently.',
    },
    {
      on: 'iteration-cap',
      at: 200, // MAX_ITERATIONS_DEFAULT
      action: 'ask',
      level: 'warning',
      message:
        'The agent has worked for {used} iterations. Its last tools were: {recent}. Stop here, or let it go on for 50 or 200 more?',
    },
  ],
});
