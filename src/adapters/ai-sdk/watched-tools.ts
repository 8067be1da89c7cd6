import { CallBlocked } from '../call-blocked.ts';
import type { HostCall } from '../run.ts';
import type { Verdict } from '../verdict.ts';
import { before, check, holds, type Session } from './session.ts';
import type { Tool, ToolExecute, ToolOptions, Tools } from './shapes.ts';

type Watched = { readonly session: Session; readonly name: string; readonly execute: ToolExecute };

/** The same tools, each asked for before it runs. A call that is not run throws, so that results keep their types. */
export function watchedTools(tools: Tools, session: Session): Tools {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, watchedTool(name, tool, session)]),
  );
}

function watchedTool(name: string, tool: Tool, session: Session): Tool {
  if (typeof tool?.execute !== 'function') return tool;
  const { execute, needsApproval } = tool;
  const watched: Watched = { session, name, execute: execute.bind(tool) };
  const same = Object.assign(Object.create(Object.getPrototypeOf(tool) as object), tool) as Tool;
  return Object.assign(same, {
    execute: isGenerator(execute) ? executeParts(watched) : executeOnce(watched),
    ...(session.canHold && {
      async needsApproval(input: unknown, options: ToolOptions) {
        const own =
          typeof needsApproval === 'function'
            ? await needsApproval.call(tool, input, options)
            : needsApproval;
        if (own) return true;
        const question = await holds(session, name, input, options);
        // Major 6 asks again when the answer is there, and an approval that was not needed is a denial.
        return question !== null || session.held.has(options.toolCallId);
      },
    }),
  });
}

function executeOnce({ session, name, execute }: Watched): ToolExecute {
  return (input, options) => {
    const call = callOf(session, name, input, options);
    // Most calls need nobody to wait for, and then what the tool gives may be a stream of its own.
    const verdict = session.run.isReady ? before(session, call, options) : null;
    if (verdict?.do === 'run') return finished(session, call, () => execute(input, options));
    return (async () => {
      permit(name, verdict?.do === 'answer' ? verdict : await check(session, name, input, options));
      const given = finished(session, call, () => execute(input, options));
      return isAsyncIterable(given) ? lastOf(given) : given;
    })();
  };
}

function callOf({ agent }: Session, tool: string, args: unknown, { toolCallId: id }: ToolOptions): HostCall {
  return { id, tool, args, agent };
}

function executeParts({ session, name, execute }: Watched): ToolExecute {
  return async function* watched(input, options) {
    const call = callOf(session, name, input, options);
    permit(name, await check(session, name, input, options));
    yield* parts(session, call, execute(input, options) as AsyncIterable<unknown>);
  };
}

/** Whether the call may run: it is held before it gets here, and a question that came up since then holds the next one. */
function permit(name: string, verdict: Verdict): void {
  if (verdict.do === 'answer' || verdict.do === 'stop') throw new CallBlocked(name, verdict.text);
}

function finished(session: Session, call: HostCall, execute: () => unknown): unknown {
  let result: unknown;
  try {
    result = execute();
  } catch (error) {
    session.run.failed(call, error);
    throw error;
  }
  return isAsyncIterable(result) ? parts(session, call, result) : settled(session, call, result);
}

async function settled(session: Session, call: HostCall, pending: unknown): Promise<unknown> {
  let result: unknown;
  try {
    result = await pending;
  } catch (error) {
    session.run.failed(call, error);
    await session.run.saved();
    throw error;
  }
  const stub = session.run.after(call, { output: result }, { replaceable: typeof result === 'string' });
  if (!session.run.isIdle(call.agent)) await session.run.saved();
  return stub ?? result;
}

async function* parts(
  session: Session,
  call: HostCall,
  results: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  let last: unknown;
  try {
    for await (const result of results) {
      last = result;
      yield result;
    }
  } catch (error) {
    session.run.failed(call, error);
    throw error;
  }
  session.run.after(call, { output: last });
  await session.run.saved();
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
