import { definePreset, type Preset } from '../core/preset.ts';
import { callCycle } from '../detectors/call-cycle.ts';
import { compactionRepeat } from '../detectors/compaction-repeat.ts';
import { recentRepeat } from '../detectors/recent-repeat.ts';
import { unknownToolStreak } from '../detectors/unknown-tool-streak.ts';

/** openclaw: patient with calls, strict with equal outcomes: warns from 10 on, blocks from 20 on, and after a compaction halts at 3. */
export const openclaw: Preset = definePreset([callCycle, compactionRepeat, recentRepeat, unknownToolStreak], {
  name: 'openclaw',
  about:
    'Warns at 10 equal calls among 30, blocks at 20 equal outcomes, 20 calls of ping-pong or 10 calls of a missing tool; halts at 3 after a compaction.',
  // Only the history of the same run counts, and each message of a person starts a run.
  userBoundary: 'clear',
  agents: 'apart',
  detectors: {
    'unknown-tool-streak': { kind: 'unknown-tool-streak' },
    'recent-repeat': {
      kind: 'recent-repeat',
      stable: 20, // CRITICAL_THRESHOLD
      pollers: ['command_status', 'process:poll', 'process:log'],
      variants: 3, // MIN_STABLE_CALLS_PER_VARIANT
      results: 'openclaw',
      window: 30, // TOOL_CALL_HISTORY_SIZE
    },
    'ping-pong': {
      kind: 'call-cycle',
      shortest: 2,
      longest: 2,
      outcomes: 'compared',
      window: 21, // the 20 calls of CRITICAL_THRESHOLD, and one more to tell that they are over
    },
    'compaction-repeat': {
      kind: 'compaction-repeat',
      calls: 3, // the guard is armed for 3 calls
      results: 'openclaw',
    },
  },
  ladder: [
    {
      on: 'compaction-repeat',
      at: 3, // 3 identical calls of the 3
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: right after the context was compacted, {tool} was called {count} times with the same arguments and the same result. The summary has led the work in a circle.',
    },
    {
      on: 'unknown-tool-streak',
      at: 10, // UNKNOWN_TOOL_THRESHOLD
      action: 'block',
      level: 'critical',
      message:
        'Not run: there is no tool {tool}, and {count} calls have failed because of it. Go on with the tools you have, or answer without it.',
    },
    {
      on: 'recent-repeat',
      at: 30, // GLOBAL_CIRCUIT_BREAKER_THRESHOLD
      where: { why: 'outcomes' },
      action: 'block',
      level: 'critical',
      message:
        'Not run: {tool} has given the same result {count} times for the same arguments. End this line of work and report what is known.',
    },
    {
      on: 'recent-repeat',
      at: 30, // GLOBAL_CIRCUIT_BREAKER_THRESHOLD
      where: { why: 'variants' },
      action: 'block',
      level: 'critical',
      message:
        'Not run: the last {count} calls of {tool} went round {variants} variants, each with the same result every time. Nothing has moved: report what is known.',
    },
    {
      on: 'recent-repeat',
      at: 20, // CRITICAL_THRESHOLD
      where: { why: 'outcomes', poller: true },
      action: 'block',
      level: 'critical',
      message:
        'Not run: {count} polls with {tool} have shown the same state. The process looks stuck: report it, or end it.',
    },
    {
      on: 'recent-repeat',
      at: 10, // WARNING_THRESHOLD
      every: 10, // one warning a bucket
      where: { poller: true },
      action: 'nudge',
      level: 'warning',
      message:
        '{count} polls with {tool} have shown the same state. Wait longer before the next one, or report that the process does not move.',
    },
    {
      on: 'ping-pong',
      at: 10, // CRITICAL_THRESHOLD: 20 calls, 2 a lap
      where: { same: true },
      action: 'block',
      level: 'critical',
      message:
        'Not run: {calls} calls in a row went back and forth between the same two, and each ended as before. Use the results you have, or report what is missing.',
    },
    {
      on: 'ping-pong',
      at: 5, // WARNING_THRESHOLD: 10 calls, 2 a lap
      every: 5, // one warning a bucket of 10 calls
      where: { whole: true },
      action: 'nudge',
      level: 'warning',
      message:
        '{calls} calls in a row went back and forth between the same two. Say what you are waiting for; if it does not come, report that.',
    },
    {
      on: 'recent-repeat',
      at: 20, // CRITICAL_THRESHOLD
      where: { why: 'outcomes', poller: false },
      action: 'block',
      level: 'critical',
      message:
        'Not run: {tool} has given the same result {count} times for the same arguments. Work with that result, or report what stands in the way.',
    },
    {
      on: 'recent-repeat',
      at: 10, // WARNING_THRESHOLD
      every: 10, // one warning a bucket
      where: { why: 'calls' },
      action: 'nudge',
      level: 'warning',
      message:
        '{tool} has been called {count} times with the same arguments. If that brings nothing new, stop and report what stands in the way.',
    },
  ],
});
