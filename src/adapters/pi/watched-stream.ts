import type { Message, Model, Part, Response, Stream } from './shapes.ts';
import { beforeResponse, type WatchedAgent } from './watched-agent.ts';
import { withoutTools } from './without-tools.ts';

const CHANNELS: { readonly [type: string]: 'content' | 'reasoning' } = {
  text_delta: 'content',
  thinking_delta: 'reasoning',
};

/** The stream function of an agent, listened to. */
export function watchedStream(stream: Stream, watched: WatchedAgent): Stream {
  let follower: Follower | null = null;
  return (model, context, options) => {
    if (watched.isAsked || options?.convertToLlm === undefined) return stream(model, context, options);
    const ask = ({ end, isEndless, mayCallTools }: Awaited<ReturnType<typeof beforeResponse>>) => {
      if (end !== undefined) return told(messageOf(model, end, isEndless === true));
      // pi has one signal for all responses to a prompt.
      if (follower === null || follower.signal.aborted || follower.followed !== options?.signal)
        follower = followerOf(options?.signal);
      const { signal, abort } = follower;
      const given = mayCallTools ? context : withoutTools(context);
      const response = stream(model, given, { ...options, signal });
      return response instanceof Promise
        ? response.then((there) => heardResponse(there, watched, abort))
        : heardResponse(response, watched, abort);
    };
    const begun = beforeResponse(watched, context.messages.length, options?.signal);
    return begun instanceof Promise ? begun.then(ask) : ask(begun);
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

/** The same response, heard where its pieces are put in: a stream around it would cost promises for each of them. */
function heardResponse(response: Response, watched: WatchedAgent, abort: () => void): Response {
  const push = response.push?.bind(response);
  if (push === undefined) return response;
  let isCut = false;
  response.push = (part) => {
    push(part);
    if (isCut || goesOn(part, watched)) return;
    isCut = true;
    // Nothing is taken in behind it.
    push(done({ ...(part.partial as Message), stopReason: 'stop' }));
    abort();
  };
  return response;
}

function goesOn({ type, delta = '', partial }: Part, watched: WatchedAgent): boolean {
  const channel = CHANNELS[type];
  if (channel === undefined || partial === undefined) return true;
  watched.hasPieces = true;
  return watched.run.delta(channel, delta, watched.agent);
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

/** A program that says something after every turn keeps a run alive that has ended: pi leaves only one that was aborted. */
function messageOf({ api, provider, id }: Model, text: string, isEndless: boolean): Message {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
  const message = {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api,
    provider,
    model: id,
    usage: { ...none, cost: { ...none, total: 0 } },
    stopReason: isEndless ? 'aborted' : 'stop',
    timestamp: Date.now(),
  };
  return message;
}
