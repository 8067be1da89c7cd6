import { definePreset, type Preset } from '../core/preset.ts';
import type { Rung } from '../core/types.ts';
import { badCall } from '../detectors/bad-call.ts';
import { blindRepeat } from '../detectors/blind-repeat.ts';
import { budget } from '../detectors/budget.ts';
import { compactions } from '../detectors/compactions.ts';
import { failedRounds } from '../detectors/failed-rounds.ts';
import { idleRepeat } from '../detectors/idle-repeat.ts';
import { noProgress } from '../detectors/no-progress.ts';
import { outage } from '../detectors/outage.ts';
import { refusals } from '../detectors/refusals.ts';
import { repeatedFailure } from '../detectors/repeated-failure.ts';
import { repeatedWrite } from '../detectors/repeated-write.ts';
import { restatedPlan } from '../detectors/restated-plan.ts';
import { sameResult } from '../detectors/same-result.ts';
import { seenPages } from '../detectors/seen-pages.ts';
import { staleRounds } from '../detectors/stale-rounds.ts';
import { streamRepeat } from '../detectors/stream-repeat.ts';
import { stuckTest } from '../detectors/stuck-test.ts';
import { textStreak } from '../detectors/text-streak.ts';
import { turnRepeat } from '../detectors/turn-repeat.ts';
import { verdict } from '../detectors/verdict.ts';
import { waiting } from '../detectors/waiting.ts';

/** A stop, as the model is told of it; and the question to a person that comes before it. */
function asks(
  what: string,
  report = '',
  prompt = `The agent may be stuck: ${what}. Let it go on?`,
): Pick<Rung, 'action' | 'level' | 'hint' | 'message' | 'prompt'> {
  const message = `Stopped: ${what}. ${report}`.trimEnd();
  return { action: 'ask', level: 'critical', hint: 'last-turn', message, prompt };
}

