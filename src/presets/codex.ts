import { definePreset, type Preset } from '../core/preset.ts';
import { refusals } from '../detectors/refusals.ts';

/** Codex CLI: its guardian interrupts a turn once, at three denials in a row or ten among the last fifty reviews. */
export const codex: Preset = definePreset([refusals], {
  name: 'codex',
  about: 'Halts once a turn, at 3 denied calls in a row or 10 among the last 50.',
  // Denials are counted per turn, and a turn is interrupted once.
  userBoundary: 'clear',
  strikes: 'turn',
  detectors: {
    denials: { kind: 'refusals', statuses: ['denied'], counts: 'window', window: 50 }, // reviews looked at
  },
  ladder: [
    {
      on: 'denials',
      at: 3,
      where: { row: 3 }, // consecutive denials
      below: 1,
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: {row} calls in a row were denied, the last one to {tool}. Tell the user what you need the permission for, and wait for the answer.',
    },
    {
      on: 'denials',
      at: 10, // denials among the last 50 reviews
      below: 1,
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: {count} of the latest calls were denied, the last one to {tool}. Tell the user what you need the permission for, and wait for the answer.',
    },
  ],
});
