import type { Usage } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import { heardStream } from './heard-stream.ts';
import { type Part, partsOf } from './shapes.ts';
import { usageOf } from './usage.ts';

export type Said = { readonly text: string; readonly reasoning: string; readonly usage?: Usage | undefined };

/** How a listener hears a model. */
export type Hearing<Listener> = {
  /** A response, before its calls run; in a stream, what there was of it before the first call. */
  turn(listener: Listener, said: Said): void;
  /** A call that is the host's to run, after its turn. */
  called?(listener: Listener, id: string): void;
  /** `false` = cut the stream here. */
  delta(listener: Listener, channel: 'content' | 'reasoning', text: string): boolean;
  /** What a stream told of its tokens when it ended. */
  spent(listener: Listener, usage: Usage): void;
};

type Generate = (options: unknown) => Promise<object>;
type Stream = (options: unknown) => Promise<{ readonly stream: ReadableStream<Part> }>;

/** The same model, listened to. A model that is given by its name is the host's to find, and stays as it is. */
export function watchedModel<Listener>(
  model: unknown,
  hearing: Hearing<Listener>,
  listener: Listener,
): unknown {
  if (typeof model !== 'object' || model === null || !('doGenerate' in model)) return model;
  const isOld = fieldsOf(model)['specificationVersion'] === 'v2';
  const watched = new Map<PropertyKey, unknown>();
  return new Proxy(model, {
    get(target, name) {
      const known = watched.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const own = value.bind(target) as Generate & Stream;
      const same =
        name === 'doGenerate'
          ? (options: unknown) => generated(own, options, hearing, listener)
          : name === 'doStream'
            ? (options: unknown) => streamed(own, options, hearing, listener, isOld)
            : own;
      watched.set(name, same);
      return same;
    },
  });
}

async function generated<Listener>(
  generate: Generate,
  options: unknown,
  hearing: Hearing<Listener>,
  listener: Listener,
): Promise<object> {
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
  hearing.turn(listener, { text, reasoning, usage: usageOf(usage) });
  if (hearing.called !== undefined) for (const part of parts) hearCall(part, hearing, listener);
  return result;
}

async function streamed<Listener>(
  stream: Stream,
  options: unknown,
  hearing: Hearing<Listener>,
  listener: Listener,
  isOld: boolean,
): ReturnType<Stream> {
  const result = await stream(options);
  const heard: Heard<Listener> = { hearing, listener, isOld, text: '', reasoning: '', told: false };
  return { ...result, stream: heardStream(result.stream, hearPart<Listener>, heard) };
}

/** What was heard of a stream so far. */
type Heard<Listener> = {
  readonly hearing: Hearing<Listener>;
  readonly listener: Listener;
  readonly isOld: boolean;
  text: string;
  reasoning: string;
  told: boolean;
};

function hearPart<Listener>(part: Part, heard: Heard<Listener>): readonly Part[] | null {
  const { type } = part;
  const { hearing, listener } = heard;
  if (type === 'text-delta' || type === 'reasoning-delta') {
    const { id, delta } = part;
    if (typeof delta !== 'string') return null;
    const name = type === 'text-delta' ? 'text' : 'reasoning';
    heard[name] += delta;
    if (hearing.delta(listener, name === 'text' ? 'content' : name, delta)) return null;
    tell(heard);
    return [{ type: `${name}-end`, id }, ending(heard.isOld)];
  }
  if (type === 'tool-call') {
    tell(heard);
    hearCall(part, hearing, listener);
  }
  if (type === 'finish') {
    tell(heard);
    const tokens = usageOf(part['usage']);
    if (tokens !== undefined) hearing.spent(listener, tokens);
  }
  return null;
}

function tell<Listener>(heard: Heard<Listener>): void {
  const { hearing, listener, text, reasoning, told } = heard;
  if (!told) hearing.turn(listener, { text, reasoning });
  heard.told = true;
}

function hearCall<Listener>(
  { type, toolCallId, providerExecuted }: Part,
  hearing: Hearing<Listener>,
  listener: Listener,
): void {
  if (type === 'tool-call' && providerExecuted !== true) hearing.called?.(listener, String(toolCallId));
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
