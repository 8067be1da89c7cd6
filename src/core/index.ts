export { checkedPlan } from './check-preset.ts';
export type { DigestText } from './digest-text.ts';
export { DeloopError, type ErrorCode } from './errors.ts';
export type { ToolResult } from './events.ts';
export {
  createGuard,
  type Guard,
  type GuardOptions,
  type Mode,
  type Tally,
  type ToolCall,
} from './guard.ts';
export { createLedger } from './ledger.ts';
export type {
  ChoiceSpec,
  DescribedKind,
  IntegerSpec,
  NamesSpec,
  OptionSpec,
  OptionSpecs,
} from './options.ts';
export { compilePlan, type Plan, type PlanOptions, type RulesFor, type ToolRules } from './plan.ts';
export { type AnyKind, type Context, type DetectorKind, definePreset, type Preset } from './preset.ts';
export { parseState } from './snapshot.ts';
export { initialState, step } from './step.ts';
export { type ToolDeclaration, type ToolTable, toolRules } from './tools.ts';
export type {
  Action,
  AgentEvent,
  AgentState,
  Decision,
  Detector,
  Effect,
  Entry,
  EventType,
  Evidence,
  Finding,
  GuardState,
  Habits,
  Hint,
  Intervention,
  Json,
  Level,
  Rung,
  Sight,
  Status,
  ToolKind,
  Usage,
} from './types.ts';
