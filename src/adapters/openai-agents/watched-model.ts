import { fieldsOf } from '../fields.ts';
import { forgetPieces } from '../forget-pieces.ts';
import { watchedParts } from '../watched-parts.ts';
import { beforeResponse } from './before-response.ts';
import type { InvocationIn } from './input-filter.ts';
import type { Circumstances, Invocation } from './invocation.ts';
import { isCall } from './items.ts';
import {
  type Agent,
  type Item,
  type Model,
  type ModelRequest,
  type StreamEvent,
  saidIn,
  thoughtOf,
  usageOf,
} from './shapes.ts';

type Asked = {
  readonly now: Invocation;
  readonly agent: Agent;
  readonly request: ModelRequest;
  readonly circumstances: Circumstances;
};

/** The same model with the guard before and after every response: it hears text in time, and cuts a stream that runs in circles. */
export function watchedModel<Given extends object>(model: Given, invocation: InvocationIn): Given {
  const own = model as unknown as Model;
  const ask = (request: ModelRequest) => asked(invocation(), request);
  const watched: Model = {
    async getResponse(request) {
      const ready = await ask(request);
      if (ready === null) return own.getResponse(request);
      const response = await own.getResponse(ready.request);
      await heard(ready, response);
      return response;
    },
    async *getStreamedResponse(request) {
      const ready = await ask(request);
      if (ready === null) yield* own.getStreamedResponse(request);
      else yield* streamed(own, ready);
    },
  };
  // Over an object of our own: of one that is frozen, a proxy may not tell other methods.
  return new Proxy(Object.create(model) as Given, {
    get(_, name) {
      if (name === 'getResponse' || name === 'getStreamedResponse') return watched[name];
      const value: unknown = Reflect.get(model, name, model);
      return typeof value === 'function' && name !== 'constructor' ? value.bind(model) : value;
    },
    set: (_, name, value) => Reflect.set(model, name, value, model),
  });
}

async function asked(now: Invocation | undefined, request: ModelRequest): Promise<Asked | null> {
  if (now === undefined || isAnothers(now, request)) return null;
  const { asked: agent } = now;
  const voice = now.voiceOf(now.idOf(agent));
  const { filtered } = voice;
  Object.assign(voice, { isLive: true, isDue: false, filtered: null });
  if (request.conversationId !== undefined || request.previousResponseId !== undefined) now.isManaged = true;
  const given: readonly Item[] =
    typeof request.input === 'string' ? [{ role: 'user', content: request.input }] : request.input;
  // Here tools can be taken away until the last moment.
  const circumstances =
    filtered ??
    (await beforeResponse(now, {
      agent,
      items: given,
      sent: given,
      hasOwnTools: false,
      isAside: !request.tools?.length,
    }));
  const { isLast, items = given }: Circumstances & { readonly items?: readonly Item[] } = circumstances;
  if (items === given && !isLast) return { now, agent, request, circumstances };
  const { modelSettings } = request;
  const bare = { tools: [], handoffs: [], modelSettings: { ...modelSettings, toolChoice: undefined } };
  return { now, agent, request: { ...request, input: items, ...(isLast && bare) }, circumstances };
}

/**
 * Whether an agent asks that was not met, such as one that judges in a guardrail of the user's: it has no tools, and is told something
 * else, or is to answer in another way. Of what is run in a tool without a word nobody knows what it should be.
 */
function isAnothers({ asked: agent, isPlain }: Invocation, request: ModelRequest): boolean {
  const { tools, handoffs, systemInstructions = '' } = request;
  if (isPlain || tools?.length || handoffs?.length) return false;
  const { instructions, outputType = 'text' } = agent;
  const isTold = typeof instructions !== 'string' || systemInstructions.includes(instructions);
  return !isTold || isData(request) !== (outputType !== 'text');
}

/** Rows of data may well be equal, and half of them is of no use. */
function isData({ outputType = 'text' }: ModelRequest): boolean {
  return outputType !== 'text';
}

async function heard({ now, agent, request, circumstances }: Asked, response: unknown): Promise<void> {
  const { output, usage } = fieldsOf(response);
  const items = Array.isArray(output) ? (output as readonly Item[]) : [];
  now.answered(now.idOf(agent), circumstances);
  const { text, reasoning } = saidIn(items);
  now.run.turn({
    text: isData(request) ? '' : text,
    reasoning,
    usage: usageOf(usage),
    agent: now.idOf(agent),
  });
  for (const item of items) if (isCall(item)) now.say(item, agent);
  if (!now.run.isIdle(now.idOf(agent))) await now.run.saved();
}

/** What was heard of a stream so far; `isOpen` = pieces of a response that has not come to its end. */
type Hearing = {
  readonly ready: Asked;
  readonly isWatched: boolean;
  text: string;
  isOpen: boolean;
  id: unknown;
};

async function* streamed(model: Model, ready: Asked): AsyncIterable<StreamEvent> {
  const { now, agent, request } = ready;
  const hearing: Hearing = { ready, isWatched: !isData(request), text: '', isOpen: false, id: undefined };
  try {
    yield* watchedParts(model.getStreamedResponse(request), listen, hearing);
  } finally {
    if (hearing.isOpen) forgetPieces(now.run, now.idOf(agent));
  }
}

function listen(event: StreamEvent, hearing: Hearing): null | Promise<readonly StreamEvent[] | null> {
  const { type, delta, response, providerData } = event;
  const { now, agent, request } = hearing.ready;
  if (type === 'response_done') return ended(hearing, response).then(() => null);
  if (type === 'response_started') hearing.id = fieldsOf(fieldsOf(providerData)['response'])['id'];
  const isText = type === 'output_text_delta';
  const piece = isText ? delta : thoughtOf(event);
  if (typeof piece !== 'string' || (isText && !hearing.isWatched)) return null;
  if (isText) hearing.text += piece;
  hearing.isOpen = true;
  if (now.run.delta(isText ? 'content' : 'reasoning', piece, now.idOf(agent))) return null;
  const done = cutOff(hearing.text, hearing.id ?? request.previousResponseId, now.isManaged);
  return ended(hearing, done.response).then(() => [done]);
}

function ended(hearing: Hearing, response: unknown): Promise<void> {
  hearing.isOpen = false;
  return heard(hearing.ready, response);
}

/**
 * The end of a response, as a model tells it; nobody knows what the rest would have cost. `id` = what the provider can go on from. One that
 * has only thought so far has said nothing: then the SDK asks the model again, which hears why. Not where the provider keeps the
 * conversation: it may not have kept what this response was asked for.
 */
function cutOff(text: string, id: unknown, isManaged: boolean): StreamEvent {
  const content = [{ type: 'output_text', text }];
  const isSaid = text !== '' || isManaged;
  return {
    type: 'response_done',
    response: {
      id: typeof id === 'string' ? id : '',
      usage: { requests: 1, inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      output: isSaid ? [{ type: 'message', role: 'assistant', status: 'completed', content }] : [],
    },
  };
}
