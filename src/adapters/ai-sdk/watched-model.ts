import type { Usage } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import { type JsonPlace, jsonStart, numbered } from '../json-laps.ts';
import { heardStream, type Pausing } from './heard-stream.ts';
import { type Part, partsOf } from './shapes.ts';
import { usageOf } from './usage.ts';

export type Said = { readonly text: string; readonly reasoning: string; readonly usage?: Usage | undefined };

/** A stream, while it is heard. */
export type HeardStream = Readonly<Pausing>;

/** How a listener hears a model. */
export type Hearing<Listener> = {
  /** The model is asked now; maybe again. `signal` = what aborts the step; `options` = all that it is given. */
  asked?(listener: Listener, signal: AbortSignal | undefined, options: unknown): void;
  /** It answers with a stream. */
  streams?(listener: Listener, stream: HeardStream): void;
  /** It gave no answer, but an error. */
  failed?(listener: Listener): void;
  /** Whether the host gets an empty answer instead of the error. */
  forgives?(listener: Listener, error: unknown): boolean;
  /** Its stream broke: what was heard of it so far is no response; `isTold` = its turn was told. */
  broke?(listener: Listener, isTold: boolean): void;
  /** A response, before its calls run; in a stream, what there was of it before the first call. */
  turn(listener: Listener, said: Said): void;
  /** A call that is the host's to run, after its turn; `input` = as the model has sent it. */
  called?(listener: Listener, id: string, input: unknown): void;
  /** `false` = cut the stream here. */
  delta(listener: Listener, channel: 'content' | 'reasoning', text: string): boolean;
  /** What a stream told of its tokens when it ended, after its turn. */
  spent(listener: Listener, usage: Usage): void;
  /** All parts of a response, or those of its calls; the response is handed on when this is settled. */
  ended?(listener: Listener, parts: readonly Part[]): Promise<void> | undefined;
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
  const version = fieldsOf(model)['specificationVersion'];
  const watched = new Map<PropertyKey, unknown>();
  return new Proxy<object>(isFixed(model) ? Object.create(model) : model, {
    get(_, name) {
      const known = watched.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(model, name, model);
      if (typeof value !== 'function') return value;
      const own = value.bind(model) as Generate & Stream;
      const same =
        name === 'doGenerate'
          ? (options: unknown) => generated(own, options, hearing, listener, version)
          : name === 'doStream'
            ? (options: unknown) => streamed(own, options, hearing, listener, version)
            : own;
      watched.set(name, same);
      return same;
    },
  });
}

/** What a proxy must not give other functions for. */
function isFixed(model: object): boolean {
  return (
    !Object.isExtensible(model) ||
    Object.getOwnPropertyDescriptor(model, 'doGenerate')?.configurable === false ||
    Object.getOwnPropertyDescriptor(model, 'doStream')?.configurable === false
  );
}

async function generated<Listener>(
  generate: Generate,
  options: unknown,
  hearing: Hearing<Listener>,
  listener: Listener,
  version: unknown,
): Promise<object> {
  hearing.asked?.(listener, signalOf(options), options);
  let result: object;
  try {
    result = await generate(options);
  } catch (error) {
    hearing.failed?.(listener);
    if (hearing.forgives?.(listener, error) !== true) throw error;
    return { ...ending(version, 'error'), content: [], warnings: [] };
  }
  const { content, usage } = fieldsOf(result);
  const parts = partsOf(content);
  let text = '';
  let reasoning = '';
  for (const { type, text: words } of parts) {
    if (typeof words !== 'string') continue;
    if (type === 'text') text += words;
    else if (type === 'reasoning') reasoning += words;
  }
  if (mustBeJson(options)) text = numbered(jsonStart(), text);
  hearing.turn(listener, { text, reasoning, usage: usageOf(usage) });
  if (hearing.called !== undefined) for (const part of parts) hearCall(part, hearing, listener);
  const saving = hearing.ended?.(listener, parts);
  if (saving !== undefined) await saving;
  return result;
}

async function streamed<Listener>(
  stream: Stream,
  options: unknown,
  hearing: Hearing<Listener>,
  listener: Listener,
  version: unknown,
): ReturnType<Stream> {
  hearing.asked?.(listener, signalOf(options), options);
  let result: Awaited<ReturnType<Stream>>;
  try {
    result = await stream(options);
  } catch (error) {
    hearing.failed?.(listener);
    if (hearing.forgives?.(listener, error) !== true) throw error;
    return { stream: endOf(version) };
  }
  const heard: Heard<Listener> = {
    hearing,
    listener,
    version,
    mustCall: mustCall(options),
    json: mustBeJson(options) ? jsonStart() : null,
    text: '',
    reasoning: '',
    told: false,
    calls: NONE,
    signal: signalOf(options),
    hasBroken: false,
    isFinished: false,
    isWaiting: false,
  };
  hearing.streams?.(listener, heard);
  return { ...result, stream: heardStream(result.stream, hearPart<Listener>, heard, heard, hearEnd) };
}

function endOf(version: unknown): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(ending(version, 'error'));
      controller.close();
    },
  });
}

const NONE: readonly Part[] = [];

