import { type Fields, fieldsOf } from '../fields.ts';
import { forgetPieces } from '../forget-pieces.ts';
import { jsonStart, numbered } from '../json-laps.ts';
import type { Run } from '../run.ts';
import { responseOf } from './messages.ts';
import { type Message, reasoningOf } from './shapes.ts';

/** Hears a response while it is streamed, if it is, and cuts it where it runs in circles. */
export type StreamListener = {
  /** Settings for `bindTools`: outside a graph they bring the listener into the config of the call. */
  readonly settings: Fields;
  /** Listens in the config of the node until the function that it gives is called; the model stays the one it is. */
  enter(): () => void;
  /** What there was of the response when it was cut; undefined = it was not. */
  cut(): Message | undefined;
  /** There were only thoughts of it then. */
  isThought(): boolean;
};

/** Of LangChain's callbacks. */
type Handler = {
  readonly name?: string;
  handleChatModelStart?(...told: readonly unknown[]): unknown;
  handleLLMEnd?(...told: readonly unknown[]): unknown;
};

/** Those who listen in one config. Of several at once nobody can tell whose words they hear, so none of them does. */
type Listening = { count: number; isAlone: boolean; leave(): void };

/** Stands for a response of which there were only thoughts: providers refuse a message that says nothing. */
const ONLY_THOUGHTS = 'The response was cut: its thoughts went round in circles.';

/** The handlers by which LangGraph streams messages: whole ones and chunks, or events of their blocks. */
const STREAMING: readonly unknown[] = ['StreamMessagesHandler', 'StreamProtocolMessagesHandler'];

const listening = new WeakMap<object, Listening>();

/** Where LangChain keeps the config of what runs now, under names that all its packages share. */
const STORAGE = Symbol.for('ls:tracing_async_local_storage');
const CONFIG = Symbol.for('lc:child_config');

/** By which LangChain marks errors that asking again does not help against: its middleware for retries heeds it. */
const RETRYABLE = Symbol.for('langchain.errors.retryable');

function cutOff(): DOMException {
  const error = new DOMException('The response ran in circles.', 'AbortError');
  return Object.defineProperty(error, RETRYABLE, { value: false });
}

/**
 * Whether anybody may hear the response while it is made. Listening is not free: where nobody else does, LangChain would write every
 * call down for us alone. Of models that do not say whether they stream nobody knows.
 */
export function mayStream(model: unknown, settings: Fields): boolean {
  const { streaming, callbacks } = fieldsOf(model);
  if (streaming !== false || callbacks !== undefined || settings['callbacks'] !== undefined) return true;
  const config = configNow();
  return config === undefined || fieldsOf(config)['callbacks'] !== undefined;
}

function configNow(): object | undefined {
  const storage = (globalThis as { [key: symbol]: unknown })[STORAGE] as { getStore?(): unknown } | undefined;
  const extra = fieldsOf(fieldsOf(storage?.getStore?.())['extra']) as { [key: symbol]: unknown };
  return extra[CONFIG] as object | undefined;
}

/** Callbacks are a list, or a manager of LangChain's. */
function withHandler(callbacks: unknown, handler: Handler): unknown {
  if (Array.isArray(callbacks)) return [...callbacks, handler];
  const manager = callbacks as { copy?(handlers: readonly Handler[], inherit: boolean): unknown } | undefined;
  return manager?.copy?.([handler], false) ?? [handler];
}

/** Shows a message that no model gave to those who stream messages: of an agent's responses LangGraph streams only what models give. */
export function showInStream(message: Message): void {
  const { callbacks, tags, metadata } = fieldsOf(configNow());
  const { handlers = callbacks } = fieldsOf(callbacks);
  if (!Array.isArray(handlers)) return;
  for (const handler of handlers as readonly Handler[]) {
    if (!STREAMING.includes(handler.name)) continue;
    const id = crypto.randomUUID();
    handler.handleChatModelStart?.({}, [], id, undefined, {}, tags, metadata, 'deloop');
    handler.handleLLMEnd?.({ generations: [[{ text: message.content, message }]] }, id);
  }
}

