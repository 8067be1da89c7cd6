import { DeloopError, show } from '../core/errors.ts';
import type { DescribedKind } from '../core/options.ts';
import type { Preset } from '../core/preset.ts';
import { badCallDescribed } from '../detectors/bad-call.ts';
import { blindRepeatDescribed } from '../detectors/blind-repeat.ts';
import { budgetDescribed } from '../detectors/budget.ts';
import { callCapDescribed } from '../detectors/call-cap.ts';
import { callCountDescribed } from '../detectors/call-count.ts';
import { callCycleDescribed } from '../detectors/call-cycle.ts';
import { callStreakDescribed } from '../detectors/call-streak.ts';
import { callWindowDescribed } from '../detectors/call-window.ts';
import { causeRepeatDescribed } from '../detectors/cause-repeat.ts';
import { chunkRepeatDescribed } from '../detectors/chunk-repeat.ts';
import { compactionRepeatDescribed } from '../detectors/compaction-repeat.ts';
import { compactionsDescribed } from '../detectors/compactions.ts';
import { explorationDescribed } from '../detectors/exploration.ts';
import { failedRoundsDescribed } from '../detectors/failed-rounds.ts';
import { failureStreakDescribed } from '../detectors/failure-streak.ts';
import { handoffRepeatDescribed } from '../detectors/handoff-repeat.ts';
import { idleRepeatDescribed } from '../detectors/idle-repeat.ts';
import { idleRoundsDescribed } from '../detectors/idle-rounds.ts';
import { invalidRoundsDescribed } from '../detectors/invalid-rounds.ts';
import { iterationCapDescribed } from '../detectors/iteration-cap.ts';
import { noProgressDescribed } from '../detectors/no-progress.ts';
import { outageDescribed } from '../detectors/outage.ts';
import { outcomeRepeatDescribed } from '../detectors/outcome-repeat.ts';
import { outcomeStreakDescribed } from '../detectors/outcome-streak.ts';
import { readShareDescribed } from '../detectors/read-share.ts';
import { recentRepeatDescribed } from '../detectors/recent-repeat.ts';
import { refusalsDescribed } from '../detectors/refusals.ts';
import { repeatedFailureDescribed } from '../detectors/repeated-failure.ts';
import { repeatedWriteDescribed } from '../detectors/repeated-write.ts';
import { restatedPlanDescribed } from '../detectors/restated-plan.ts';
import { resultStreakDescribed } from '../detectors/result-streak.ts';
import { roundRepeatDescribed } from '../detectors/round-repeat.ts';
import { roundStreakDescribed } from '../detectors/round-streak.ts';
import { sameResultDescribed } from '../detectors/same-result.ts';
import { seenPagesDescribed } from '../detectors/seen-pages.ts';
import { similarStreakDescribed } from '../detectors/similar-streak.ts';
import { spawnStormDescribed } from '../detectors/spawn-storm.ts';
import { staleRoundsDescribed } from '../detectors/stale-rounds.ts';
import { streamRepeatDescribed } from '../detectors/stream-repeat.ts';
import { stuckTestDescribed } from '../detectors/stuck-test.ts';
import { swarmBudgetDescribed } from '../detectors/swarm-budget.ts';
import { swarmFailureDescribed } from '../detectors/swarm-failure.ts';
import { swarmHaltDescribed } from '../detectors/swarm-halt.ts';
import { swarmRepeatDescribed } from '../detectors/swarm-repeat.ts';
import { tailRepeatDescribed } from '../detectors/tail-repeat.ts';
import { testFailuresDescribed } from '../detectors/test-failures.ts';
import { textStreakDescribed } from '../detectors/text-streak.ts';
import { thoughtStreakDescribed } from '../detectors/thought-streak.ts';
import { toolStreakDescribed } from '../detectors/tool-streak.ts';
import { toolUseDescribed } from '../detectors/tool-use.ts';
import { turnRepeatDescribed } from '../detectors/turn-repeat.ts';
import { unknownToolStreakDescribed } from '../detectors/unknown-tool-streak.ts';
import { verdictDescribed } from '../detectors/verdict.ts';
import { waitingDescribed } from '../detectors/waiting.ts';
import { atomcode } from './atomcode.ts';
import { attocode } from './attocode.ts';
import { attocodePy } from './attocode-py.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { crewai } from './crewai.ts';
import { crush } from './crush.ts';
import { deepseekTui } from './deepseek-tui.ts';
import { deerFlow } from './deer-flow.ts';
import { geminiCli } from './gemini-cli.ts';
import { goose } from './goose.ts';
import { hermes } from './hermes.ts';
import { kimi } from './kimi.ts';
import { koda } from './koda.ts';
import { openclaw } from './openclaw.ts';
import { opencode } from './opencode.ts';
import { openhands } from './openhands.ts';
import { openhandsSdk } from './openhands-sdk.ts';
import { openrouter } from './openrouter.ts';
import { qwenCode } from './qwen-code.ts';
import { recommended } from './recommended.ts';
import { rooCode } from './roo-code.ts';
import { zagens } from './zagens.ts';

