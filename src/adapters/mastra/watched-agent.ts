import { watchedModel } from '../ai-sdk/watched-model.ts';
import { durableProcessor } from './durable-processor.ts';
import { createEar, type Ear, HEARING } from './listener.ts';
import type { Agent, Dynamic, Fallback, Llm, ModelContext, StreamOptions } from './shapes.ts';
import { processorsOf } from './step-processor.ts';
import { type Begin, hear, hearPrompt, type WatchedCall } from './watched-call.ts';
import { watchedTools } from './watched-tools.ts';

/** All that an agent does goes through what its `getLLM` gives: the models, and the loop around them. Durable agents ask it for its processors instead. */
export function watchAgent(agent: Agent, begin: Begin): void {
  const getLLM = agent.getLLM.bind(agent);
  agent.getLLM = async ({ requestContext, model = agent.model } = {}) => {
    const ear = createEar();
    const llm = await getLLM({ requestContext, model: (context) => heardModels(agent, model, context, ear) });
    const heard = llm.getModel();
    // Models of the AI SDK 4 have another loop.
    if (heard.specificationVersion === 'v1') return llm;
    // Another guard may have put its own ear to it.
    ear.watched.add(heard);
    return watchedLlm(llm, ear, begin);
  };
  const listInputProcessors = agent.listInputProcessors.bind(agent);
  const ours = durableProcessor(begin);
  agent.listInputProcessors = async (context) => [...(await listInputProcessors(context)), ours];
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
    if (call.run.isReady) return stream(watchedOptions(call, options));
    return ready.then(() => stream(watchedOptions(call, options)));
  };
  return llm;
}

function watchedOptions(call: WatchedCall, options: StreamOptions): StreamOptions {
  const { messageList, tools = {}, resumeContext } = options;
  // The messages of a suspended run are not there yet.
  if (resumeContext === undefined) {
    const messages = messageList.get.all.db();
    hear(call, messages, tools);
    hearPrompt(call, messages);
  }
  return { ...options, tools: watchedTools(tools, call), inputProcessors: processorsOf(call, options) };
}
