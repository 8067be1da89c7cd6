import { definePreset, type Preset } from '../core/preset.ts';
import { callCycle } from '../detectors/call-cycle.ts';
import { compactions } from '../detectors/compactions.ts';
import { textStreak } from '../detectors/text-streak.ts';

/** Tools that run a command. */
const COMMANDS = ['execute_bash', 'bash'];

/** OpenHands before its SDK: five ways to be stuck, each of which hands over to the user. */
export const openhands: Preset = definePreset([callCycle, compactions, textStreak], {
  name: 'openhands',
  about:
    'Asks at four equal steps in a row, at three failures of one call, at three laps of two steps, at three equal messages, and at ten compactions without work.',
  // In an interactive session only what came after the last user message counts.
  userBoundary: 'clear',
  detectors: {
    'same-steps': {
      kind: 'call-cycle',
      shortest: 1,
      longest: 2,
      outcomes: 'same',
      statusOnly: COMMANDS, // equal by command and exit code, whatever they print
    },
    'same-failures': {
      kind: 'call-cycle',
      shortest: 1,
      longest: 1,
      outcomes: 'same',
      statusOnly: ['*'], // errors are equal whatever they say
      passes: COMMANDS, // one that fails has still been observed, so it is a step like any other
    },
    monologue: { kind: 'text-streak', counts: 'same-text-only' },
    compactions: { kind: 'compactions', window: 10 },
  },
  ladder: [
    {
      on: 'same-steps',
      at: 4, // repeating action and observation: the last 4
      where: { period: 1 },
      action: 'ask',
      level: 'critical',
      message:
        'The agent has made the same call of {tool} {count} times in a row, and it ended the same way each time. Should it start again from before the loop, start again from your last message, or stop?',
    },
    {
      on: 'same-failures',
      at: 3, // repeating action and error: the last 3
      where: { failed: true },
      action: 'ask',
      level: 'critical',
      message:
        'The same call of {tool} has failed {count} times in a row. Should the agent start again from before the loop, start again from your last message, or stop?',
    },
    {
      on: 'monologue',
      at: 3, // the last 3 messages of the agent
      action: 'ask',
      level: 'critical',
      message:
        'The agent has said the same {count} times in a row and done nothing in between. Should it start again from your last message, or stop?',
    },
    {
      on: 'same-steps',
      at: 3, // repeating pattern: the last 6 steps are three laps of two
      where: { period: 2 },
      action: 'ask',
      level: 'critical',
      message:
        'The agent goes to and fro between two calls that end the same way each time, for {calls} calls by now. Should it start again from before the loop, start again from your last message, or stop?',
    },
    {
      on: 'compactions',
      at: 10, // the last 10 condensations
      where: { idle: true },
      action: 'ask',
      level: 'critical',
      message:
        'The context was compacted {count} times, and between two of these times nothing was done: it may be too small for the task. Should the agent stop?',
    },
  ],
});
