import { watchedModel } from '../ai-sdk/watched-model.ts';
import { fieldsOf } from '../fields.ts';
import { leave } from './cast.ts';
import { hearClientResults } from './client-calls.ts';
import { durableProcessor } from './durable-processor.ts';
import { createEar, type Ear, HEARING } from './listener.ts';
import { hearPrompt, hearSignals } from './person.ts';
import type { Agent, Dynamic, Fallback, Llm, ModelContext, Output, Said, StreamOptions } from './shapes.ts';
import { processorsOf } from './step-processor.ts';
import { type SuspendedStep, suspendedStepIn } from './suspended-step.ts';
import { type Begin, hear, type WatchedCall } from './watched-call.ts';
import { watchedTools } from './watched-tools.ts';

/** All that an agent does goes through what its `getLLM` gives: the models, and the loop around them. Durable agents ask it for its processors instead. */
export function watchAgent(
  agent: Agent,
  begin: Begin,
  watchCopy: (copy: Agent) => void,
  tellUnheard: (agent: Agent) => void,
): void {
  const getLLM = agent.getLLM.bind(agent);
  agent.getLLM = async ({ requestContext, model = agent.model } = {}) => {
    const ear = createEar();
    const llm = await getLLM({ requestContext, model: (context) => heardModels(agent, model, context, ear) });
    const heard = llm.getModel();
    // Models of the AI SDK 4 have another loop.
    if (heard.specificationVersion === 'v1') {
      tellUnheard(agent);
      return llm;
    }
    // Another guard may have put its own ear to it.
    ear.watched.add(heard);
    return watchedLlm(llm, ear, begin);
  };
  const listInputProcessors = agent.listInputProcessors.bind(agent);
  const ours = durableProcessor(begin);
  agent.listInputProcessors = async (context) => [...(await listInputProcessors(context)), ours];
  const fork = agent.__fork?.bind(agent);
  if (fork === undefined) return;
  agent.__fork = () => {
    const copy = fork();
    watchCopy(copy);
    return copy;
  };
}

async function heardModels(agent: Agent, model: Dynamic, context: ModelContext, ear: Ear): Promise<unknown> {
  const selected: unknown = typeof model === 'function' ? await model(context) : model;
  if (!Array.isArray(selected)) return heardModel(agent, selected, context, ear);
  return Promise.all(
    selected.map(async (one: Fallback) =>
      one.enabled === false ? one : { ...one, model: await heardModel(agent, one.model, context, ear) },
    ),
  );
}

async function heardModel(
  agent: Agent,
  modelConfig: unknown,
  { requestContext }: ModelContext,
  ear: Ear,
): Promise<object> {
  const model = await agent.getModel({ requestContext, modelConfig });
  if (model.specificationVersion === 'v1') return model;
  const same = watchedModel(model, HEARING, ear) as object;
  ear.watched.add(same);
  return same;
}

function watchedLlm(llm: Llm, ear: Ear, begin: Begin): Llm {
  const stream = llm.stream.bind(llm);
  llm.stream = (options) => {
    // Titles of threads, and what Mastra asks a model for itself.
    if (options.runId === undefined) return stream(options);
    const call = begin(options, ear.watched);
    ear.call = call;
    const ready = call.run.begin();
    if (call.run.isReady) return started(call, stream, options);
    return ready.then(() => started(call, stream, options));
  };
  return llm;
}

function started(call: WatchedCall, stream: Llm['stream'], options: StreamOptions): Output | Promise<Output> {
  try {
    return followed(call, stream(watchedOptions(call, options)));
  } catch (error) {
    return failed(call, error);
  }
}

function failed({ cast, agent }: WatchedCall, error: unknown): never {
  if (cast !== null) leave(cast, agent, false);
  throw error;
}

/** The same output; when it has ended, its agent has left the run. */
function followed(call: WatchedCall, output: Output | Promise<Output>): Output | Promise<Output> {
  const { cast, agent } = call;
  if (cast === null) return output;
  // Another guard may have to wait for its store first.
  if (output instanceof Promise)
    return output.then(
      (later) => followed(call, later),
      (error: unknown) => failed(call, error),
    );
  const ended = output._waitUntilFinished?.();
  const done = () => leave(cast, agent, output.status === 'suspended');
  if (ended !== undefined) ended.then(done, done);
  // Nobody says when it ends: then others of its name go on from it, as if it had.
  else if (agent !== undefined) leave(cast, agent, false);
  return output;
}

function watchedOptions(call: WatchedCall, options: StreamOptions): StreamOptions {
  const { messageList, tools = {}, resumeContext, threadId } = options;
  // The messages of a suspended run are not there yet.
  if (resumeContext === undefined) {
    const messages = messageList.get.all.db();
    hearClientResults(call, messages, tools);
    hear(call, messages, tools);
    // No step has begun yet that a response could be missing from.
    call.told = true;
    hearPrompt(call, messageList, threadId !== undefined);
  }
  hearSignals(call, messageList);
  return {
    ...options,
    ...(resumeContext !== undefined && resumed(call, options, suspendedStepIn(resumeContext.snapshot))),
    ...(canGoOn(options) && {
      onIterationComplete(context) {
        const said = options.onIterationComplete?.(context);
        return call.isLastStep ? unlessOver(call, said) : said;
      },
    }),
    tools: watchedTools(tools, call),
    inputProcessors: processorsOf(call, options),
    // It is among them.
    options: { ...options.options, prepareStep: undefined },
  };
}

/** Whether somebody may have the call go on although the model has nothing more to do. */
function canGoOn({ onIterationComplete, isTaskComplete, goal }: StreamOptions): boolean {
  return (onIterationComplete ?? isTaskComplete ?? goal) !== undefined;
}

/** Once it is over, it does not go on, unless the user has just let it. */
async function unlessOver({ run, agent }: WatchedCall, saying: Said | Promise<Said>): Promise<Said> {
  const said = await saying;
  return run.isOver(agent) ? { continue: false } : said;
}

/** What became of the step's calls is seen before the next one: Mastra may run them with the tools of the call before. */
function resumed(
  { run, agent, open }: WatchedCall,
  { toolCallId, resumeContext }: StreamOptions,
  { calls, waiting }: SuspendedStep,
): Pick<StreamOptions, 'toolCallId'> {
  for (const id of calls) open.set(id, undefined);
  if (toolCallId === undefined) return {};
  open.set(toolCallId, undefined);
  // One question, one answer: where all that wait do so for it, they go on together.
  const held = run.questionFor(agent)?.held ?? [];
  const isForAll = waiting.length > 1 && [toolCallId, ...waiting].every((id) => held.includes(id));
  // A no is not in the messages where another call of the step ended with an error.
  const isNo = fieldsOf(resumeContext?.resumeData)['approved'] === false;
  if (isNo && held.includes(toolCallId)) run.answer(false, agent);
  return isForAll ? { toolCallId: undefined } : {};
}
