import { CallBlocked } from '../call-blocked.ts';
import type { HostCall, HostResult } from '../run.ts';
import type { Verdict } from '../verdict.ts';
import { rawResult, readOnce, readResult } from './model-output.ts';
import { mustWait, sit } from './seats.ts';
import { before, canHold, check, holds, type Session, waits } from './session.ts';
import type { ToModelOutput, Tool, ToolExecute, ToolOptions, Tools } from './shapes.ts';

type Watched = {
  readonly session: Session;
  readonly name: string;
  readonly execute: ToolExecute;
  readonly toModelOutput: ToModelOutput | undefined;
};

/** Tools under guard, and how to bring them up to date with the user's own, which may change while the agent runs. */
type WatchedTools = { readonly tools: Tools; update(): void };

/**
 * The same tools, each asked for before it runs. A call that is not run throws, so that results keep their types. The SDK lists them several
 * times in a step, which through a proxy costs more than all that the guard does: so they are a plain object.
 */
export function watchedTools(own: Tools, session: Session): WatchedTools {
  const tools: Record<string, Tool> = {};
  const known = new Map<string, Tool>();
  function update(): void {
    const names = Object.keys(own);
    for (const name of names) {
      const tool = own[name] as Tool;
      if (known.get(name) === tool && known.has(name)) continue;
      known.set(name, tool);
      tools[name] = watchedTool(name, tool, session);
    }
    if (known.size === names.length) return;
    for (const name of known.keys()) {
      if (Object.hasOwn(own, name)) continue;
      known.delete(name);
      delete tools[name];
    }
  }
  update();
  return { tools, update };
}

function watchedTool(name: string, tool: Tool, session: Session): Tool {
  if (typeof tool?.execute !== 'function') return tool;
  const { execute, needsApproval, toModelOutput } = tool;
  const mayHold = canHold(session, tool);
  const watched: Watched = {
    session,
    name,
    execute: execute.bind(tool),
    toModelOutput: typeof toModelOutput === 'function' ? toModelOutput.bind(tool) : undefined,
  };
  return changed(tool, {
    execute: isGenerator(execute) ? executeParts(watched) : executeOnce(watched),
    ...(watched.toModelOutput && { toModelOutput: readOnce(session, watched.toModelOutput) }),
    ...((mayHold || Boolean(needsApproval)) && {
      async needsApproval(input: unknown, options: ToolOptions) {
        const own =
          typeof needsApproval === 'function'
            ? await needsApproval.call(tool, input, options)
            : needsApproval;
        if (own) await waits(session, name, input, options);
        if (own || !mayHold) return own;
        const question = await holds(session, name, input, options);
        // Major 6 asks again when the answer is there, and an approval that was not needed is a denial.
        return question !== null || session.held.has(options.toolCallId);
      },
    }),
  });
}

/** Some of what a tool is to the SDK cannot be listed, and some tools must not be changed. */
function changed(tool: Tool, changes: Partial<Tool>): Tool {
  return Object.create(Object.getPrototypeOf(tool) as object, {
    ...Object.getOwnPropertyDescriptors(tool),
    ...Object.getOwnPropertyDescriptors(changes),
  }) as Tool;
}

function executeOnce(watched: Watched): ToolExecute {
  const { session, name } = watched;
  return (input, options) => {
    // Most calls need nobody to wait for, and then what the tool gives may be a stream of its own.
    const verdict = verdictNow(session, name, input, options);
    if (verdict?.do === 'run') return finished(watched, input, options);
    return (async () => {
      permit(name, verdict?.do === 'answer' ? verdict : await check(session, name, input, options));
      const given = finished(watched, input, options);
      return isAsyncIterable(given) ? lastOf(given) : given;
    })();
  };
}

/** Null = it has to be waited for. */
function verdictNow(session: Session, name: string, input: unknown, options: ToolOptions): Verdict | null {
  // That of the model is better: a tool may have a timeout of its own.
  if (!session.isHeard) session.stepSignal = options.abortSignal;
  if (!session.run.isReady || mustWait(session)) return null;
  sit(session, options.messages);
  return before(session, callOf(session, name, input, options), options);
}

function callOf({ agent }: Session, tool: string, args: unknown, { toolCallId: id }: ToolOptions): HostCall {
  return { id, tool, args, agent };
}

function executeParts(watched: Watched): ToolExecute {
  const { session, name, execute } = watched;
  return async function* executed(input, options) {
    const verdict = verdictNow(session, name, input, options);
    if (verdict?.do !== 'run')
      permit(name, verdict?.do === 'answer' ? verdict : await check(session, name, input, options));
    const call = callOf(session, name, input, options);
    yield* parts(watched, call, options, execute(input, options) as AsyncIterable<unknown>);
  };
}

/** Whether the call may run: it is held before it gets here, and a question that came up since then holds the next one. */
function permit(name: string, verdict: Verdict): void {
  if (verdict.do === 'answer' || verdict.do === 'stop') throw new CallBlocked(name, verdict.text);
}

function finished(watched: Watched, input: unknown, options: ToolOptions): unknown {
  const { session, name, execute } = watched;
  const call = callOf(session, name, input, options);
  let result: unknown;
  try {
    result = execute(input, options);
  } catch (error) {
    session.run.failed(call, error, options.abortSignal);
    throw error;
  }
  return isAsyncIterable(result)
    ? parts(watched, call, options, result)
    : settled(watched, call, options, result);
}

async function settled(
  watched: Watched,
  call: HostCall,
  options: ToolOptions,
  pending: unknown,
): Promise<unknown> {
  const { session } = watched;
  let result: unknown;
  session.running += 1;
  try {
    result = await pending;
  } catch (error) {
    session.run.failed(call, error, options.abortSignal);
    await session.run.saved();
    throw error;
  } finally {
    session.running -= 1;
  }
  const reading = resultOf(watched, call, result);
  const stub = session.run.after(call, reading instanceof Promise ? await reading : reading, {
    replaceable: typeof result === 'string' && watched.toModelOutput === undefined,
  });
  if (!session.run.isIdle(call.agent)) await session.run.saved();
  return stub ?? result;
}

async function* parts(
  watched: Watched,
  call: HostCall,
  options: ToolOptions,
  results: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  const { session } = watched;
  let last: unknown;
  session.running += 1;
  try {
    for await (const result of results) {
      last = result;
      yield result;
    }
  } catch (error) {
    session.run.failed(call, error, options.abortSignal);
    throw error;
  } finally {
    session.running -= 1;
  }
  session.run.after(call, await resultOf(watched, call, last));
  await session.run.saved();
}

function resultOf(
  { session, toModelOutput }: Watched,
  call: HostCall,
  output: unknown,
): HostResult | Promise<HostResult> {
  return toModelOutput === undefined ? rawResult(output) : readResult(session, call, output, toModelOutput);
}

/** It is too late for a stream: what it ends with is the result. */
async function lastOf(parts: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const part of parts) last = part;
  return last;
}

function isGenerator(execute: ToolExecute): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
