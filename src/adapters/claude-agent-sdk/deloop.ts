import type { Usage } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import { createSessionHooks } from './hooks.ts';
import type { Sdk } from './rounds.ts';
import { EVENTS, type Hook, type HookEvent, type HookMatcher, type Hooks, textOf } from './shapes.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { newTokens } from './usage.ts';

/** `lastTurn` is not among them: the SDK cannot take the tools away for one response. */
export type ClaudeAgentSdkOptions = Omit<WatchOptions, 'lastTurn'>;

/** The guard of the Claude Agent SDK: called with the options of `query`, it gives them back guarded. */
export type ClaudeAgentSdkGuard = {
  <Given extends object | undefined>(options?: Given): Given;
  /** What it adds to `options.hooks`. */
  readonly hooks: Hooks;
  /** The messages of `query`, passed on as they are: so the guard learns of tokens. */
  watch<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message, void>;
  /** The run of a session, by its `session_id`; without one, of the session that was heard of last. */
  run(session?: string): Run;
  /** Why the main agent of that session was stopped. */
  readonly stopped: StopReason | null;
};

type Session = { readonly answer: ReturnType<typeof createSessionHooks>; readonly tokens: Tokens | null };

/** Seconds that a hook may take in which a person is asked: a day. */
const PATIENCE = 86_400;

/** Throws when an option can never work. */
export function deloop(options: ClaudeAgentSdkOptions = {}): ClaudeAgentSdkGuard {
  const watch = createWatch({ ...options, lastTurn: false });
  const sdk: Sdk = { hasBatches: false };
  const sessions = new WeakMap<Run, Session>();
  let latest: Run | null = null;

  function runOf(session: string | undefined): Run {
    latest = watch.run(session ?? options.session);
    return latest;
  }

  function sessionOf(run: Run): Session {
    const known = sessions.get(run);
    if (known !== undefined) return known;
    const tokens = countsApart(options) ? createTokens() : null;
    const session = { answer: createSessionHooks(run, sdk, tokens), tokens };
    sessions.set(run, session);
    return session;
  }

  function hookOf(event: HookEvent): Hook {
    return async (input) => {
      const run = runOf(textOf(fieldsOf(input)['session_id']));
      if (event === 'UserPromptSubmit') run.begin();
      return sessionOf(run).answer(fieldsOf(input), event);
    };
  }

  const matcherOf = (event: HookEvent): HookMatcher => ({
    hooks: [hookOf(event)],
    ...(options.onAsk !== undefined && { timeout: PATIENCE }),
  });
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, [matcherOf(event)]])) as unknown as Hooks;

  function guard(given: object = {}): object {
    const { hooks: own } = given as { readonly hooks?: Partial<Hooks> };
    const all: { [event: string]: readonly HookMatcher[] } = { ...own };
    for (const event of EVENTS) all[event] = withOurs(own?.[event] ?? [], hooks[event]);
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
    const counted = new Map<unknown, Usage>();
    for await (const message of messages) {
      const usage = newTokens(message, counted);
      if (usage !== null) {
        const run = watch.run(textOf(fieldsOf(message)['session_id']) ?? options.session);
        run.spent(usage);
        sessionOf(run).tokens?.spent(usage);
      }
      yield message;
    }
  }
}

/** Options that are guarded already stay as they are: a call that is told twice is taken for one that is asked about again. */
function withOurs(given: readonly HookMatcher[], ours: readonly HookMatcher[]): readonly HookMatcher[] {
  return [...given, ...ours.filter((matcher) => !given.includes(matcher))];
}

/** Where agents share one history, or workers one sum, tokens that were told to two agents would count twice. */
function countsApart({ preset, swarm }: ClaudeAgentSdkOptions): boolean {
  return swarm === undefined && !(typeof preset === 'object' && preset.agents === 'together');
}
