import { definePreset, type Preset } from '../core/preset.ts';
import { callStreak } from '../detectors/call-streak.ts';
import { failedRounds } from '../detectors/failed-rounds.ts';

/** Roo Code: holds the fourth identical call in a row, and the third mistake, until a person has answered. */
export const rooCode: Preset = definePreset([callStreak, failedRounds], {
  name: 'roo-code',
  about: 'Asks the user at the fourth identical call in a row, and after three mistakes in a row.',
  // A message of the user does not touch its counters; an answer to a question does.
  userBoundary: 'keep',
  detectors: {
    'call-streak': { kind: 'call-streak', match: 'exact' },
    // Roo's tools call wrong parameters a mistake, not a command that fails.
    mistakes: { kind: 'failed-rounds', failures: ['invalid', 'unknown-tool'], textsFrom: 2 },
  },
  ladder: [
    {
      on: 'call-streak',
      at: 4, // consecutiveMistakeLimit = 3 repetitions of a first call
      action: 'ask',
      level: 'warning',
      forget: true, // both counters start anew with the question
      message:
        'The agent wants to make the same call of {tool} once more: that would be {count} times in a row. Should it go on, or do you have advice for it?',
    },
    {
      on: 'mistakes',
      at: 3, // consecutiveMistakeLimit
      action: 'ask',
      level: 'warning',
      forget: true,
      message:
        'The agent has made {count} mistakes in a row: calls that could not be run, or answers without any call. Should it go on, or do you have advice for it?',
    },
  ],
});
