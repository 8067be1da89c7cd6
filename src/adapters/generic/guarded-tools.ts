import { show } from '../../core/errors.ts';
import { wrong } from '../../core/options.ts';
import { CallBlocked } from '../call-blocked.ts';
import { fieldsOf } from '../fields.ts';
import { LoopHalted } from '../loop-halted.ts';
import type { HostCall, Run } from '../run.ts';

/** A tool: its first argument is what the model wrote; where that is no object, the data behind it, too. */
export type ToolFunction = (...args: never[]) => unknown;

/** The same function, but it answers with a promise; what else it has, such as a description, it keeps. */
export type Guarded<Tool extends ToolFunction> = [keyof Tool] extends [never]
  ? Promising<Tool>
  : Promising<Tool> & Pick<Tool, keyof Tool>;
/** One that promises already stays as it is: its overloads and its own types could not be said anew. */
type Promising<Tool extends ToolFunction> =
  IsPromise<ReturnType<Tool>> extends true
    ? OmitThisParameter<Tool>
    : (...args: Parameters<Tool>) => Promise<Awaited<ReturnType<Tool>>>;
/** Whether it is a promise of the language, neither `any` nor one with more to it. */
type IsPromise<Result> = unknown extends Result
  ? false
  : [Result, Promise<Awaited<Result>>] extends [Promise<unknown>, Result]
    ? true
    : false;

/** The functions of an object, guarded; what else it has is not in it. */
export type GuardedMap<Tools extends object> = {
  readonly [Name in keyof Tools as Tools[Name] extends ToolFunction
    ? Name
    : never]: Tools[Name] extends ToolFunction ? Guarded<Tools[Name]> : never;
};

export type ToolOptions<Result = unknown> = {
  /** The sub-agent that calls; absent for the main agent. */
  readonly agent?: string | undefined;
  /** What a call gives that is not run; without it, a `CallBlocked` is thrown whose message is for the model. */
  readonly blocked?: ((text: string) => Result) | undefined;
  /** `result` = nudges are appended to results that are text; `queue` = they wait for `takeNudge`. Default `result`. */
  readonly nudges?: 'result' | 'queue' | undefined;
  /** Whether a result says that the call failed, for tools that do not throw; MCP's `isError` is known without it. */
  readonly isFailure?: ((result: Result) => boolean | undefined) | undefined;
};
/** The options that tools of any results can share. */
export type SharedToolOptions = Omit<ToolOptions, 'blocked'>;

/** `kept` = what the loop has so far, for whoever catches its stop. */
type KeepingRun = Run & { kept(): unknown };

/** Calls are told apart by this and a number: other processes may go on with the same session. */
const PROCESS = /* @__PURE__ */ Math.random().toString(36).slice(2);
let calls = 0;

/** The tool under the run's guard. What it throws is thrown on as it is; a stop is a `LoopHalted`. `owner` = its `this`. */
export function guardTool<Tool extends ToolFunction>(
  run: KeepingRun,
  tool: string,
  execute: Tool,
  options: ToolOptions<Awaited<ReturnType<Tool>>> = {},
  owner?: object,
): Guarded<Tool> {
  type Result = Awaited<ReturnType<Tool>>;
  if (typeof execute !== 'function') throw wrong(`tools[${show(tool)}]`, execute, 'a function');
  const { agent } = options;
  function guarded(this: unknown, ...args: Parameters<Tool>): Promise<Result> {
    return executed<Result>(
      run,
      { id: newId(), tool, args: argumentsOf(args), agent },
      () => execute.apply((owner ?? this) as never, args) as Result | Promise<Result>,
      options,
    );
  }
  return Object.defineProperties(guarded, ownOf(execute)) as Guarded<Tool>;
}

/** What a function has by itself: its name, and what a program has put there; what the language keeps there cannot be handed on. */
function ownOf(execute: ToolFunction): PropertyDescriptorMap {
  const { prototype: _, arguments: __, caller: ___, ...own } = Object.getOwnPropertyDescriptors(execute);
  return own as PropertyDescriptorMap;
}

/** All functions of an object under the run's guard, by their names; each still finds the object as its `this`. Throws where there are none. */
export function guardTools<Tools extends object>(
  run: KeepingRun,
  tools: Tools,
  options?: SharedToolOptions,
): GuardedMap<Tools> {
  const names = Array.isArray(tools) ? [] : namesIn(tools);
  const others = Object.keys(tools);
  if (names.length === 0 && others.length > 0)
    throw wrong('tools', others, 'an object of functions, by the names of the tools');
  const guarded = names.map((name) => {
    const execute = (tools as { readonly [name: string]: ToolFunction })[name] as ToolFunction;
    return [name, guardTool(run, name, execute, options, tools)] as const;
  });
  return Object.fromEntries(guarded) as GuardedMap<Tools>;
}

/** The names of its functions: its own, and where it is an object of a class, those of the class. */
function namesIn(tools: object): readonly string[] {
  const own = Object.entries(tools).flatMap(([name, tool]) => (typeof tool === 'function' ? [name] : []));
  const names = new Set(own);
  let from: object | null = Object.getPrototypeOf(tools);
  // The last one is that of all objects.
  for (let next = parentOf(from); from !== null && next !== null; from = next, next = parentOf(from)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(from)))
      if (typeof value === 'function' && name !== 'constructor' && !Object.hasOwn(tools, name))
        names.add(name);
  }
  return [...names];
}

function parentOf(prototype: object | null): object | null {
  return prototype === null ? null : Object.getPrototypeOf(prototype);
}

/** `also` = what stands behind a first argument that is no object; a context (with functions, of a class) is not what the model wrote. */
function argumentsOf([first, ...others]: readonly unknown[]): unknown {
  if (others.length === 0 || typeof first === 'object') return first ?? null;
  const also = others.filter(isData);
  return also.length === 0 ? (first ?? null) : { first, also };
}

function isData(value: unknown): boolean {
  return isPlain(value) && (typeof value !== 'object' || Object.values(value ?? {}).every(isPlain));
}

/** No function, and of no class. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || prototype === Array.prototype;
}

/** By its arguments a call would be lost whose tool changes them. */
function newId(): string {
  calls += 1;
  return `${PROCESS}-${calls}`;
}

/** Of the module, and not of each tool of each run: an engine compiles it once. */
async function executed<Result>(
  run: KeepingRun,
  call: HostCall,
  execute: () => Result | Promise<Result>,
  { blocked, nudges = 'result', isFailure }: ToolOptions<Result>,
): Promise<Result> {
  if (!run.isReady) await run.ready();
  const verdict = await run.judge(call);
  if (verdict.do === 'stop') throw new LoopHalted(verdict.reason, run.kept());
  if (verdict.do === 'hold') throw new LoopHalted(verdict.question, run.kept());
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
  const status = fieldsOf(result)['isError'] === true || isFailure?.(result) ? 'error' : 'ok';
  const stub = run.after(call, { output: result, status }, { replaceable: text });
  if (stub !== null) result = stub as Result;
  const nudge = text && nudges === 'result' ? run.takeNudge(call.agent) : null;
  return nudge === null ? result : (`${result}\n\n${nudge.text}` as Result);
}