/** Every kind of detector that a preset read from JSON may name, with what can be said of it. */
export const detectorKinds: readonly DescribedKind[] = [
  blindRepeatDescribed,
  budgetDescribed,
  callCapDescribed,
  callCountDescribed,
  callCycleDescribed,
  callStreakDescribed,
  callWindowDescribed,
  causeRepeatDescribed,
  chunkRepeatDescribed,
  compactionRepeatDescribed,
  compactionsDescribed,
  explorationDescribed,
  failedRoundsDescribed,
  failureStreakDescribed,
  idleRepeatDescribed,
  idleRoundsDescribed,
  invalidRoundsDescribed,
  iterationCapDescribed,
  noProgressDescribed,
  outageDescribed,
  outcomeRepeatDescribed,
  outcomeStreakDescribed,
  readShareDescribed,
  recentRepeatDescribed,
  refusalsDescribed,
  repeatedFailureDescribed,
  repeatedWriteDescribed,
  restatedPlanDescribed,
  resultStreakDescribed,
  roundRepeatDescribed,
  roundStreakDescribed,
  sameResultDescribed,
  seenPagesDescribed,
  similarStreakDescribed,
  staleRoundsDescribed,
  streamRepeatDescribed,
  stuckTestDescribed,
  handoffRepeatDescribed,
  spawnStormDescribed,
  swarmBudgetDescribed,
  swarmFailureDescribed,
  swarmHaltDescribed,
  swarmRepeatDescribed,
  tailRepeatDescribed,
  testFailuresDescribed,
  textStreakDescribed,
  thoughtStreakDescribed,
  toolStreakDescribed,
  toolUseDescribed,
  turnRepeatDescribed,
  unknownToolStreakDescribed,
  verdictDescribed,
  waitingDescribed,
  badCallDescribed,
];

/** Every preset by name, as plain JSON. */
export const presets: {
  readonly koda: Preset;
  readonly attocode: Preset;
  readonly 'attocode-py': Preset;
  readonly atomcode: Preset;
  readonly zagens: Preset;
  readonly 'deepseek-tui': Preset;
  readonly recommended: Preset;
  readonly 'gemini-cli': Preset;
  readonly 'qwen-code': Preset;
  readonly openclaw: Preset;
  readonly 'roo-code': Preset;
  readonly cline: Preset;
  readonly opencode: Preset;
  readonly crush: Preset;
  readonly goose: Preset;
  readonly openhands: Preset;
  readonly 'openhands-sdk': Preset;
  readonly hermes: Preset;
  readonly kimi: Preset;
  readonly crewai: Preset;
  readonly 'deer-flow': Preset;
  readonly openrouter: Preset;
  readonly codex: Preset;
} = {
  koda,
  attocode,
  'attocode-py': attocodePy,
  atomcode,
  zagens,
  'deepseek-tui': deepseekTui,
  recommended,
  'gemini-cli': geminiCli,
  'qwen-code': qwenCode,
  openclaw,
  'roo-code': rooCode,
  cline,
  opencode,
  crush,
  goose,
  openhands,
  'openhands-sdk': openhandsSdk,
  hermes,
  kimi,
  crewai,
  'deer-flow': deerFlow,
  openrouter,
  codex,
};
export type PresetName = keyof typeof presets;

export const DEFAULT_PRESET: PresetName = 'recommended';

/** A preset by its name, or the object itself. */
export function presetOf(preset: PresetName | Preset): Preset {
  if (typeof preset !== 'string') return preset;
  if (Object.hasOwn(presets, preset)) return presets[preset];
  throw new DeloopError(
    'option',
    `preset is ${show(preset)}; it must be one of ${Object.keys(presets).join(', ')}`,
  );
}
