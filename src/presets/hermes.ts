import { definePreset, type Preset } from '../core/preset.ts';
import { callCycle } from '../detectors/call-cycle.ts';
import { failureStreak } from '../detectors/failure-streak.ts';
import { outcomeStreak } from '../detectors/outcome-streak.ts';
import { resultStreak } from '../detectors/result-streak.ts';
import { toolUse } from '../detectors/tool-use.ts';

/** Reading them twice should tell the same. */
const IDEMPOTENT = [
  'read_file',
  'search_files',
  'web_search',
  'web_extract',
  'session_search',
  'skill_view',
  'skills_list',
  'browser_snapshot',
  'browser_console',
  'browser_get_images',
  'mcp_filesystem_read_file',
  'mcp_filesystem_read_text_file',
  'mcp_filesystem_read_multiple_files',
  'mcp_filesystem_list_directory',
  'mcp_filesystem_list_directory_with_sizes',
  'mcp_filesystem_directory_tree',
  'mcp_filesystem_get_file_info',
  'mcp_filesystem_search_files',
];
/** A success of one of them makes the next try of what has failed a new experiment. */
const PROGRESS = [
  'write_file',
  'patch',
  'terminal',
  'execute_code',
  'browser_click',
  'browser_type',
  'browser_press',
  'browser_navigate',
  'process_manage',
  'process',
  'delegate_task',
  'send_message',
  'cronjob',
  'cronjob_manage',
  'todo',
  'todo_list',
  'memory',
  'skill_manage',
];
/** A red test, an empty search, a page that times out: for these failing is work. */
const FAILURE_TOLERANT = [
  'terminal',
  'execute_code',
  'process_manage',
  'process',
  'browser_navigate',
  'web_extract',
];
/** By name and by the endings that pollers have. */
const POLLERS = ['process_manage', '*_get_result', '*_poll'];

/** hermes: warns early and always, stops only where nobody attends; a large result that is already known becomes a stub. */
export const hermes: Preset = definePreset([callCycle, failureStreak, outcomeStreak, resultStreak, toolUse], {
  name: 'hermes',
  about:
    'Warns at the 2nd equal failure or reading, the 3rd equal call in a row and the 3rd lap. Unattended it blocks and halts at 5, and at 8 failures of one tool.',
  // Its controller starts anew each turn.
  userBoundary: 'clear',
  detectors: {
    'failure-streak': {
      kind: 'failure-streak',
      clearedBy: PROGRESS,
      tolerant: FAILURE_TOLERANT,
      grant: 'ignored',
    },
    'result-streak': {
      kind: 'result-streak',
      pollers: POLLERS,
      large: 512, // IDENTICAL_RESULT_STUB_MIN_CHARS
      results: 'hermes',
    },
    'call-cycle': {
      kind: 'call-cycle',
      shortest: 2, // one call alone is the streak's
      longest: 4, // _STALL_GUARD_MAX_CYCLE_PERIOD
      outcomes: 'same',
      passes: POLLERS,
      window: 20, // five laps of the longest; hermes keeps 64 calls and counts no further either
    },
    'web-searches': { kind: 'tool-use', tools: ['web_search'] },
    subagents: {
      kind: 'tool-use',
      tools: ['delegate_task'],
      items: ['tasks'],
      free: ['list', 'steer', 'stop'],
      // Only children that came into being are charged.
      returned: ['blocked', 'error', 'invalid', 'unknown-tool', 'denied', 'cancelled'],
    },
    'outcome-streak': {
      kind: 'outcome-streak',
      successes: IDEMPOTENT,
      failures: 'any',
      forgivenBy: PROGRESS,
      results: 'hermes',
    },
  },
  ladder: [
    {
      on: 'failure-streak',
      at: 8, // same_tool_failure_halt_after
      where: { tolerant: false },
      attended: false,
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: {tool} has failed {count} times in this turn and never succeeded in between. Report what was tried and what the errors said.',
    },
    {
      on: 'result-streak',
      at: 5, // no_progress_block_after
      where: { poller: false },
      attended: false,
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: {tool} was called {count} times in a row with the same arguments and gave the same result each time.',
    },
    {
      on: 'call-cycle',
      at: 5, // no_progress_block_after, in laps
      attended: false,
      action: 'halt',
      level: 'critical',
      message:
        'Stopped: the same {period} calls have been made {count} times over, with the same results each time.',
    },
    {
      on: 'web-searches',
      at: 51, // _DEFAULT_MAX_WEB_SEARCHES_PER_TURN 50, and the next is refused
      action: 'block',
      level: 'critical',
      message:
        'Not run: {used} web searches have been made in this turn, and that is the limit. Answer from what they have found.',
    },
    {
      on: 'subagents',
      at: 51, // _DEFAULT_MAX_SUBAGENTS_PER_TURN 50, and the next is refused
      action: 'block',
      level: 'critical',
      message:
        'Not run: {used} subagents have been started in this turn, and that is the limit. Finish with what they have brought back.',
    },
    {
      on: 'outcome-streak',
      at: 5, // exact_failure_block_after
      where: { failed: true, ran: false },
      attended: false,
      action: 'block',
      level: 'critical',
      message:
        'Not run: this call of {tool} has failed {count} times, and nothing has changed since. Find the cause, or say what stands in the way.',
    },
    {
      on: 'outcome-streak',
      at: 5, // no_progress_block_after
      where: { failed: false, ran: false },
      attended: false,
      action: 'block',
      level: 'critical',
      message:
        'Not run: this call of {tool} has given the same result {count} times. Use the result you have.',
    },
    {
      on: 'result-streak',
      at: 2, // the first repeat of a large result is replaced
      where: { large: true },
      action: 'nudge',
      level: 'info',
      hint: 'stub',
      message:
        'The result of this call of {tool} is the same as the one just before it ({count} times now). Refer to that one: it has not changed.',
    },
    {
      on: 'outcome-streak',
      at: 2, // exact_failure_warn_after
      where: { failed: true, ran: true },
      action: 'nudge',
      level: 'warning',
      message:
        '{tool} has failed {count} times with the same arguments. Read the error and find its cause before the next try.',
    },
    {
      on: 'failure-streak',
      at: 3, // same_tool_failure_warn_after
      where: { tool: 'terminal' },
      action: 'nudge',
      level: 'warning',
      message:
        '{count} terminal commands have failed in this turn. Look around first: where you are, what is there, what the last error says. Then go on.',
    },
    {
      on: 'failure-streak',
      at: 3, // same_tool_failure_warn_after
      action: 'nudge',
      level: 'warning',
      message:
        '{tool} has failed {count} times in this turn. Check what it was told and what it answered, then use it with care or report the obstacle.',
    },
    {
      on: 'outcome-streak',
      at: 2, // no_progress_warn_after
      where: { failed: false, ran: true },
      action: 'nudge',
      level: 'warning',
      message: '{tool} has given the same result {count} times. It is known now: use it and go on.',
    },
    {
      on: 'result-streak',
      at: 3, // STALL_GUARD_IDENTICAL_CALL_THRESHOLD
      where: { poller: false },
      action: 'nudge',
      level: 'info',
      message:
        'This was call {count} in a row to {tool} with the same arguments and the same result. Go on with what you have.',
    },
    {
      on: 'call-cycle',
      at: 3, // STALL_GUARD_IDENTICAL_CALL_THRESHOLD, in laps
      action: 'nudge',
      level: 'info',
      message:
        'The same {period} calls have been made {count} times over, with the same results. Go on with what you have.',
    },
  ],
});
