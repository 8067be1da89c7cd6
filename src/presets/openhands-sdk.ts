import { definePreset, type Preset } from '../core/preset.ts';
import { callCycle } from '../detectors/call-cycle.ts';
import { textStreak } from '../detectors/text-streak.ts';

/** Tools that run a command. */
const COMMANDS = ['terminal', 'execute_bash', 'bash'];

/** The OpenHands SDK: one word at the third failure of one call, and a stop wherever the agent is stuck. */
export const openhandsSdk: Preset = definePreset([callCycle, textStreak], {
  name: 'openhands-sdk',
  about:
    'Stops at four equal steps in a row, at four failures of one call (nudging at three), at three laps of two steps, and at three messages in a row.',
  // Only what came after the last user message counts.
  userBoundary: 'clear',
  detectors: {
    // The thought is part of the action, so other words make another action.
    'same-steps': { kind: 'call-cycle', shortest: 1, longest: 2, outcomes: 'same', thoughts: 'compared' },
    'same-failures': {
      kind: 'call-cycle',
      shortest: 1,
      longest: 1,
      outcomes: 'same',
      statusOnly: ['*'], // errors are equal whatever they say
      passes: COMMANDS, // one that fails has still been observed, so it is a step like any other
      thoughts: 'compared',
    },
    monologue: { kind: 'text-streak', counts: 'text-only' },
  },
  ladder: [
    {
      on: 'same-steps',
      at: 4, // action_observation
      where: { period: 1 },
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: the same call of {tool} was made {count} times in a row and ended the same way each time.',
    },
    {
      on: 'same-failures',
      at: 4, // one more than action_error
      where: { failed: true },
      action: 'halt',
      level: 'critical',
      message: 'Stopped: the same call of {tool} has failed {count} times in a row.',
    },
    {
      on: 'same-failures',
      at: 3, // action_error
      exactly: true,
      where: { failed: true },
      action: 'nudge',
      level: 'warning',
      message:
        'The same call of {tool} has failed {count} times in a row. Read the error, find its cause, and take another way.',
    },
    {
      on: 'monologue',
      at: 3, // monologue
      action: 'halt',
      level: 'critical',
      message: 'Stopped: {count} messages in a row without any action.',
    },
    {
      on: 'same-steps',
      at: 3, // alternating_pattern: 6 steps are three laps of two
      where: { period: 2 },
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: the last {calls} calls went to and fro between two, and ended the same way each time.',
    },
  ],
});
