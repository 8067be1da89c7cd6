import { CallBlocked } from '../call-blocked.ts';
import { fieldsOf } from '../fields.ts';
import type { HostCall, HostResult } from '../run.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Verdict } from '../verdict.ts';
import { readOnce, readResult } from './model-output.ts';
import type { Tool, ToolOptions, Tools } from './shapes.ts';
import { close, present, type WatchedCall } from './watched-call.ts';

/** The same tools, each asked for before it runs; the same list where they all are already. */
export function watchedTools(tools: Tools, call: WatchedCall): Tools {
  const entries = Object.entries(tools);
  if (entries.every(([, tool]) => isSettled(tool, call))) return tools;
  return Object.fromEntries(entries.map(([name, tool]) => [name, watchedTool(name, tool, call)]));
}

function isSettled(tool: Tool, { watched }: WatchedCall): boolean {
  return typeof tool?.execute !== 'function' || watched.has(tool);
}

function watchedTool(name: string, tool: Tool, call: WatchedCall): Tool {
  if (isSettled(tool, call)) return tool;
  const { readings } = call;
  const same: Tool = {
    ...tool,
    execute: (args, options) =>
      execute(call, tool, { id: options.toolCallId, tool: name, args, agent: call.agent }, options),
    ...(tool.toModelOutput && { toModelOutput: (output) => readOnce(readings, tool, output) }),
  };
  call.watched.add(same);
  return same;
}

async function execute(
  watching: WatchedCall,
  tool: Tool,
  call: HostCall,
  options: ToolOptions,
): Promise<unknown> {
  const { run, agent } = watching;
  // It has waited for its turn in the background, and was counted when it was put there.
  if (isBegun(watching, call)) return tool.execute?.(call.args, options);
  if (!run.isReady) await run.ready();
  present(watching, call.id);
  // A call that was held comes back when it is approved.
  if (call.id !== undefined && run.questionFor(agent)?.held?.includes(call.id)) run.answer(true, agent);
  let verdict = run.judge(call);
  if (verdict instanceof Promise) verdict = await awaited(watching, call, verdict, options);
  if (verdict.do === 'hold' && options.suspend !== undefined)
    return options.suspend({ question: verdict.text }, { requireToolApproval: true });
  if (verdict.do !== 'run') {
    close(watching, call.id);
    throw new CallBlocked(call.tool, verdict.text);
  }
  let isSuspended = false;
  const { suspend } = options;
  const suspendable: ToolOptions =
    suspend === undefined
      ? options
      : {
          ...options,
          suspend(...given) {
            isSuspended = true;
            return suspend(...given);
          },
        };
  let result: unknown;
  try {
    result = await tool.execute?.(call.args, suspendable);
  } catch (error) {
    if (!isSuspended && !isBegun(watching, call)) run.failed(call, causeOf(error), options.abortSignal);
    await run.saved();
    if (!isSuspended) close(watching, call.id);
    throw error;
  }
  // It has not ended: it comes back under the same id when it is resumed, whatever it returns now. Or the model has another result of it.
  if (isSuspended || isBegun(watching, call)) {
    if (!run.isIdle(agent)) await run.saved();
    return result;
  }
  const reading = resultOf(watching, tool, result);
  const stub = run.after(call, reading instanceof Promise ? await reading : reading, {
    replaceable: typeof result === 'string' && tool.toModelOutput === undefined,
  });
  if (!run.isIdle(agent)) await run.saved();
  close(watching, call.id);
  return stub ?? result;
}

/** Rejects when nobody waits for the verdict any more: Mastra leaves the call as it is, and the tool is not run. */
async function awaited(
  watching: WatchedCall,
  call: HostCall,
  verdict: Promise<Verdict>,
  { abortSignal }: ToolOptions,
): Promise<Verdict> {
  try {
    return await unlessAborted(verdict, abortSignal);
  } catch (aborted) {
    watching.run.after(call, { output: '', status: 'cancelled' });
    close(watching, call.id);
    throw aborted;
  }
}

function resultOf({ readings }: WatchedCall, tool: Tool, output: unknown): HostResult | Promise<HostResult> {
  const status = refusalOf(output);
  return status === null ? readResult(readings, tool, output) : { output, status };
}

function isBegun({ begun }: WatchedCall, { id }: HostCall): boolean {
  return id !== undefined && begun.has(id);
}

/** Mastra throws an error of its own around that of a tool. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** Arguments that a tool's schema refuses are told as a result, and so is what the tool gives, or the context of the call, where that does not fit. */
function refusalOf(result: unknown): 'invalid' | 'error' | null {
  const { error, message, validationErrors } = fieldsOf(result);
  // A tool may tell of errors by that name in what it has looked at.
  if (error !== true || validationErrors === undefined) return null;
  return String(message).startsWith('Tool input validation failed') ? 'invalid' : 'error';
}
