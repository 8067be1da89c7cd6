import { watchedModel } from '../ai-sdk/watched-model.ts';
import { mustAnswerFirst, READ, toolsAtLast } from '../needs-of-providers.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { HEARING } from './listener.ts';
import { type ModelName, modelSaying } from './model-saying.ts';
import type { Message, Processor, StepArgs, StepResult, StreamOptions } from './shapes.ts';
import { arrange, hear, type WatchedCall } from './watched-call.ts';
import { watchedTools } from './watched-tools.ts';

/** The processors of a call, ours among them whenever it has something to do. */
export function processorsOf(call: WatchedCall, options: StreamOptions): readonly Processor[] {
  const { inputProcessors = [], llmRequestInputProcessors = inputProcessors } = options;
  const { place } = call;
  const prepare = options.options?.prepareStep;
  // Mastra would make a processor of it behind all others, and ours would not see what it puts in.
  place.processors =
    prepare === undefined
      ? [...inputProcessors]
      : [
          ...inputProcessors,
          { id: 'prepare-step', name: 'Prepare Step Processor', processInputStep: prepare },
        ];
  place.isAlwaysThere = prepare !== undefined || llmRequestInputProcessors.some(actsInSteps);
  place.isBeforeRequests = llmRequestInputProcessors.some(actsInRequests);
  place.ours = {
    id: 'deloop',
    processInputStep: (args) => prepareStep(call, args),
    ...(place.isBeforeRequests && { processLLMRequest: () => beginRequest(call) }),
  };
  call.isAsking = !place.isAlwaysThere;
  if (place.isAlwaysThere) place.processors.push(place.ours);
  else arrange(call);
  return place.processors;
}

/** Whether it may change what a step is made of, answer in the model's place, or ask the model itself; nobody knows what a workflow does. */
function actsInSteps(processor: Processor): boolean {
  return 'processInputStep' in processor || 'processLLMResponse' in processor || actsInRequests(processor);
}

function actsInRequests(processor: Processor): boolean {
  return 'processLLMRequest' in processor || 'createRun' in processor;
}

/** The next one that asks the model is the agent. */
async function beginRequest(call: WatchedCall): Promise<void> {
  call.isAsking = true;
}

/** What is said or stopped before a step, and with which tools and which model it is made. */
export async function prepareStep(call: WatchedCall, args: StepArgs): Promise<StepResult> {
  const { run, agent } = call;
  const { messages, messageList, model, tools = {}, abortSignal } = args;
  if (!run.isReady) await run.ready();
  hear(call, messages, tools);
  // The model gets the signal, too, and ends the call.
  if (!run.isIdle(agent)) await unlessAborted(run.settle(agent), abortSignal).catch(() => {});
  const isLast = run.takeLastTurn(agent);
  const isOver = !isLast && run.isOver(agent);
  call.isLastStep = isLast || isOver;
  const nudge = isOver ? null : run.takeNudge(agent);
  if (nudge !== null) {
    args.rotateResponseMessageId?.();
    if (mustAnswerFirst(model) && endsInResults(messages))
      messageList.add({ role: 'assistant', content: READ }, 'response');
    messageList.add({ role: 'user', content: nudge.text }, 'input');
  }
  if (!run.isIdle(agent)) await run.saved();
  call.open.clear();
  call.isAsking = !call.place.isBeforeRequests;
  arrange(call);
  if (isOver) {
    const said = modelSaying(run.stoppedFor(agent)?.message ?? '', model as ModelName);
    return { model: said, ...withoutTools(args) };
  }
  const same = watchedTools(tools, call);
  return {
    ...(!call.watched.has(model) && {
      model: watchedModel(model, HEARING, { call, watched: call.watched }),
    }),
    ...(same !== tools && { tools: same }),
    ...(isLast && withoutTools(args)),
  };
}

function endsInResults(messages: readonly Message[]): boolean {
  const said = messages.at(-1)?.content.parts?.findLast(({ type }) => type !== 'step-start');
  return said?.type === 'tool-invocation';
}

/** The last step is words: they need not fit a schema, and no tool can be required for them. Where a request needs tools all the same, none runs. */
function withoutTools({ model, tools = {}, structuredOutput }: StepArgs): StepResult {
  const isStrict = structuredOutput !== undefined && structuredOutput.errorStrategy !== 'fallback';
  return {
    activeTools: toolsAtLast(model, tools),
    toolChoice: 'auto',
    ...(isStrict && { structuredOutput: { ...structuredOutput, errorStrategy: 'warn' } }),
  };
}
