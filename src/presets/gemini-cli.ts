import { definePreset, type Preset } from '../core/preset.ts';
import { callCycle } from '../detectors/call-cycle.ts';
import { chunkRepeat } from '../detectors/chunk-repeat.ts';
import { verdict } from '../detectors/verdict.ts';

/** gemini-cli: laps of the same calls, chanted text, or a judge's word: feedback once, then the user decides. */
export const geminiCli: Preset = definePreset([callCycle, chunkRepeat, verdict], {
  name: 'gemini-cli',
  about:
    'Five laps of up to five calls, ten times the same stretch of text, or a judge who is sure: feedback once, then it asks.',
  // A new prompt starts everything anew, the detections so far included.
  userBoundary: 'clear',
  strikes: 'turn',
  detectors: {
    'call-cycle': {
      kind: 'call-cycle',
      shortest: 1, // cycles of one to five calls
      longest: 5,
      keys: 'as-sent', // JSON.stringify
      window: 25, // five times TOOL_CALL_LOOP_THRESHOLD
    },
    'chunk-repeat': {
      kind: 'chunk-repeat',
      size: 50, // CONTENT_CHUNK_SIZE
      distance: 250, // five chunks
      between: 'repeating', // no more than half of the periods may differ
      bullets: ['*', '+'], // its range of characters leaves the dash out
      dividers: 'lines-and-capitals', // its range takes digits and capitals in
      window: 10, // CONTENT_LOOP_THRESHOLD
    },
    verdict: {
      kind: 'verdict',
      confidence: 90, // LLM_CONFIDENCE_THRESHOLD
      first: 30, // LLM_CHECK_AFTER_TURNS
      interval: 10, // DEFAULT_LLM_CHECK_INTERVAL
      shortest: 5, // MIN_LLM_CHECK_INTERVAL
      longest: 15, // MAX_LLM_CHECK_INTERVAL
    },
  },
  ladder: [
    {
      on: 'call-cycle',
      at: 5, // TOOL_CALL_LOOP_THRESHOLD
      strikes: 1, // the second detection of a prompt
      action: 'ask',
      level: 'critical',
      message:
        'Held: the last calls are {count} rounds of the same {period} call(s), and a warning did not help. Should the agent go on?',
    },
    {
      on: 'call-cycle',
      at: 5, // TOOL_CALL_LOOP_THRESHOLD
      action: 'nudge',
      level: 'warning',
      message:
        'The last calls, up to {tool}, are {count} rounds of the same {period} call(s). Say what they have told you so far and what is still missing, then take another way or report what stands in it.',
    },
    {
      on: 'chunk-repeat',
      at: 10, // CONTENT_LOOP_THRESHOLD
      strikes: 1, // the second detection of a prompt
      action: 'ask',
      level: 'critical',
      message:
        'Held: the answer repeats the same text again, {count} times, and a warning did not help. Should the agent go on?',
    },
    {
      on: 'chunk-repeat',
      at: 10, // CONTENT_LOOP_THRESHOLD
      action: 'nudge',
      level: 'warning',
      message:
        'Your answer has said the same {characters} characters {count} times. Stop there, and go on with the next step or end the answer.',
    },
    {
      on: 'verdict',
      at: 1,
      strikes: 1, // the second detection of a prompt
      where: { why: 'stuck' },
      action: 'ask',
      level: 'critical',
      message:
        'Held: a judge is {confidence} percent sure that the agent is stuck, and a warning did not help. Should it go on?',
    },
    {
      on: 'verdict',
      at: 1,
      where: { why: 'stuck' },
      action: 'nudge',
      level: 'warning',
      message:
        'A judge of this run is {confidence} percent sure that it makes no progress. Compare what you have with what was asked, and take another way or report what stands in it.',
    },
    {
      on: 'verdict',
      at: 1,
      where: { why: 'due' },
      action: 'observe',
      level: 'info',
      message: 'Turn {turns}: time to ask a judge whether the agent makes progress.',
    },
  ],
});
