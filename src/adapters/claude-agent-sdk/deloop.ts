import { fieldsOf } from '../fields.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { createSessionHooks } from './hooks.ts';
import { EVENTS, type Hook, type HookEvent, type HookMatcher, type Hooks, textOf } from './shapes.ts';
import { usageIn } from './usage.ts';

/** `lastTurn` is not among them: the SDK cannot take the tools away for one response. */
export type ClaudeAgentSdkOptions = Omit<WatchOptions, 'lastTurn'>;

/** The guard of the Claude Agent SDK: called with the options of `query`, it gives them back guarded. */
export type ClaudeAgentSdkGuard = {
  <Given extends object>(options: Given): Given;
  /** What it adds to `options.hooks`. */
  readonly hooks: Hooks;
  /** The messages of `query`, passed on as they are: so the guard learns of tokens. */
  watch<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message, void>;
  /** The run of a session, by its `session_id`; without one, of the session that was heard of last. */
  run(session?: string): Run;
  /** Why the main agent of that session was stopped. */
  readonly stopped: StopReason | null;
};

const MAX_COUNTED = 32;
/** Seconds that a hook may take in which a person is asked: a day. */
const PATIENCE = 86_400;

/** Throws when an option can never work. */
export function deloop(options: ClaudeAgentSdkOptions = {}): ClaudeAgentSdkGuard {
  const watch = createWatch({ ...options, lastTurn: false });
  const sessions = new WeakMap<Run, ReturnType<typeof createSessionHooks>>();
  let latest: Run | null = null;

  function runOf(session: string | undefined): Run {
    latest = watch.run(session ?? options.session);
    return latest;
  }

  function hookOf(event: HookEvent): Hook {
    return async (input) => {
      const run = runOf(textOf(fieldsOf(input)['session_id']));
      if (event === 'UserPromptSubmit') run.begin();
      const answer = sessions.get(run) ?? createSessionHooks(run);
      sessions.set(run, answer);
      return answer(fieldsOf(input), event);
    };
  }

  const matcherOf = (event: HookEvent): HookMatcher => ({
    hooks: [hookOf(event)],
    ...(options.onAsk !== undefined && { timeout: PATIENCE }),
  });
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, [matcherOf(event)]])) as unknown as Hooks;

  function guard(given: object): object {
    const { hooks: own } = given as { readonly hooks?: Partial<Hooks> };
    const all: { [event: string]: readonly HookMatcher[] } = { ...own };
    for (const event of EVENTS) all[event] = [...(own?.[event] ?? []), ...hooks[event]];
    return { ...given, hooks: all };
  }

  return Object.defineProperties(guard, {
    hooks: { value: hooks },
    watch: { value: watched },
    run: {
      value: (session?: string) => (session === undefined ? (latest ?? watch.run()) : watch.run(session)),
    },
    stopped: { get: () => latest?.stopped ?? null },
  }) as unknown as ClaudeAgentSdkGuard;

  async function* watched<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message, void> {
    /** Ids of responses: one comes as several messages, each with all its tokens, and those of sub-agents come in between. */
    let counted: readonly unknown[] = [];
    for await (const message of messages) {
      const told = usageIn(message);
      if (told !== null && (told.id === undefined || !counted.includes(told.id))) {
        counted = [...counted, told.id].slice(-MAX_COUNTED);
        watch.run(textOf(fieldsOf(message)['session_id']) ?? options.session).spent(told.usage);
      }
      yield message;
    }
  }
}
