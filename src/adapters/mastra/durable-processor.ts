import { hearClientResults } from './client-calls.ts';
import { hearNewest, hearPrompt } from './person.ts';
import type { Processor, StepArgs } from './shapes.ts';
import { prepareStep } from './step-processor.ts';
import type { Begin, WatchedCall } from './watched-call.ts';

/** For durable agents, whose loop is not that of the agent that they are made of. */
export function durableProcessor(begin: Begin): Processor {
  const calls = new WeakMap<object, WatchedCall>();
  return {
    id: 'deloop',
    async processInputStep(args) {
      const call = calls.get(args.state) ?? (await begun(begin, args));
      calls.set(args.state, call);
      hearNewest(call, args.messages);
      const { isLastStep: wasLastStep } = call;
      const result = await prepareStep(call, args);
      // Somebody has it go on although it was to end: not a person, who would have been heard.
      if (wasLastStep && call.isLastStep) args.requestContext?.set('__mastra_delegationBailed', true);
      // From a response without calls on it is not at work, unless another step comes.
      if (call.durableIn !== null) call.durableIn.isDurable = !call.isLastStep;
      return result;
    },
  };
}

async function begun(begin: Begin, args: StepArgs): Promise<WatchedCall> {
  const { stepNumber, messageList, agent, tools = {} } = args;
  const threadId = threadOf(args);
  const call = begin({ threadId, agentId: agent?.id }, new WeakSet());
  await call.run.begin();
  if (stepNumber === 0) {
    hearClientResults(call, messageList.get.all.db(), tools);
    hearPrompt(call, messageList, threadId !== undefined);
  }
  return call;
}

/** The id of the thread, where the agent has a memory. */
function threadOf({ requestContext }: StepArgs): string | undefined {
  const memory = requestContext?.get('MastraMemory') as { thread?: { id?: unknown } } | undefined;
  return typeof memory?.thread?.id === 'string' ? memory.thread.id : undefined;
}
