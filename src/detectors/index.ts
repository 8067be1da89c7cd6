export { type BadCallOptions, badCall, badCallDescribed } from './bad-call.ts';
export { type BlindRepeatOptions, blindRepeat, blindRepeatDescribed } from './blind-repeat.ts';
export { type BudgetOptions, budget, budgetDescribed } from './budget.ts';
export { type CallCapOptions, callCap, callCapDescribed } from './call-cap.ts';
export { type CallCountOptions, callCount, callCountDescribed } from './call-count.ts';
export { type CallCycleOptions, callCycle, callCycleDescribed } from './call-cycle.ts';
export { type CallStreakOptions, callStreak, callStreakDescribed } from './call-streak.ts';
export { type CallWindowOptions, callWindow, callWindowDescribed } from './call-window.ts';
export { type CauseRepeatOptions, causeRepeat, causeRepeatDescribed } from './cause-repeat.ts';
export { type ChunkRepeatOptions, chunkRepeat, chunkRepeatDescribed } from './chunk-repeat.ts';
export {
  type CompactionRepeatOptions,
  compactionRepeat,
  compactionRepeatDescribed,
} from './compaction-repeat.ts';
export { type CompactionsOptions, compactions, compactionsDescribed } from './compactions.ts';
export { type ExplorationOptions, exploration, explorationDescribed } from './exploration.ts';
export { type FailedRoundsOptions, failedRounds, failedRoundsDescribed } from './failed-rounds.ts';
export { type FailureStreakOptions, failureStreak, failureStreakDescribed } from './failure-streak.ts';
export { type HandoffRepeatOptions, handoffRepeat, handoffRepeatDescribed } from './handoff-repeat.ts';
export { type IdleRepeatOptions, idleRepeat, idleRepeatDescribed } from './idle-repeat.ts';
export { type IdleRoundsOptions, idleRounds, idleRoundsDescribed } from './idle-rounds.ts';
export { type InvalidRoundsOptions, invalidRounds, invalidRoundsDescribed } from './invalid-rounds.ts';
export { type IterationCapOptions, iterationCap, iterationCapDescribed } from './iteration-cap.ts';
export { type NoProgressOptions, noProgress, noProgressDescribed } from './no-progress.ts';
export { type OutageOptions, outage, outageDescribed } from './outage.ts';
export { type OutcomeRepeatOptions, outcomeRepeat, outcomeRepeatDescribed } from './outcome-repeat.ts';
export { type OutcomeStreakOptions, outcomeStreak, outcomeStreakDescribed } from './outcome-streak.ts';
export { type ReadShareOptions, readShare, readShareDescribed } from './read-share.ts';
export { type RecentRepeatOptions, recentRepeat, recentRepeatDescribed } from './recent-repeat.ts';
export { type RefusalsOptions, refusals, refusalsDescribed } from './refusals.ts';
export {
  type RepeatedFailureOptions,
  repeatedFailure,
  repeatedFailureDescribed,
} from './repeated-failure.ts';
export { type RepeatedWriteOptions, repeatedWrite, repeatedWriteDescribed } from './repeated-write.ts';
export { type RestatedPlanOptions, restatedPlan, restatedPlanDescribed } from './restated-plan.ts';
export { type ResultStreakOptions, resultStreak, resultStreakDescribed } from './result-streak.ts';
export { type RoundRepeatOptions, roundRepeat, roundRepeatDescribed } from './round-repeat.ts';
export { type RoundStreakOptions, roundStreak, roundStreakDescribed } from './round-streak.ts';
export { type SameResultOptions, sameResult, sameResultDescribed } from './same-result.ts';
export { type SeenPagesOptions, seenPages, seenPagesDescribed } from './seen-pages.ts';
export { type SimilarStreakOptions, similarStreak, similarStreakDescribed } from './similar-streak.ts';
export { type SpawnStormOptions, spawnStorm, spawnStormDescribed } from './spawn-storm.ts';
export { type StaleRoundsOptions, staleRounds, staleRoundsDescribed } from './stale-rounds.ts';
export { type StreamRepeatOptions, streamRepeat, streamRepeatDescribed } from './stream-repeat.ts';
export { type StuckTestOptions, stuckTest, stuckTestDescribed } from './stuck-test.ts';
export { type SwarmBudgetOptions, swarmBudget, swarmBudgetDescribed } from './swarm-budget.ts';
export { type SwarmFailureOptions, swarmFailure, swarmFailureDescribed } from './swarm-failure.ts';
export { type SwarmHaltOptions, swarmHalt, swarmHaltDescribed } from './swarm-halt.ts';
export { type SwarmRepeatOptions, swarmRepeat, swarmRepeatDescribed } from './swarm-repeat.ts';
export { type TailRepeatOptions, tailRepeat, tailRepeatDescribed } from './tail-repeat.ts';
export { type TestFailuresOptions, testFailures, testFailuresDescribed } from './test-failures.ts';
export { type TextStreakOptions, textStreak, textStreakDescribed } from './text-streak.ts';
export { type ThoughtStreakOptions, thoughtStreak, thoughtStreakDescribed } from './thought-streak.ts';
export { type ToolStreakOptions, toolStreak, toolStreakDescribed } from './tool-streak.ts';
export { type ToolUseOptions, toolUse, toolUseDescribed } from './tool-use.ts';
export { type TurnRepeatOptions, turnRepeat, turnRepeatDescribed } from './turn-repeat.ts';
export {
  type UnknownToolStreakOptions,
  unknownToolStreak,
  unknownToolStreakDescribed,
} from './unknown-tool-streak.ts';
export { type VerdictOptions, verdict, verdictDescribed } from './verdict.ts';
export { type WaitingOptions, waiting, waitingDescribed } from './waiting.ts';
