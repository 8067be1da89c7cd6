import type { Fields } from '../fields.ts';

/** The shapes of the Claude Agent SDK that are used here; `unknown` = passed on as it is. */

/** What a hook is given; what is in it depends on `hook_event_name`. */
export type HookInput = Fields;

/** What a hook may answer, as far as it is used here. */
export type HookOutput = {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: string;
    readonly permissionDecision?: 'deny' | 'ask';
    readonly permissionDecisionReason?: string;
    readonly additionalContext?: string;
  };
};

export type Hook = (input: HookInput) => Promise<HookOutput>;
/** `timeout` is in seconds. */
export type HookMatcher = { readonly hooks: readonly Hook[]; readonly timeout?: number };

export const EVENTS = [
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PreCompact',
  'Stop',
  'SubagentStop',
] as const;
export type HookEvent = (typeof EVENTS)[number];
export type Hooks = { readonly [event in HookEvent]: readonly HookMatcher[] };

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
