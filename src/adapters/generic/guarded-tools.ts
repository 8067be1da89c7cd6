import { CallBlocked } from '../call-blocked.ts';
import { LoopHalted } from '../loop-halted.ts';
import type { HostCall, Run } from '../run.ts';

/** A tool: its first argument is what the model wrote. */
export type ToolFunction = (...args: never[]) => unknown;

/** The same function, but it answers with a promise. */
export type Guarded<Tool extends ToolFunction> = (
  ...args: Parameters<Tool>
) => Promise<Awaited<ReturnType<Tool>>>;

export type GuardedMap<Tools extends { readonly [name: string]: ToolFunction }> = {
  readonly [Name in keyof Tools]: Guarded<Tools[Name]>;
};

export type ToolOptions<Result = unknown> = {
  /** The sub-agent that calls; absent for the main agent. */
  readonly agent?: string | undefined;
  /** What a call gives that is not run; without it, a `CallBlocked` is thrown whose message is for the model. */
  readonly blocked?: ((text: string) => Result) | undefined;
  /** `result` = nudges are appended to results that are text; `queue` = they wait for `takeNudge`. Default `result`. */
  readonly nudges?: 'result' | 'queue' | undefined;
};

/** Calls are told apart by this and a number: other processes may go on with the same session. */
const PROCESS = /* @__PURE__ */ Math.random().toString(36).slice(2);
let calls = 0;

/** The tool under the run's guard. What it throws is thrown on as it is; a stop is a `LoopHalted`. */
export function guardTool<Tool extends ToolFunction>(
  run: Run,
  tool: string,
  execute: Tool,
  options: ToolOptions<Awaited<ReturnType<Tool>>> = {},
): Guarded<Tool> {
  type Result = Awaited<ReturnType<Tool>>;
  const { agent } = options;
  return (...args) =>
    executed<Result>(
      run,
      { id: newId(), tool, args: args[0] ?? null, agent },
      () => execute(...args) as Result | Promise<Result>,
      options,
    );
}

/** By its arguments a call would be lost whose tool changes them. */
function newId(): string {
  calls += 1;
  return `${PROCESS}-${calls}`;
}

/** Of the module, and not of each tool of each run: an engine compiles it once. */
async function executed<Result>(
  run: Run,
  call: HostCall,
  execute: () => Result | Promise<Result>,
  { blocked, nudges = 'result' }: ToolOptions<Result>,
): Promise<Result> {
  if (!run.isReady) await run.ready();
  const verdict = await run.judge(call);
  if (verdict.do === 'stop') throw new LoopHalted(verdict.reason);
  if (verdict.do === 'hold') throw new LoopHalted(verdict.question);
  if (verdict.do === 'answer') {
    if (blocked === undefined) throw new CallBlocked(call.tool, verdict.text);
    return blocked(verdict.text);
  }
  let result: Result;
  try {
    result = await execute();
  } catch (error) {
    run.failed(call, error);
    throw error;
  }
  const text = typeof result === 'string';
  const stub = run.after(call, { output: result }, { replaceable: text });
  if (stub !== null) result = stub as Result;
  const nudge = text && nudges === 'result' ? run.takeNudge(call.agent) : null;
  return nudge === null ? result : (`${result}\n\n${nudge.text}` as Result);
}
