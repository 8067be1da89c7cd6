import { definePreset, type Preset } from '../core/preset.ts';
import { callStreak } from '../detectors/call-streak.ts';

/** Kimi: three reminders of growing weight at the third, fifth and eighth identical call in a row, a stop at the twelfth. */
export const kimi: Preset = definePreset([callStreak], {
  name: 'kimi',
  about: 'Reminds at the third, fifth and eighth identical call in a row, stops at the twelfth.',
  // The same call twice in one step runs once and shares its result.
  duplicates: 'once',
  // A streak ends with its turn.
  userBoundary: 'clear',
  detectors: {
    'call-streak': { kind: 'call-streak', match: 'exact' },
  },
  ladder: [
    {
      on: 'call-streak',
      at: 12, // the turn is stopped: tool_call_repeat
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: {tool} was called {count} times in a row with the same arguments, after several reminders.',
    },
    {
      on: 'call-streak',
      at: 8, // third reminder
      action: 'nudge',
      level: 'critical',
      message:
        '{tool} was called {count} times in a row with the same arguments. Call no more tools. Write a short report: what is done, what is known, what stands in the way.',
    },
    {
      on: 'call-streak',
      at: 5, // second reminder
      action: 'nudge',
      level: 'warning',
      message:
        '{tool} was called {count} times in a row with the same arguments, and its result is known. Before the next call, write one sentence on what new knowledge it is to bring.',
    },
    {
      on: 'call-streak',
      at: 3, // first reminder
      action: 'nudge',
      level: 'info',
      message:
        '{tool} was called {count} times in a row with the same arguments. Use the result that you already have for the next step.',
    },
    {
      on: 'call-streak',
      at: 2, // telemetry counts from the first repetition on
      action: 'observe',
      message: '{tool} was called again with the same arguments.',
    },
  ],
});
