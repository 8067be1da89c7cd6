import { definePreset, type Preset } from '../core/preset.ts';
import { callCap } from '../detectors/call-cap.ts';
import { callCycle } from '../detectors/call-cycle.ts';
import { callStreak } from '../detectors/call-streak.ts';
import { causeRepeat } from '../detectors/cause-repeat.ts';
import { chunkRepeat } from '../detectors/chunk-repeat.ts';
import { invalidRounds } from '../detectors/invalid-rounds.ts';
import { readShare } from '../detectors/read-share.ts';
import { thoughtStreak } from '../detectors/thought-streak.ts';
import { toolStreak } from '../detectors/tool-streak.ts';

/** qwen-code as it ships: what it has switched on acts, what it has switched off only reports. */
export const qwenCode: Preset = definePreset(
  [
    callCap,
    callCycle,
    callStreak,
    chunkRepeat,
    causeRepeat,
    invalidRounds,
    readShare,
    thoughtStreak,
    toolStreak,
  ],
  {
    name: 'qwen-code',
    about:
      'Asks at five identical calls in a row, eight looks at the same repository, and past 100 calls of a turn when one keeps coming back; seven rules more, off upstream, only report.',
    // A new prompt starts everything anew; only what is known of failures outlives it.
    userBoundary: 'keep-failures',
    strikes: 'turn',
    detectors: {
      'call-streak': { kind: 'call-streak' },
      'git-overview': { kind: 'tool-streak', tools: ['run_shell_command'], commands: 'git-overview' },
      'call-cap': {
        kind: 'call-cap',
        repeats: 6, // GLOBAL_DUPLICATE_THRESHOLD
        window: 32, // upstream remembers all calls of the turn
      },
      'invalid-rounds': { kind: 'invalid-rounds' },
      'cause-repeat': { kind: 'cause-repeat' },
      alternation: { kind: 'call-cycle', shortest: 2, longest: 2, window: 6 },
      'read-share': {
        kind: 'read-share',
        tools: ['read_*', 'list_*', 'zoom_image'],
        opening: 'free', // nothing counts before the first call that does not read
        window: 15, // FILE_READ_WINDOW
      },
      'tool-streak': { kind: 'tool-streak' },
      'thought-streak': { kind: 'thought-streak', characters: 200 },
      'chunk-repeat': {
        kind: 'chunk-repeat',
        size: 50, // CONTENT_CHUNK_SIZE
        distance: 75, // one and a half chunks
        between: 'any',
        bullets: ['-', '*', '+'],
        dividers: 'lines',
        window: 10, // CONTENT_LOOP_THRESHOLD
      },
    },
    ladder: [
      {
        on: 'call-streak',
        at: 5, // TOOL_CALL_LOOP_THRESHOLD
        action: 'ask',
        level: 'critical',
        message:
          'Held: {tool} was called {count} times in a row with the same arguments. Should the agent go on?',
      },
      {
        on: 'git-overview',
        at: 8, // SHELL_COMMAND_STAGNATION_THRESHOLD
        action: 'ask',
        level: 'critical',
        message:
          'Held: {count} commands in a row only looked the git repository over. Should the agent go on?',
      },
      {
        on: 'call-cap',
        at: 101, // past DEFAULT_MAX_TOOL_CALLS_PER_TURN
        where: { stuck: true },
        action: 'ask',
        level: 'critical',
        message:
          'Held: this turn has made {count} calls, and one of them came back again and again. Should the agent go on?',
      },
      {
        on: 'call-cap',
        at: 1001, // past ADAPTIVE_CAP_HARD_MULTIPLIER times the soft cap
        action: 'ask',
        level: 'critical',
        message: 'Held: this turn has made {count} calls. Should the agent go on?',
      },
      {
        on: 'invalid-rounds',
        at: 3, // VALIDATION_RETRY_LOOP_THRESHOLD
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has refused its arguments {count} times for the same reason. Read that reason and what the tool expects before you call it again, or do without it.',
      },
      {
        on: 'cause-repeat',
        at: 8, // REPEATED_TOOL_FAILURE_THRESHOLD
        where: { again: true }, // REPEATED_TOOL_FAILURE_BATCH_THRESHOLD is 2
        action: 'observe', // its mode is "shadow" unless an environment variable says otherwise
        level: 'warning',
        message: '{tool} has failed {count} times in {rounds} rounds, each time for the same reason.',
      },
      // From here on: skipLoopDetection is true unless the user says otherwise, so these only report.
      {
        on: 'call-cap',
        at: 6, // GLOBAL_DUPLICATE_THRESHOLD
        where: { fresh: true },
        action: 'observe',
        level: 'info',
        message: 'One call has been made six times in this turn.',
      },
      {
        on: 'alternation',
        at: 3, // ALTERNATING_PATTERN_CYCLES
        action: 'observe',
        level: 'info',
        message: 'The last calls go to and fro between the same two, {count} times.',
      },
      {
        on: 'read-share',
        at: 8, // FILE_READ_THRESHOLD
        action: 'observe',
        level: 'info',
        message: '{count} of the last {window} calls only read.',
      },
      {
        on: 'tool-streak',
        at: 8, // STAGNATION_THRESHOLD
        exactly: true,
        action: 'observe',
        level: 'info',
        message: '{tool} was called {count} times in a row.',
      },
      {
        on: 'thought-streak',
        at: 3, // THOUGHT_REPEAT_THRESHOLD
        exactly: true,
        action: 'observe',
        level: 'info',
        message: 'The model has thought the same thing {count} times in a row.',
      },
      {
        on: 'chunk-repeat',
        at: 10, // CONTENT_LOOP_THRESHOLD
        action: 'observe',
        level: 'info',
        message: 'The answer has said the same {characters} characters {count} times.',
      },
    ],
  },
);
