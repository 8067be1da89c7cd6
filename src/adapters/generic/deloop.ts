import { checkFunctions } from '../../core/options.ts';
import type { AgentEvent } from '../../core/types.ts';
import { forgetPieces } from '../forget-pieces.ts';
import { isLoopHalted } from '../loop-halted.ts';
import type { HostTurn, Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { type OnError, unlessBroken } from '../unless-broken.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import {
  type Guarded,
  type GuardedMap,
  guardTool,
  guardTools,
  type SharedToolOptions,
  type ToolFunction,
  type ToolOptions,
} from './guarded-tools.ts';
import { createMessageReader, type MessageReader } from './message-reader.ts';
import type { Underway } from './message-telling.ts';

export type LoopOptions = WatchOptions & {
  /**
   * Whether what a tool has given says that it failed: the value of a wrapped tool, and in messages the content of a result
   * that does not say so itself. What a tool or `read` is given counts before it.
   */
  readonly isFailure?: ((output: unknown) => boolean) | undefined;
};

/** One run of a hand-written loop. */
export type LoopRun = Run & {
  /** A tool function under the guard; arguments, result and errors keep their types. */
  tool<Tool extends ToolFunction>(
    name: string,
    execute: Tool,
    options?: ToolOptions<Awaited<ReturnType<Tool>>>,
  ): Guarded<Tool>;
  /** The functions of an object under the guard, by their names; it may be of a class. */
  tools<Tools extends object>(tools: Tools, options?: SharedToolOptions): GuardedMap<Tools>;
  /** The run must end now: it is stopped, and no last turn is due, or a response has come since; or a person must be asked first, and there is no `onAsk`. */
  isOver(agent?: string): boolean;
  /** OpenAI or Anthropic messages in, what to do out; each message is read once. */
  readonly read: MessageReader;
  /** What is to be handed over if the run is stopped. */
  keep(partial: unknown): void;
};

/** How a loop ended; `partial` = what it returned, or what it had kept. A reason with the action `ask` may be a question that is still open. */
export type Ended<Value> =
  | { readonly ended: 'done'; readonly value: Value }
  | { readonly ended: 'stopped'; readonly reason: StopReason; readonly partial: Value | unknown };

/** The guard of hand-written loops. Its own methods are those of the run named by `session`. */
export type LoopGuard = LoopRun & {
  /** Runs a loop under a run of its own, or under that of a session. Only a stop by the guard is caught. */
  run<Value>(
    loop: (run: LoopRun) => Value | Promise<Value>,
    options?: { readonly session?: string | undefined },
  ): Promise<Ended<Value>>;
  /** The run of another session. */
  of(session: string): LoopRun;
};

/** Throws when an option can never work. */
export function deloop({ isFailure, ...options }: LoopOptions = {}): LoopGuard {
  const watch = createWatch(options, { ownOptions: ['isFailure'] });
  checkFunctions({ isFailure }, ['isFailure']);
  const asks = options.onAsk !== undefined;
  const { onError } = options;
  const faces = new WeakMap<Run, Face>();

  function faceOf(run: Run): Face {
    const face = faces.get(run) ?? createFace(run, { asks, isFailure, onError });
    faces.set(run, face);
    return face;
  }

  const main = faceOf(watch.run());
  return extend(main.run, {
    of: (session: string) => faceOf(watch.run(session)).run,
    async run<Value>(
      loop: (run: LoopRun) => Value | Promise<Value>,
      { session = options.session }: { readonly session?: string | undefined } = {},
    ): Promise<Ended<Value>> {
      const { run, kept } = faceOf(session === undefined ? watch.start() : watch.run(session));
      run.keep(undefined);
      await run.begin();
      try {
        const value = await loop(run);
        const reason = run.stopped ?? (asks ? null : run.questionFor());
        return reason === null ? { ended: 'done', value } : { ended: 'stopped', reason, partial: value };
      } catch (error) {
        if (!isLoopHalted(error)) throw error;
        return { ended: 'stopped', reason: error.reason, partial: kept() };
      } finally {
        // It has been handed over; a session may stay for long.
        run.keep(undefined);
        await run.saved();
      }
    },
  });
}

type Face = { readonly run: LoopRun; readonly kept: () => unknown };

/** `asks` = questions are put to a person while the loop waits. */
type FaceOptions = Pick<LoopOptions, 'isFailure' | 'onError'> & { readonly asks: boolean };

function createFace(run: Run, { asks, isFailure, onError }: FaceOptions): Face {
  let partial: unknown;
  const underway: Underway = new Map();
  /** Agents of whose response pieces were told, and nothing else yet. */
  const streaming = new Set<string | undefined>();
  function withFailure<Result>(options?: ToolOptions<Result>): ToolOptions<Result> {
    return { ...options, isFailure: checked(options?.isFailure ?? isFailure, onError, 'isFailure') };
  }
  const kept = () => partial;
  const heard = extend(run, {
    kept,
    turn(turn: HostTurn = {}) {
      // A response that comes after the stop was the last one, whether or not the loop has asked for it as such.
      if (!underway.delete(turn.agent)) run.takeLastTurn(turn.agent);
      streaming.delete(turn.agent);
      run.turn(turn);
    },
  });
  const read = createMessageReader(heard, withFailure<unknown>().isFailure, underway);
  const face = extend(heard, {
    tool: <Tool extends ToolFunction>(
      name: string,
      execute: Tool,
      options?: ToolOptions<Awaited<ReturnType<Tool>>>,
    ) => guardTool(heard, name, execute, withFailure(options)),
    tools: <Tools extends object>(tools: Tools, options?: SharedToolOptions) =>
      guardTools(heard, tools, withFailure(options)),
    delta(channel: 'content' | 'reasoning', text: string, agent?: string) {
      const goesOn = run.delta(channel, text, agent);
      streaming.add(agent);
      if (!goesOn) underway.set(agent, 'cut');
      return goesOn;
    },
    tell(event: AgentEvent) {
      if (event.type === 'rewind' && streaming.delete(event.agent)) forgetPieces(run, event.agent);
      else run.tell(event);
    },
    read(...[messages, given]: Parameters<MessageReader>) {
      // What was told of it in pieces is among them.
      streaming.delete(given?.agent);
      return read(messages, {
        ...given,
        isFailure: checked(given?.isFailure, onError, 'isFailure'),
        byHost: checked(given?.byHost, onError, 'byHost'),
      });
    },
    isOver: (agent?: string) => run.isOver(agent) || (!asks && run.questionFor(agent) !== null),
    keep(value: unknown) {
      partial = value;
    },
  });
  return { run: face, kept };
}

/** A check of the user's, if there is one; where it breaks it has found nothing. */
function checked<Value, Found>(
  check: ((value: Value) => Found) | undefined,
  onError: OnError,
  name: string,
): ((value: Value) => Found | undefined) | undefined {
  return check && unlessBroken(check, onError, name);
}

/** The same run with more to it; `stopped` and `state` stay what they are now, not what they were. No heir of it: an engine looks everything up anew in what has heirs. */
function extend<Base extends object, More extends object>(base: Base, more: More): Base & More {
  return Object.assign(Object.create(Object.getPrototypeOf(base)), base, more) as Base & More;
}
