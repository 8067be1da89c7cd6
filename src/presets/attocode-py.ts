import { definePreset, type Preset } from '../core/preset.ts';
import { callWindow } from '../detectors/call-window.ts';
import { exploration } from '../detectors/exploration.ts';
import { swarmRepeat } from '../detectors/swarm-repeat.ts';

/** attocode in Python: a nudge at the third identical call among twenty, a block at the fourth of the shell and the sixth of any tool. */
export const attocodePy: Preset = definePreset([callWindow, exploration, swarmRepeat], {
  name: 'attocode-py',
  about:
    'Identical calls among the last twenty: a nudge at 3, a block at 4 (bash) or 6. Nudges swarms on one call and endless reading.',
  // Its counters live as long as the agent.
  userBoundary: 'keep',
  detectors: {
    'call-window': { kind: 'call-window', match: 'exact', window: 20 }, // _window_size
    'swarm-repeat': { kind: 'swarm-repeat', minWorkers: 2 },
    exploration: { kind: 'exploration', readTools: ['read_file'], editTools: ['write_file', 'edit_file'] },
  },
  ladder: [
    {
      on: 'call-window',
      at: 6, // five are in the window already
      action: 'block',
      level: 'critical',
      message:
        'Not run: this is attempt {count} at the same call of {tool} among the latest calls. Use the results you have, or say what keeps you from going on.',
    },
    {
      on: 'call-window',
      at: 4, // threshold 3 is in the window already; its executor asks this of bash only
      where: { tool: 'bash' },
      action: 'block',
      level: 'warning',
      message:
        'Not run: this is attempt {count} at the same command. Read its output again, then decide on another step.',
    },
    {
      on: 'call-window',
      at: 3, // threshold
      action: 'nudge',
      level: 'warning',
      message:
        '{tool} has been called {count} times with the same arguments. Say what you hoped to learn, and take another way to it.',
    },
    {
      on: 'swarm-repeat',
      at: 10, // global_doom_threshold
      action: 'nudge',
      level: 'critical',
      message:
        '{workers} workers have made the same call to {tool} {count} times between them. Choose another strategy, or ask whether the goal itself is right.',
    },
    {
      on: 'exploration',
      at: 10, // exploration_nudge_threshold
      where: { why: 'files' },
      action: 'nudge',
      level: 'info',
      message:
        '{count} files have been read and none was changed. Start with the first edit, or ask for what is still unclear.',
    },
  ],
});
