import type { Fields } from '../fields.ts';

/** The shapes of the Claude Agent SDK that are used here; `unknown` = passed on as it is. */

/** What a hook is given; what is in it depends on `hook_event_name`. */
export type HookInput = Fields;

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

/** What the hook of an event may answer, as far as it is used here. */
export type HookOutput<Event extends HookEvent = HookEvent> = {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly hookSpecificOutput?: Said<Event>;
};
type Said<Event extends HookEvent> = Event extends 'PreToolUse'
  ? {
      readonly hookEventName: Event;
      readonly permissionDecision: 'deny' | 'ask';
      readonly permissionDecisionReason: string;
    }
  : Event extends ResultEvent
    ? { readonly hookEventName: Event; readonly additionalContext: string }
    : never;
/** Events at which the model can be told something. */
export type ResultEvent = 'PostToolUse' | 'PostToolUseFailure' | 'PostToolBatch';

export type Hook<Event extends HookEvent = HookEvent> = (input: unknown) => Promise<HookOutput<Event>>;
/** `timeout` is in seconds. Lists that can be changed, as the SDK wants them. */
export type HookMatcher<Event extends HookEvent = HookEvent> = { hooks: Hook<Event>[]; timeout?: number };
export type Hooks = { readonly [Event in HookEvent]: HookMatcher<Event>[] };

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