/** recommended: work without progress, by what calls bring and what they change; it nudges once, then blocks, then asks or halts. */
export const recommended: Preset = definePreset(
  [
    badCall,
    blindRepeat,
    budget,
    compactions,
    failedRounds,
    idleRepeat,
    noProgress,
    outage,
    refusals,
    repeatedFailure,
    repeatedWrite,
    restatedPlan,
    sameResult,
    seenPages,
    staleRounds,
    streamRepeat,
    stuckTest,
    textStreak,
    turnRepeat,
    verdict,
    waiting,
  ],
  {
    name: 'recommended',
    about: 'Nudges at the third round without progress, blocks every member of the loop, then asks or halts.',
    // A new instruction makes a lookup worth repeating; a call that failed before fails again.
    userBoundary: 'keep-failures',
    // Each loop has its own nudge, once.
    strikes: 'subject',
    // The model hears of a response as a whole: what it called twice in one gets one answer.
    duplicates: 'once',
    detectors: {
      'no-progress': { kind: 'no-progress' },
      'stale-rounds': { kind: 'stale-rounds', window: 8 }, // rounds; the cycle itself may be longer
      'stale-run': { kind: 'stale-rounds', window: 16 },
      'empty-run': { kind: 'stale-rounds', window: 32, empties: 'counted' },
      'same-failure': { kind: 'repeated-failure', by: 'words' },
      'failure-family': { kind: 'repeated-failure', by: 'family' },
      'failing-tool': { kind: 'repeated-failure', by: 'tool' },
      'bad-call': { kind: 'bad-call' },
      'same-result': { kind: 'same-result', minSize: 200 }, // a screen line or two is the same for many reasons
      'repeated-write': { kind: 'repeated-write' },
      'restated-plan': { kind: 'restated-plan', likeness: 60 },
      'stuck-test': { kind: 'stuck-test' },
      'stuck-failure': { kind: 'stuck-test', by: 'gist' },
      waiting: { kind: 'waiting', patienceMs: 5000 },
      'seen-pages': { kind: 'seen-pages', minLines: 5 },
      'blind-repeat': { kind: 'blind-repeat' },
      'idle-repeat': { kind: 'idle-repeat' },
      outage: { kind: 'outage' },
      'turn-repeat': { kind: 'turn-repeat', calls: 'ignored' },
      'text-only': { kind: 'text-streak', counts: 'text-only' },
      'stream-repeat': { kind: 'stream-repeat' },
      refusals: { kind: 'refusals', statuses: ['blocked'], counts: 'row' },
      'failed-rounds': { kind: 'failed-rounds', sinceUser: 2 }, // one for each message of a person is no loop
      'denied-rounds': { kind: 'failed-rounds', failures: ['denied'], sinceUser: 2 },
      compactions: { kind: 'compactions' },
      'fruitless-compactions': { kind: 'compactions', counts: 'fruitless' },
      verdict: { kind: 'verdict', first: 'off' }, // the host decides when a judge is asked
      budget: { kind: 'budget' }, // no limit until one is set
    },
    ladder: [
      // Nothing else helped: a person decides, or the run ends with what it has.
      {
        on: 'budget',
        at: 100, // percent
        ...asks(
          'the budget of {limit} is used up ({used} of {of})',
          'Report what is done and what is left.',
          'The budget of {limit} is used up ({used} of {of}). Go on?',
        ),
      },
      {
        on: 'refusals',
        at: 4, // blocked calls in a row: the model does not listen
        ...asks(
          '{count} calls in a row had to be refused because they repeat what was already done',
          'Report what you have, and what is missing.',
        ),
      },
      {
        on: 'no-progress',
        at: 5,
        strikes: 3, // the nudge and two blocks, or three blocks
        where: { when: 'before', busy: false, passed: false },
        ...asks(
          '{tool} was to run again with the same arguments, although its result has not changed in {count} attempts',
          'Report what you have, and what is missing.',
        ),
      },
      {
        on: 'no-progress',
        at: 10,
        strikes: 3,
        where: { when: 'before', passed: true },
        ...asks(
          '{tool} was to run the same check again, which has passed each time; this would be time {count}',
          'Report what you have.',
        ),
      },
      {
        on: 'stale-run',
        at: 16, // all of the window
        where: { when: 'after', soft: false },
        ...asks(
          'none of the last {window} steps brought anything new',
          'Report what you have, and what is missing.',
        ),
      },
      {
        on: 'empty-run',
        at: 32, // all of the window
        where: { when: 'after', empty: true },
        ...asks('{count} questions in a row found nothing', 'Report what you have, and what is missing.'),
      },
      {
        on: 'failed-rounds',
        at: 20,
        ...asks('nothing has worked in {count} steps in a row', 'Report what was tried.'),
      },
      {
        on: 'denied-rounds',
        at: 24,
        ...asks('nothing was allowed in {count} steps in a row', 'Report what you need the permission for.'),
      },
      {
        on: 'compactions',
        at: 4,
        where: { idle: true },
        ...asks('the conversation was compacted {count} times with hardly any work in between'),
      },
      {
        on: 'fruitless-compactions',
        at: 3, // twice in a row all that was known came again
        ...asks(
          '{count} times the conversation was compacted, and in between nothing came but what was known before',
          'Report what you have, and what is missing.',
        ),
      },
      {
        on: 'stale-rounds',
        at: 6,
        strikes: 3,
        where: { when: 'before' },
        ...asks(
          '{count} of the last {window} steps brought nothing new',
          'Report what you have, and what is missing.',
        ),
      },
      {
        on: 'turn-repeat',
        at: 5,
        ...asks('the same answer was given {count} times', 'It stands as it is.'),
      },
      {
        on: 'text-only',
        at: 16, // a long answer in parts has fewer
        ...asks('{count} turns in a row, and nothing was done in any of them'),
      },
      {
        on: 'stream-repeat',
        at: 1,
        strikes: 1,
        action: 'ask',
        level: 'critical',
        message: 'Stopped: the text repeats itself again.',
        prompt: 'The text of the agent repeats itself again. Let it go on?',
      },
      {
        on: 'verdict',
        at: 1,
        strikes: 1,
        where: { why: 'stuck' },
        ...asks('a second look at this run finds no progress again', 'Report what you have.'),
      },
      {
        on: 'same-failure',
        at: 10,
        ...asks(
          '{tool} has failed {count} times with the same message',
          'Report what was tried and what the message says.',
        ),
      },
      {
        on: 'failure-family',
        at: 12,
        ...asks(
          '{tool} has failed {count} times in a row for the same kind of reason',
          'Report what was tried and what the errors say.',
        ),
      },
      {
        on: 'failing-tool',
        at: 20,
        ...asks('{tool} has failed {count} times in a row', 'Report what was tried.'),
      },
      {
        on: 'bad-call',
        at: 8,
        ...asks('{tool} has refused {count} calls in a row', 'Report what you need it for.'),
      },
      {
        on: 'same-result',
        at: 20, // clicks on many things may well leave the page as it is
        where: { soft: true, busy: false },
        ...asks('{tool} has given the same result {count} times', 'Report what you have.'),
      },
      {
        on: 'same-result',
        at: 8,
        where: { soft: false, busy: false },
        ...asks('{tool} has given the same result {count} times', 'Report what you have.'),
      },
      {
        on: 'repeated-write',
        at: 6,
        where: { act: false },
        ...asks(
          'the same change was made {count} times with {tool}',
          'Report what undoes it, or what it was meant to do.',
        ),
      },
      {
        on: 'repeated-write',
        at: 32,
        where: { act: true },
        ...asks(
          '{tool} was called {count} times in a row with the same arguments, and each call has done something',
          'Report what was done.',
          '{tool} was called {count} times in a row with the same arguments, and each call has done something. Go on?',
        ),
      },
      {
        on: 'restated-plan',
        at: 5,
        ...asks('the same plan has come to nothing {count} times', 'Report what you have.'),
      },
      {
        on: 'stuck-test',
        at: 12,
        ...asks(
          '{count} rounds of changes have not moved this failure',
          'Report what was changed and what the failure says.',
        ),
      },
      {
        on: 'stuck-failure',
        at: 16, // twice the nudge
        ...asks(
          '{count} rounds of changes, and what the checks say is wrong has not moved',
          'Report what was changed and what the failure says.',
        ),
      },
      {
        on: 'waiting',
        at: 24,
        where: { hasty: true },
        ...asks(
          'nothing has moved in {count} looks with {tool}, and hardly any time has passed between them',
          'Report what you wait for, and what is known of it.',
        ),
      },
      {
        on: 'waiting',
        at: 60,
        where: { brisk: true },
        ...asks(
          'nothing has moved in {count} looks with {tool}',
          'Report what you wait for, and what is known of it.',
          'Still nothing has moved after {count} looks with {tool}. Go on waiting?',
        ),
      },
      {
        on: 'waiting',
        at: 240,
        ...asks(
          'nothing has moved in {count} looks with {tool}',
          'Report what you wait for, and what is known of it.',
          'Still nothing has moved after {count} looks with {tool}. Go on waiting?',
        ),
      },
      {
        on: 'blind-repeat',
        at: 8,
        ...asks('the same call of {tool} was made {count} times, and nothing was seen to come of it'),
      },
      {
        on: 'idle-repeat',
        at: 16,
        where: { look: false },
        ...asks(
          'the same call of {tool} was made {count} times, and nothing was done in between',
          'Report what you have, and what is missing.',
        ),
      },
      {
        on: 'idle-repeat',
        at: 240, // as for polls: a lead may wait for its team
        where: { look: true },
        ...asks(
          'nothing has changed in {count} looks with {tool}',
          'Report what you wait for, and what is known of it.',
          'Still nothing has changed after {count} looks with {tool}. Go on waiting?',
        ),
      },
      {
        on: 'seen-pages',
        at: 16,
        ...asks('{count} pages in a row showed nothing new', 'Report what you have.'),
      },
      {
        on: 'outage',
        at: 12,
        ...asks(
          'the service behind {tool} has been failing {count} times in a row',
          'Report what you need it for.',
          'The service behind {tool} has been failing {count} times in a row. Go on trying?',
        ),
      },

      // The nudge did not help: the calls of the loop are not run any more.
      {
        on: 'no-progress',
        at: 5,
        strikes: 2,
        where: { when: 'before', busy: false, passed: false },
        action: 'block',
        level: 'critical',
        hint: 'last-turn',
        message:
          'Not run: {tool} with these arguments, again. This run is about to be stopped. Answer now with what you have found so far and what is missing; do not call tools.',
      },
      {
        on: 'no-progress',
        at: 5,
        where: { when: 'before', busy: false, passed: false },
        action: 'block',
        level: 'warning',
        message:
          'Not run: this is attempt {count} at the same call of {tool}; every time it ended the same way, and nothing has changed since. Work with that result, change what it depends on, or say what you cannot find out.',
      },
      {
        on: 'no-progress',
        at: 10, // often enough to be sure of a test that failed now and then
        where: { when: 'before', passed: true },
        action: 'block',
        level: 'warning',
        message:
          'Not run: this would be time {count} of the same check; it has passed each time, and nothing has changed since. It is known to pass: take the next step, or report that it is done.',
      },
      {
        on: 'stale-rounds',
        at: 6,
        where: { when: 'before' },
        action: 'block',
        level: 'warning',
        message:
          'Not run: this call of {tool} is part of a loop; {count} of the last {window} steps brought nothing new. Use the results you have, or say what you cannot find out.',
      },

      // Tell the model, once for each loop.
      {
        on: 'budget',
        at: 80, // percent
        below: 1,
        action: 'nudge',
        level: 'info',
        message: '{used} of {of} {limit} are used. Bring the work to an end that can be handed over.',
      },
      {
        on: 'stream-repeat',
        at: 1,
        action: 'nudge',
        level: 'warning',
        message: 'The text had begun to repeat itself. Go on from what was said before that, or finish.',
      },
      {
        on: 'no-progress',
        at: 3,
        below: 1,
        where: { when: 'after', failed: true, asked: false },
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has failed in the same way {count} times with these arguments, and nothing has changed in between. Read the error and find its cause first; look up what you are guessing.',
      },
      {
        on: 'no-progress',
        at: 3,
        exactly: true, // who asks for the same again and again knows that it fails
        below: 1,
        where: { when: 'after', failed: true, asked: true },
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has failed in the same way {count} times with these arguments. Read the error and find its cause first; look up what you are guessing.',
      },
      {
        on: 'no-progress',
        at: 3,
        below: 1,
        where: { when: 'after', failed: false, busy: false, passed: false },
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has given the same result {count} times for these arguments, and nothing has changed in between. You have the result: use it, or take the next step. If you are waiting for something, wait longer in one go.',
      },
      {
        on: 'no-progress',
        at: 6, // five times is what people do to be sure
        below: 1,
        where: { when: 'after', passed: true },
        action: 'nudge',
        level: 'warning',
        message:
          'This check has passed {count} times, and nothing has changed in between. It is known to pass: take the next step, or report that it is done.',
      },
      {
        on: 'no-progress',
        at: 5, // others bring something new in between
        below: 1,
        where: { when: 'after', failed: false, busy: true, passed: false },
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has given the same result {count} times for these arguments. It is known by now: use it instead of asking again.',
      },
      {
        on: 'same-failure',
        at: 3,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has failed {count} times with the same message, whatever it was given. The cause lies elsewhere: read the message, check what it takes for granted, and look before the next attempt.',
      },
      {
        on: 'same-failure',
        at: 6,
        below: 2,
        action: 'nudge',
        level: 'critical',
        hint: 'stronger-model',
        message:
          '{count} failures with the same message now. Stop using {tool} for this; reach the goal without it, or report what is in the way.',
      },
      {
        on: 'bad-call',
        at: 3,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has refused {count} calls in a row as it cannot take them. Read its description for the arguments it knows; if there is no such tool, use one that you were given.',
      },
      {
        on: 'failure-family',
        at: 5,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has failed {count} times in a row for the same kind of reason. Guessing on will not end this: look up what exists (list it, describe it, search for it), then call with what you found.',
      },
      {
        on: 'failure-family',
        at: 8,
        below: 2,
        action: 'nudge',
        level: 'critical',
        hint: 'stronger-model',
        message:
          '{count} failures of one kind now. Leave this way: take another, or report what is in the way.',
      },
      {
        on: 'failing-tool',
        at: 6,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has failed {count} times in a row, and nothing was changed in between. Write down what the errors have in common before the next attempt.',
      },
      {
        on: 'stale-rounds',
        at: 3,
        below: 1,
        where: { when: 'after', soft: false },
        action: 'nudge',
        level: 'warning',
        message:
          '{count} of the last {window} steps brought nothing that was not known before. Say in one sentence what is still missing, and take a step that can bring it; if there is none, report what you have.',
      },
      {
        on: 'stale-rounds',
        at: 6, // twice as many: it may well be a list
        below: 1,
        where: { when: 'after', soft: true },
        action: 'nudge',
        level: 'warning',
        message:
          '{count} of the last {window} steps had the same short answer for different things. If that is what you expected, go on; if not, check one of them in another way first.',
      },
      {
        on: 'stale-rounds',
        at: 6,
        below: 2,
        where: { when: 'after', soft: false },
        action: 'nudge',
        level: 'critical',
        hint: 'stronger-model',
        message:
          '{count} of the last {window} steps brought nothing new. Stop here: answer with what you have, or say what is in the way.',
      },
      {
        on: 'empty-run',
        at: 24, // three quarters of what stops it
        below: 1,
        where: { when: 'after', empty: true },
        action: 'nudge',
        level: 'warning',
        message:
          '{count} questions in a row found nothing. Other words will hardly help: look whether what you are looking for is there at all, or somewhere else; if not, say so.',
      },
      {
        on: 'failed-rounds',
        at: 12,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          'Nothing has worked in {count} steps in a row. Go back to the last thing that did, and find out what changed.',
      },
      {
        on: 'denied-rounds',
        at: 8, // a person may well steer by saying no
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          'Nothing was allowed in {count} steps in a row. Another way to the same will not be, either: go on without it, or say what you need the permission for.',
      },
      {
        on: 'same-result',
        at: 3,
        below: 1,
        where: { soft: false, busy: false },
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} has given the very same result {count} times, whatever it was asked. It will not give another: use this one, or ask somewhere else.',
      },
      {
        on: 'repeated-write',
        at: 3,
        below: 1,
        where: { act: false },
        action: 'nudge',
        level: 'warning',
        message:
          'The same change has been made {count} times with {tool}. Either something undoes it (a formatter, a hook, a checkout) or it piles up: look at what is there now before you make it again.',
      },
      {
        on: 'repeated-write',
        at: 10, // vouchers or seats of one kind may be wanted so often
        below: 1,
        where: { act: true },
        action: 'nudge',
        level: 'warning',
        message:
          '{tool} was called {count} times in a row with the same arguments, and each call has done something. If that many were not asked for, stop, and look at what is there now.',
      },
      {
        on: 'restated-plan',
        at: 3,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          'The same plan was announced {count} times, and each time nothing came of it. Drop it: use what was found on the way, or try something of another kind.',
      },
      {
        on: 'stuck-test',
        at: 4,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          'This command has failed in exactly the same way after {count} rounds of changes. The changes do not reach the cause: check that the changed code is what runs, and trace the failure itself.',
      },
      {
        on: 'stuck-test',
        at: 8,
        below: 2,
        action: 'nudge',
        level: 'critical',
        hint: 'stronger-model',
        message:
          '{count} rounds of changes have not moved this failure. Undo what did not help, and explain the failure before you change anything else.',
      },
      {
        on: 'stuck-failure',
        at: 8, // twice as many as where all of it stays the same
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          'After {count} rounds of changes the checks still say that the same is wrong. The changes do not reach the cause: check that the changed code is what runs, and trace the failure itself.',
      },
      {
        on: 'blind-repeat',
        at: 4,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          'The same call of {tool} was made {count} times, and no result of it was seen. Check that it does anything before you make it again.',
      },
      {
        on: 'idle-repeat',
        at: 4,
        below: 1,
        where: { look: false },
        action: 'nudge',
        level: 'warning',
        message:
          'The same call of {tool} was made {count} times, and nothing was done in between. It is noted: take the next step. If you are waiting for something, wait longer in one go.',
      },
      {
        on: 'idle-repeat',
        at: 60, // as for polls
        below: 1,
        where: { look: true },
        action: 'nudge',
        level: 'info',
        message:
          'Nothing has changed in {count} looks with {tool}, and nothing was done in between. Wait in one longer step, check that what you wait for is coming at all, or take the next step yourself.',
      },
      {
        on: 'seen-pages',
        at: 6,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          '{count} pages in a row showed nothing that had not been shown before. You have seen all there is here: answer from it, or look somewhere else.',
      },
      {
        on: 'waiting',
        at: 6,
        below: 1,
        where: { hasty: true },
        action: 'nudge',
        level: 'info',
        message:
          'Nothing has moved in {count} looks with {tool}. Wait in one longer step before the next look, check that what you wait for is coming at all, or do something else meanwhile.',
      },
      {
        on: 'waiting',
        at: 12,
        below: 1,
        where: { fast: true },
        action: 'nudge',
        level: 'info',
        message:
          'Nothing has moved in {count} looks with {tool}, one right after the other. Wait in one longer step, and do something else meanwhile.',
      },
      {
        on: 'waiting',
        at: 30,
        below: 1,
        where: { brisk: true },
        action: 'nudge',
        level: 'info',
        message:
          'Nothing has moved in {count} looks with {tool}. Wait in one longer step before the next look, or check that what you wait for is coming at all.',
      },
      {
        on: 'waiting',
        at: 60,
        below: 2,
        action: 'nudge',
        level: 'info',
        message:
          'Nothing has moved in {count} looks with {tool}. Check that what you wait for is still running, or report that it is not.',
      },
      {
        on: 'outage',
        at: 3,
        below: 1,
        action: 'nudge',
        level: 'info',
        message:
          'The service behind {tool} is failing ({count} times in a row): a limit or an outage, not your call. Wait before the next attempt, longer each time, or go on with something that does not need it.',
      },
      {
        on: 'turn-repeat',
        at: 3,
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          'The same was said {count} times now. If the work is done, stop here; if not, do the next step.',
      },
      {
        on: 'text-only',
        at: 8, // half of what stops it
        below: 1,
        action: 'nudge',
        level: 'warning',
        message:
          'The last {count} turns have done nothing. If the work is done, stop here; if not, do the next step.',
      },
      {
        on: 'verdict',
        at: 1,
        where: { why: 'stuck' },
        action: 'nudge',
        level: 'warning',
        message:
          'A second look at this run finds no progress lately. Say what has been tried, what is known, and what would be a different way.',
      },
    ],
  },
);
