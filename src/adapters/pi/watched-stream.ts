import { watchedParts } from '../watched-parts.ts';
import type { Message, Model, Part, Response, Stream } from './shapes.ts';
import { withoutTools } from './without-tools.ts';

/** What happens around a response. */
export type Listener = {
  /** Before the model is called. `end` = it is not, and this is what it would have said. */
  begin(): Promise<{ readonly end?: string; readonly mayCallTools: boolean }>;
  /** `false` = cut the response here. */
  delta(channel: 'content' | 'reasoning', text: string): boolean;
};

const CHANNELS: { readonly [type: string]: 'content' | 'reasoning' } = {
  text_delta: 'content',
  thinking_delta: 'reasoning',
};

/** The stream function of an agent, listened to. */
export function watchedStream(stream: Stream, listener: Listener): Stream {
  let follower: Follower | null = null;
  return async (model, context, options) => {
    const { end, mayCallTools } = await listener.begin();
    if (end !== undefined) return told(messageOf(model, end));
    // pi has one signal for all responses to a prompt.
    if (follower === null || follower.signal.aborted || follower.followed !== options?.signal)
      follower = followerOf(options?.signal);
    const { signal, abort } = follower;
    const given = mayCallTools ? context : withoutTools(context);
    const response = await stream(model, given, { ...options, signal });
    return watchedResponse(response, listener, abort);
  };
}

/** A signal that follows another one, and can be aborted by itself. `AbortSignal.any` costs many times as much. */
type Follower = {
  readonly followed: AbortSignal | undefined;
  readonly signal: AbortSignal;
  readonly abort: () => void;
};

function followerOf(followed: AbortSignal | undefined): Follower {
  const cut = new AbortController();
  const abort = () => {
    followed?.removeEventListener('abort', abort);
    cut.abort(followed?.reason);
  };
  if (followed?.aborted === true) abort();
  else followed?.addEventListener('abort', abort);
  return { followed, signal: cut.signal, abort };
}

function watchedResponse(response: Response, listener: Listener, abort: () => void): Response {
  let last: Message | null = null;
  return {
    ...watchedParts(response, ({ type, delta = '', partial }) => {
      const channel = CHANNELS[type];
      if (channel === undefined || partial === undefined || listener.delta(channel, delta)) return null;
      last = { ...partial, stopReason: 'stop' };
      abort();
      return [done(last)];
    }),
    result: async () => last ?? response.result(),
  };
}

/** A response that is there already. */
function told(message: Message): Response {
  return {
    async *[Symbol.asyncIterator]() {
      yield done(message);
    },
    result: async () => message,
  };
}

function done(message: Message): Part {
  const part = { type: 'done', reason: 'stop', message };
  return part;
}

function messageOf({ api, provider, id }: Model, text: string): Message {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
  const message = {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api,
    provider,
    model: id,
    usage: { ...none, cost: { ...none, total: 0 } },
    stopReason: 'stop',
    timestamp: Date.now(),
  };
  return message;
}