/** What was heard of a stream so far. */
type Heard<Listener> = Pausing & {
  readonly hearing: Hearing<Listener>;
  readonly listener: Listener;
  readonly version: unknown;
  /** Whether a response without a call is an error. */
  readonly mustCall: boolean;
  /** Null = the text need not be JSON. */
  readonly json: JsonPlace | null;
  text: string;
  reasoning: string;
  told: boolean;
  /** Parts of its calls. */
  calls: readonly Part[];
  readonly signal: AbortSignal | undefined;
  /** There was an error in it. */
  hasBroken: boolean;
  /** It has told of its end. */
  isFinished: boolean;
};

function hearPart<Listener>(
  part: Part,
  heard: Heard<Listener>,
): readonly Part[] | null | Promise<readonly Part[] | null> {
  switch (part.type) {
    case 'text-delta': {
      const { id, delta } = part;
      if (typeof delta !== 'string') return null;
      heard.text += delta;
      const told = heard.json === null ? delta : numbered(heard.json, delta);
      return heard.hearing.delta(heard.listener, 'content', told) ? null : cutOff(heard, 'text-end', id);
    }
    case 'reasoning-delta': {
      const { id, delta } = part;
      if (typeof delta !== 'string') return null;
      heard.reasoning += delta;
      return heard.hearing.delta(heard.listener, 'reasoning', delta)
        ? null
        : cutOff(heard, 'reasoning-end', id);
    }
    case 'tool-call':
      tell(heard);
      hearCall(part, heard.hearing, heard.listener);
      keep(heard, part);
      return null;
    case 'tool-result':
      keep(heard, part);
      return null;
    case 'error':
      hearBreak(heard);
      return null;
    case 'finish':
      return finished(heard, part);
    default:
      return null;
  }
}

function keep<Listener>(heard: Heard<Listener>, part: Part): void {
  heard.calls = heard.calls === NONE ? [part] : [...heard.calls, part];
}

function cutOff<Listener>(
  heard: Heard<Listener>,
  type: string,
  id: unknown,
): readonly Part[] | Promise<readonly Part[]> {
  tell(heard);
  heard.isFinished = true;
  const { version, mustCall, calls } = heard;
  // Major 7 takes only what was interrupted for a response without the call that it must have; older models do not know the word.
  const isInterrupted = version === 'v4' && mustCall && calls.length === 0;
  return handedOn(heard, [{ type, id }, ending(version, isInterrupted ? 'interrupted' : 'stop')]);
}

/** The stream is over; one that was aborted has not broken. */
function hearEnd<Listener>(heard: Heard<Listener>): void {
  if (!heard.isFinished && heard.signal?.aborted !== true) hearBreak(heard);
}

/** After an error some models go on all the same. */
function hearBreak<Listener>(heard: Heard<Listener>): void {
  const { hearing, listener, text, reasoning, told } = heard;
  if (hearing.broke === undefined) return;
  heard.hasBroken = true;
  if (text === '' && reasoning === '' && !told) return;
  hearing.broke(listener, told);
  heard.text = '';
  heard.reasoning = '';
  heard.told = false;
  heard.calls = NONE;
}

function finished<Listener>(heard: Heard<Listener>, { usage }: Part): null | Promise<null> {
  const { hearing, listener, hasBroken, told } = heard;
  const tokens = usageOf(usage);
  heard.isFinished = true;
  if (hasBroken) hearBreak(heard);
  else tell(heard, tokens);
  if (tokens !== undefined && (hasBroken || told)) hearing.spent(listener, tokens);
  return handedOn(heard, null);
}

/** The end of a stream, once its listener lets it go. */
function handedOn<Listener, End>(
  { hearing, listener, calls }: Heard<Listener>,
  end: End,
): End | Promise<End> {
  return hearing.ended?.(listener, calls)?.then(() => end) ?? end;
}

function tell<Listener>(heard: Heard<Listener>, usage?: Usage): void {
  const { hearing, listener, text, reasoning, told } = heard;
  if (!told) hearing.turn(listener, { text, reasoning, usage });
  heard.told = true;
}

function hearCall<Listener>(
  { type, toolCallId, input, providerExecuted }: Part,
  hearing: Hearing<Listener>,
  listener: Listener,
): void {
  if (type === 'tool-call' && providerExecuted !== true)
    hearing.called?.(listener, String(toolCallId), input);
}

function signalOf(options: unknown): AbortSignal | undefined {
  return fieldsOf(options)['abortSignal'] as AbortSignal | undefined;
}

function mustBeJson(options: unknown): boolean {
  return fieldsOf(fieldsOf(options)['responseFormat'])['type'] === 'json';
}

function mustCall(options: unknown): boolean {
  const { type } = fieldsOf(fieldsOf(options)['toolChoice']);
  return type === 'required' || type === 'tool';
}

/** The end of a response, as a model of this version tells it; nobody knows what it has cost. */
function ending(version: unknown, reason: string): Part {
  if (version === 'v2') return { type: 'finish', finishReason: reason, usage: {} };
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: 'deloop' },
    usage: { inputTokens: {}, outputTokens: {} },
  };
}
