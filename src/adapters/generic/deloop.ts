import { isLoopHalted } from '../loop-halted.ts';
import type { Run } from '../run.ts';
import type { StopReason } from '../stop-reason.ts';
import { createWatch, type WatchOptions } from '../watch.ts';
import {
  type Guarded,
  type GuardedMap,
  guardTool,
  type ToolFunction,
  type ToolOptions,
} from './guarded-tools.ts';
import { createMessageReader, type MessageReader } from './message-reader.ts';

type Tools = { readonly [name: string]: ToolFunction };

/** One run of a hand-written loop. */
export type LoopRun = Run & {
  /** A tool function under the guard; arguments, result and errors keep their types. */
  tool<Tool extends ToolFunction>(
    name: string,
    execute: Tool,
    options?: ToolOptions<Awaited<ReturnType<Tool>>>,
  ): Guarded<Tool>;
  /** A map of tool functions under the guard, by their names. */
  tools<Map extends Tools>(tools: Map, options?: Pick<ToolOptions, 'agent' | 'nudges'>): GuardedMap<Map>;
  /** OpenAI or Anthropic messages in, what to do out; each message is read once. */
  readonly read: MessageReader;
  /** What is to be handed over if the run is stopped. */
  keep(partial: unknown): void;
};

/** How a loop ended; `partial` = what it returned, or what it had kept. */
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
export function deloop(options: WatchOptions = {}): LoopGuard {
  const watch = createWatch(options);
  const faces = new WeakMap<Run, Face>();

  function faceOf(run: Run): Face {
    const face = faces.get(run) ?? createFace(run);
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
      await run.begin();
      try {
        const value = await loop(run);
        const { stopped: reason } = run;
        return reason === null ? { ended: 'done', value } : { ended: 'stopped', reason, partial: value };
      } catch (error) {
        if (!isLoopHalted(error)) throw error;
        return { ended: 'stopped', reason: error.reason, partial: kept() };
      } finally {
        await run.saved();
      }
    },
  });
}

type Face = { readonly run: LoopRun; readonly kept: () => unknown };

function createFace(run: Run): Face {
  let partial: unknown;
  const face = extend(run, {
    tool: <Tool extends ToolFunction>(
      name: string,
      execute: Tool,
      options?: ToolOptions<Awaited<ReturnType<Tool>>>,
    ) => guardTool(run, name, execute, options),
    tools: <Map extends Tools>(tools: Map, options?: Pick<ToolOptions, 'agent' | 'nudges'>) =>
      Object.fromEntries(
        Object.entries(tools).map(([name, execute]) => [name, guardTool(run, name, execute, options)]),
      ) as GuardedMap<Map>,
    read: createMessageReader(run),
    keep(value: unknown) {
      partial = value;
    },
  });
  return { run: face, kept: () => partial };
}

/** The same object with more to it: `stopped` and `state` stay what they are now, not what they were. */
function extend<Base extends object, More extends object>(base: Base, more: More): Base & More {
  return Object.create(base, Object.getOwnPropertyDescriptors(more)) as Base & More;
}
