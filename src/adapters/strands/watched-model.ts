import { LoopHalted } from '../loop-halted.ts';
import { watchedParts } from '../watched-parts.ts';
import { STRUCTURED_OUTPUT } from './shapes.ts';
import { forgetBroken, type WatchedAgent } from './watched-agent.ts';

type Options = { readonly toolSpecs?: readonly { readonly name: string }[] | undefined };
type Stream = (messages: unknown, options?: Options) => AsyncIterable<Part>;
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
      // `streamAggregated` calls `stream` of whoever `this` is.
      const own = value.bind(name === 'streamAggregated' ? receiver : target) as Stream;
      const same = name === 'stream' ? watchedStream(own, agent) : own;
      bound.set(name, same);
      return same;
    },
  });
}

function watchedStream(stream: Stream, agent: WatchedAgent): Stream {
  return (messages, options = {}) => {
    // Others ask the model as well, for a summary of the conversation or for what to remember; only the agent says which tools it has.
    if (options.toolSpecs === undefined) return stream(messages, options);
    const { run, name, isOver } = agent;
    const reason = isOver ? run.stoppedFor(name) : null;
    if (reason !== null) throw new LoopHalted(reason, agent.agent.messages);
    forgetBroken(agent);
    const given = agent.isLastTurn ? withoutTools(options) : options;
    return watchedParts(stream(messages, given), heard, agent);
  };
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
