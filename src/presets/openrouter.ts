import { definePreset, type Preset } from '../core/preset.ts';
import { roundStreak } from '../detectors/round-streak.ts';
import { tailRepeat } from '../detectors/tail-repeat.ts';
import { textStreak } from '../detectors/text-streak.ts';

/** OpenRouter's agent SDK: a call made again round after round is observed, then blocked, then the run stops; so do texts. */
export const openrouter: Preset = definePreset([roundStreak, tailRepeat, textStreak], {
  name: 'openrouter',
  about:
    'The same call in consecutive rounds of its tool: observed at 2, blocked at 3, halted at 6. Repeated text halts at 6.',
  // A streak is about rounds: duplicates within one count once and share the answer.
  duplicates: 'once',
  // Streaks outlive a user message.
  userBoundary: 'keep',
  detectors: {
    'round-streak': { kind: 'round-streak' },
    'tail-repeat': {
      kind: 'tail-repeat',
      longest: 16, // maxPeriodTokens
      repeats: 4, // minRepeats
      words: 12, // minCoveredTokens
      window: 400, // maxWindowTokens
    },
    'text-streak': { kind: 'text-streak', counts: 'same-text' },
  },
  ladder: [
    {
      on: 'round-streak',
      at: 6, // stop
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: the same call of {tool} came in {count} rounds in a row, refusals included. Report what was tried and what is missing.',
    },
    {
      on: 'round-streak',
      at: 3, // block
      action: 'block',
      level: 'warning',
      message:
        'Not run: the same call of {tool} comes in the {count} latest rounds that used it. Its result is known: work with it, or say what keeps you from going on.',
    },
    {
      on: 'round-streak',
      at: 2, // observe
      action: 'observe',
      level: 'info',
      message: 'The same call of {tool} came in {count} rounds in a row.',
    },
    {
      on: 'tail-repeat',
      at: 6, // stop
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: a block of {words} word(s) was said {count} times in a row at the end of the response.',
    },
    {
      on: 'tail-repeat',
      at: 4, // observe is 2, but fewer than minRepeats are not seen
      action: 'observe',
      level: 'info',
      message: 'A block of {words} word(s) was said {count} times in a row at the end of the response.',
    },
    {
      on: 'text-streak',
      at: 6, // stop
      action: 'halt',
      level: 'critical',
      message: 'Stopped: {count} responses in a row said the same.',
    },
    {
      on: 'text-streak',
      at: 2, // observe
      action: 'observe',
      level: 'info',
      message: '{count} responses in a row said the same.',
    },
  ],
});
