import type { Usage } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import { heardStream } from './heard-stream.ts';
import { type Part, partsOf } from './shapes.ts';
import { usageOf } from './usage.ts';

/** Who listens to a model. */
export type Listener = {
  /** A response, before its calls run; in a stream, what there was of it before the first call. */
  turn(said: { readonly text: string; readonly reasoning: string; readonly usage?: Usage | undefined }): void;
  /** A call that is the host's to run, after its turn. */
  called?(id: string): void;
  /** `false` = cut the stream here. */
  delta(channel: 'content' | 'reasoning', text: string): boolean;
  /** What a stream told of its tokens when it ended. */
  spent(usage: Usage): void;
};

type Generate = (options: unknown) => Promise<object>;
type Stream = (options: unknown) => Promise<{ readonly stream: ReadableStream<Part> }>;

/** The same model, listened to. A model that is given by its name is the host's to find, and stays as it is. */
export function watchedModel(model: unknown, listener: Listener): unknown {
  if (typeof model !== 'object' || model === null || !('doGenerate' in model)) return model;
  const watched = new Map<PropertyKey, unknown>();
  return new Proxy(model, {
    get(target, name) {
      const known = watched.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const same = watchedFunction(name, value.bind(target) as Generate & Stream, target, listener);
      watched.set(name, same);
      return same;
    },
  });
}

function watchedFunction(
  name: PropertyKey,
  value: Generate & Stream,
  model: object,
  listener: Listener,
): unknown {
  if (name === 'doGenerate') return watchedGenerate(value, listener);
  return name === 'doStream'
    ? watchedStream(value, listener, fieldsOf(model)['specificationVersion'] === 'v2')
    : value;
}

function watchedGenerate(generate: Generate, listener: Listener): Generate {
  return async (options) => {
    const result = await generate(options);
    const { content, usage } = fieldsOf(result);
    const parts = partsOf(content);
    let text = '';
    let reasoning = '';
    for (const { type, text: words } of parts) {
      if (typeof words !== 'string') continue;
      if (type === 'text') text += words;
      else if (type === 'reasoning') reasoning += words;
    }
    listener.turn({ text, reasoning, usage: usageOf(usage) });
    if (listener.called !== undefined) for (const part of parts) hearCall(part, listener);
    return result;
  };
}

function watchedStream(stream: Stream, listener: Listener, isOld: boolean): Stream {
  return async (options) => {
    const result = await stream(options);
    return { ...result, stream: watchedParts(result.stream, listener, isOld) };
  };
}

function watchedParts(parts: ReadableStream<Part>, listener: Listener, isOld: boolean): ReadableStream<Part> {
  const said = { text: '', reasoning: '' };
  let told = false;
  const tell = () => {
    if (!told) listener.turn(said);
    told = true;
  };
  return heardStream(parts, (part) => {
    const { type, id, delta, usage } = part;
    if (type === 'text-delta' || type === 'reasoning-delta') {
      if (typeof delta !== 'string') return null;
      const name = type === 'text-delta' ? 'text' : 'reasoning';
      said[name] += delta;
      if (listener.delta(type === 'text-delta' ? 'content' : 'reasoning', delta)) return null;
      tell();
      return [{ type: `${name}-end`, id }, ending(isOld)];
    }
    if (type === 'tool-call') {
      tell();
      hearCall(part, listener);
    }
    if (type === 'finish') {
      tell();
      const tokens = usageOf(usage);
      if (tokens !== undefined) listener.spent(tokens);
    }
    return null;
  });
}

function hearCall({ type, toolCallId, providerExecuted }: Part, listener: Listener): void {
  if (type === 'tool-call' && providerExecuted !== true) listener.called?.(String(toolCallId));
}

/** The end of a response, as a model tells it; nobody knows what the rest would have cost. */
function ending(isOld: boolean): Part {
  if (isOld)
    return {
      type: 'finish',
      finishReason: 'stop',
      usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
    };
  const unknown = undefined;
  return {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'deloop' },
    usage: {
      inputTokens: { total: unknown, noCache: unknown, cacheRead: unknown, cacheWrite: unknown },
      outputTokens: { total: unknown, text: unknown, reasoning: unknown },
    },
  };
}
