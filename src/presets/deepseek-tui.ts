import { definePreset, type Preset } from '../core/preset.ts';
import { callCount } from '../detectors/call-count.ts';
import { failureStreak } from '../detectors/failure-streak.ts';
import { ZAGENS_LADDER } from './zagens.ts';

/** DeepSeek-TUI: zagens without its two resets, and a blocked call is a failure, so that blocks lead to the halt. */
export const deepseekTui: Preset = definePreset([callCount, failureStreak], {
  name: 'deepseek-tui',
  about: 'As zagens, but nothing resets the counts within a turn, and a blocked call counts as a failure.',
  userBoundary: 'clear',
  detectors: {
    'call-count': { kind: 'call-count', clearedBy: [], stateChange: 'ignored' },
    'failure-streak': {
      kind: 'failure-streak',
      failures: ['error', 'invalid', 'unknown-tool', 'blocked'],
      grant: 'ignored',
    },
  },
  ladder: ZAGENS_LADDER,
});