/** Where a response is listened to; `seen` = messages of the conversation; `isData` = its text may be a structured response. */
type Hearing = {
  readonly run: Run;
  readonly agent: string | undefined;
  readonly seen: readonly Message[];
  readonly given: Fields;
  readonly isData: boolean;
};

export function listenToStream({ run, agent, seen, given, isData }: Hearing): StreamListener {
  const stop = new AbortController();
  let json = jsonStart();
  let text = '';
  let hasPieces = false;
  let speaking: unknown;
  let started: Partial<Message> = {};
  let cut: Message | undefined;
  let here: Listening | undefined;
  const forget = () => {
    if (!hasPieces || cut !== undefined) return;
    hasPieces = false;
    json = jsonStart();
    text = '';
    forgetPieces(run, agent);
  };
  /** `last` = the message that the piece came in; some models do not tell it. */
  const hear = (
    channel: 'content' | 'reasoning',
    piece: string,
    speaker: unknown,
    last: Partial<Message>,
  ) => {
    if (piece === '' || cut !== undefined || here?.isAlone === false) return;
    // Middleware behind us may ask models of its own; the response comes last.
    if (speaker !== speaking) forget();
    speaking = speaker;
    hasPieces = true;
    if (channel === 'content') text += piece;
    const told = isData && channel === 'content' ? numbered(json, piece) : piece;
    if (run.delta(channel, told, agent)) return;
    // As LangChain names what has no id.
    const { id = `run-${speaker}` } = last;
    cut = responseOf(last.type === 'ai' ? [last as Message] : seen, {
      ...(text === '' ? { content: ONLY_THOUGHTS } : { content: text, id }),
      response_metadata: { deloop: { cut: channel } },
    });
    if (cut !== undefined) stop.abort(cutOff());
  };
  const handler = {
    name: 'deloop',
    // Otherwise the next tokens do not wait for what is heard of this one.
    awaitHandlers: true,
    handleLLMNewToken(token: unknown, ...[, speaker, , , fields]: readonly unknown[]) {
      if (typeof token !== 'string') return;
      const last = fieldsOf(fieldsOf(fieldsOf(fields)['chunk'])['message']) as Message;
      // A piece of a thought comes as a token without text.
      if (token === '') hear('reasoning', reasoningOf(last), speaker, last);
      else hear('content', token, speaker, last);
    },
    /** In the place of tokens where messages are streamed as events of their blocks: `streamEvents` of version 3. */
    handleChatModelStreamEvent(told: unknown, speaker: unknown) {
      const { event, id, delta } = fieldsOf(told);
      if (event === 'message-start') started = { id: typeof id === 'string' ? id : undefined };
      if (event !== 'content-block-delta') return;
      const { type, text: words, reasoning: thought } = fieldsOf(delta);
      if (type === 'text-delta' && typeof words === 'string') hear('content', words, speaker, started);
      if (type === 'reasoning-delta' && typeof thought === 'string')
        hear('reasoning', thought, speaker, started);
    },
    // Others may ask the model again, before us or behind us.
    handleLLMError: forget,
  };
  const heardIn = ({ callbacks, signal }: Fields) => ({
    callbacks: withHandler(callbacks, handler),
    signal: signal instanceof AbortSignal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
  });
  // Models of OpenAI, and those made of them, put the config of the call in the place of such settings.
  const config = configNow();
  return {
    settings: config === undefined ? { ...given, ...heardIn(given) } : given,
    enter() {
      if (config === undefined) return () => {};
      const { callbacks, signal } = fieldsOf(config);
      const leave = () => Object.assign(config, { callbacks, signal });
      const same: Listening = listening.get(config) ?? { count: 0, isAlone: true, leave };
      here = same;
      same.count += 1;
      same.isAlone = same.count === 1;
      if (same.isAlone) Object.assign(config, heardIn(fieldsOf(config)));
      else same.leave();
      listening.set(config, same);
      return () => {
        same.count -= 1;
        if (same.isAlone) same.leave();
        if (same.count === 0) listening.delete(config);
      };
    },
    cut: () => cut,
    isThought: () => cut !== undefined && text === '',
  };
}
