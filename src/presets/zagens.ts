import { definePreset, type Preset } from '../core/preset.ts';
import type { Rung } from '../core/types.ts';
import { callCount } from '../detectors/call-count.ts';
import { failureStreak } from '../detectors/failure-streak.ts';

/** Tools whose success may have changed the workspace. A successful shell run therefore clears its own count, too. */
const WRITES_STATE = [
  'write_file',
  'edit_file',
  'apply_patch',
  'create_dirs',
  'exec_shell',
  'exec_shell_wait',
];

/** Shared with its sibling, DeepSeek-TUI. */
export const ZAGENS_LADDER: readonly Rung<'call-count' | 'failure-streak'>[] = [
  {
    on: 'failure-streak',
    at: 8, // FAILURE_HALT_THRESHOLD
    action: 'halt',
    level: 'critical',
    message:
      'Stopped: {tool} has failed {count} times in a row. Report what was tried and what the errors said.',
  },
  {
    on: 'call-count',
    at: 3, // IDENTICAL_CALL_BLOCK_THRESHOLD, counted at the attempt, blocked ones included
    action: 'block',
    level: 'warning',
    message:
      'Not run: this is attempt number {count} at the same call of {tool} in this turn. Work with the results you have, or take another way.',
  },
  {
    on: 'failure-streak',
    at: 3, // FAILURE_WARN_THRESHOLD
    exactly: true,
    action: 'nudge',
    level: 'warning',
    message:
      '{tool} has failed {count} times in a row. Read the errors and find out why before you try it again.',
  },
];

/** zagens: blocks the third identical attempt of a turn, warns at three failures of a tool in a row, halts at eight. */
export const zagens: Preset = definePreset([callCount, failureStreak], {
  name: 'zagens',
  about:
    'Blocks the third identical attempt in a turn; warns at 3 and halts at 8 consecutive failures of one tool.',
  // A new guard for each turn.
  userBoundary: 'clear',
  detectors: {
    'call-count': { kind: 'call-count', clearedBy: WRITES_STATE, stateChange: 'clears' },
    'failure-streak': { kind: 'failure-streak', grant: 'forgives' },
  },
  ladder: ZAGENS_LADDER,
});
