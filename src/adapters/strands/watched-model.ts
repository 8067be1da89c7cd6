import { isCompacted } from '../compacted.ts';
import { LoopHalted } from '../loop-halted.ts';
import { watchedParts } from '../watched-parts.ts';
import { STRUCTURED_OUTPUT } from './shapes.ts';
import { forgetBroken, type WatchedAgent } from './watched-agent.ts';

type Options = {
  readonly toolSpecs?: readonly { readonly name: string }[] | undefined;
  readonly cancelSignal?: AbortSignal | undefined;
};
type Stream = (messages: readonly unknown[], options?: Options) => AsyncIterable<Part>;
type Part = {
  readonly type: string;
  readonly delta?: { readonly type: string; readonly text?: string | undefined } | undefined;
};

/** The same model, listened to; whatever class it is of, it stays that. */
export function watchedModel(model: object, agent: WatchedAgent): object {
  const bound = new Map<PropertyKey, unknown>();
  return new Proxy(model, {
    get(target, name, receiver) {
      const known = bound.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'constructor') return value;
      const same = watchedMethod(name, value as Stream, target, receiver as object, agent);
      bound.set(name, same);
      return same;
    },
  });
}

function watchedMethod(
  name: PropertyKey,
  method: Stream,
  model: object,
  watched: object,
  agent: WatchedAgent,
): Stream {
  if (name === 'stream') return watchedStream(method.bind(model), agent, true);
  if (name !== 'streamAggregated') return method.bind(model);
  // It calls `stream` of whoever `this` is; one of the model's own may need its private fields, and is not listened to.
  return isOverridden(model, name) ? watchedStream(method.bind(model), agent, false) : method.bind(watched);
}

function isOverridden(model: object, name: PropertyKey): boolean {
  let owners = 0;
  for (let owner: object | null = model; owner !== null; owner = Reflect.getPrototypeOf(owner))
    if (Object.hasOwn(owner, name)) owners += 1;
  return owners > 1;
}

function watchedStream(stream: Stream, agent: WatchedAgent, hearsPieces: boolean): Stream {
  return (messages, options = {}) => {
    // Others ask the model as well, for a summary of the conversation or for what to remember; only agents say which tools they have.
    if (options.toolSpecs === undefined || !agent.isAsking || isAnothers(agent, options))
      return stream(messages, options);
    const { run, name, isOver, isLastTurn } = agent;
    const reason = isOver ? run.stoppedFor(name) : null;
    if (reason !== null) throw new LoopHalted(reason, agent.agent.messages);
    forgetBroken(agent);
    if (isCompacted(agent, messages.length)) run.tell({ type: 'compaction', agent: name });
    const given = isLastTurn ? withoutTools(options) : options;
    const parts = stream(messages, given);
    return hearsPieces ? watchedParts(parts, heard, agent) : parts;
  };
}

/** A tool, a hook or a middleware may make an agent with this one's model. Each invocation has a signal of its own, and so have its requests. */
function isAnothers({ agent }: WatchedAgent, { cancelSignal = agent.cancelSignal }: Options): boolean {
  return cancelSignal !== agent.cancelSignal;
}

/** All that is left is the tool that the SDK needs for a structured answer. */
function withoutTools({ toolSpecs = [], ...options }: Options): Options {
  const left = toolSpecs.filter(({ name }) => name === STRUCTURED_OUTPUT);
  const toolChoice = left.length > 0 ? { tool: { name: STRUCTURED_OUTPUT } } : undefined;
  return Object.assign(options, { toolSpecs: left, toolChoice });
}

const STOPPED = { type: 'modelMessageStopEvent', stopReason: 'endTurn' };
const ENDING: readonly Part[] = [{ type: 'modelContentBlockStopEvent' }, STOPPED];

function heard({ type, delta }: Part, agent: WatchedAgent): readonly Part[] | null {
  if (type !== 'modelContentBlockDeltaEvent' || typeof delta?.text !== 'string') return null;
  const channel = CHANNELS[delta.type];
  if (channel === undefined) return null;
  agent.hasPieces = true;
  return agent.run.delta(channel, delta.text, agent.name) ? null : ENDING;
}

const CHANNELS: { readonly [type: string]: 'content' | 'reasoning' } = {
  textDelta: 'content',
  reasoningContentDelta: 'reasoning',
};
