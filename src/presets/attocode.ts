import { definePreset, type Preset } from '../core/preset.ts';
import { callStreak } from '../detectors/call-streak.ts';
import { exploration } from '../detectors/exploration.ts';
import { failureStreak } from '../detectors/failure-streak.ts';
import { idleRounds } from '../detectors/idle-rounds.ts';
import { similarStreak } from '../detectors/similar-streak.ts';
import { swarmRepeat } from '../detectors/swarm-repeat.ts';
import { testFailures } from '../detectors/test-failures.ts';
import { textStreak } from '../detectors/text-streak.ts';

const SOFT =
  '{tool} has been called {count} times with the same arguments. Try another approach or another tool; if something stands in the way, say what; if the task is done, say so.';
const FIRM =
  'Warning: {tool} has been called {count} times with the same arguments, and the result will not change. Choose a different approach now, or explain what blocks you.';
const HARD =
  'Critical: {tool} has been called {count} times with the same arguments. This is a loop. Stop calling {tool}, say what you are stuck on, and take a completely different way.';

/** attocode: nudges only, in three levels, one an iteration, the most telling first. */
export const attocode: Preset = definePreset(
  [callStreak, exploration, failureStreak, idleRounds, similarStreak, swarmRepeat, testFailures, textStreak],
  {
    name: 'attocode',
    about:
      'Escalating nudges for repeated and similar calls, swarms on one call, endless reading, red tests, failing shells and text-only turns.',
    // Its budget check runs once an iteration and the first rule that matches speaks.
    answers: 'first',
    userBoundary: 'clear',
    detectors: {
      'idle-rounds': { kind: 'idle-rounds' },
      // It keeps the last ten calls, so no run counts further than ten.
      'call-streak': { kind: 'call-streak', match: 'exact', window: 10 },
      'similar-streak': { kind: 'similar-streak', window: 10 },
      'swarm-repeat': { kind: 'swarm-repeat', minWorkers: 2 },
      exploration: {
        kind: 'exploration',
        readTools: ['read_file', 'read'],
        editTools: ['write_file', 'edit_file', 'write', 'edit'],
        staleRounds: 15,
      },
      'test-failures': { kind: 'test-failures', tools: ['bash'] },
      'shell-failures': { kind: 'failure-streak', tools: ['bash'], grant: 'ignored' },
      'text-streak': { kind: 'text-streak' },
    },
    ladder: [
      {
        on: 'idle-rounds',
        at: 20,
        action: 'nudge',
        level: 'critical',
        message:
          '{count} iterations have passed without one tool call. Answer in plain text now: what you know, what is missing, and why no tool was used.',
      },
      {
        on: 'idle-rounds',
        at: 10,
        action: 'nudge',
        level: 'warning',
        message:
          '{count} iterations have passed without one tool call. Start on the task with the tools you have.',
      },
      // doomLoopThreshold 3; the texts sharpen at 4 and at 6.
      { on: 'call-streak', at: 6, action: 'nudge', level: 'critical', message: HARD },
      { on: 'call-streak', at: 4, action: 'nudge', level: 'warning', message: FIRM },
      { on: 'call-streak', at: 3, action: 'nudge', level: 'info', message: SOFT },
      // doomLoopFuzzyThreshold = doomLoopThreshold + 1
      { on: 'similar-streak', at: 6, action: 'nudge', level: 'critical', message: HARD },
      { on: 'similar-streak', at: 4, action: 'nudge', level: 'warning', message: FIRM },
      {
        on: 'swarm-repeat',
        at: 10, // its shared state declares a global loop at 10 calls
        action: 'nudge',
        level: 'critical',
        message:
          '{workers} workers have made the same call to {tool} {count} times between them. The whole swarm is stuck on this way: choose another strategy, or ask whether the goal itself is right.',
      },
      {
        on: 'exploration',
        at: 10, // unique files read without an edit
        action: 'nudge',
        level: 'info',
        message:
          'There has been a lot of looking around ({count} {why}) and no change yet. You probably know enough: make the first edit, or say what is still missing.',
      },
      {
        on: 'test-failures',
        at: 3,
        action: 'nudge',
        level: 'warning',
        message:
          'The tests have failed {count} times in a row. Read the failures again, ask whether the approach itself is wrong, and try a different fix instead of another variation.',
      },
      {
        on: 'shell-failures',
        at: 3,
        where: { fileProgram: true },
        action: 'nudge',
        level: 'warning',
        message:
          '{count} shell commands in a row have failed, the last one on a file. Use the file tools instead: read_file to read, edit_file to change, write_file to create.',
      },
      {
        on: 'shell-failures',
        at: 3,
        action: 'nudge',
        level: 'warning',
        message:
          '{count} shell commands in a row have failed. Read the errors, check what the environment really offers, and take a different way.',
      },
      {
        on: 'text-streak',
        at: 2,
        action: 'nudge',
        level: 'warning',
        message:
          '{count} turns in a row were text only. Pick the next open task and start on it with a tool.',
      },
    ],
  },
);
