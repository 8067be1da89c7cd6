import { watchedModel } from '../ai-sdk/watched-model.ts';
import { createEar, type Ear, listenerOf } from './listener.ts';
import {
  type Agent,
  type Dynamic,
  type Fallback,
  type Llm,
  type Message,
  type ModelContext,
  type StreamOptions,
  wordsIn,
} from './shapes.ts';
import { processorsOf } from './step-processor.ts';
import { hear, type WatchedCall } from './watched-call.ts';
import { watchedTools } from './watched-tools.ts';

/** Begins a call of `generate` or `stream`. */
type Begin = (options: StreamOptions, watched: WeakSet<object>) => WatchedCall;

/** All that an agent does goes through what its `getLLM` gives: the models, and the loop around them. */
export function watchAgent(agent: Agent, begin: Begin): void {
  const getLLM = agent.getLLM.bind(agent);
  agent.getLLM = async ({ requestContext, model = agent.model } = {}) => {
    const ear = createEar();
    const llm = await getLLM({ requestContext, model: (context) => heardModels(agent, model, context, ear) });
    // Models of the AI SDK 4 have another loop.
    return ear.watched.has(llm.getModel()) ? watchedLlm(llm, ear, begin) : llm;
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
  const same = watchedModel(model, listenerOf(ear)) as object;
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
    if (call.run.isReady) return stream(watchedOptions(call, options));
    return ready.then(() => stream(watchedOptions(call, options)));
  };
  return llm;
}

function watchedOptions(call: WatchedCall, options: StreamOptions): StreamOptions {
  const { messageList, tools = {}, resumeContext } = options;
  // The messages of a suspended run are not there yet.
  if (resumeContext === undefined) hearPrompt(call, messageList.get.all.db(), tools);
  return { ...options, tools: watchedTools(tools, call), inputProcessors: processorsOf(call, options) };
}

function hearPrompt(call: WatchedCall, messages: readonly Message[], tools: object): void {
  const { run, agent } = call;
  hear(call, messages, tools);
  const last = messages.at(-1);
  if (last?.role === 'user') run.user(wordsIn(last), { agent });
}
