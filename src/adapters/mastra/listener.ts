import { isKeptByProvider } from '../ai-sdk/kept-by-provider.ts';
import type { Hearing } from '../ai-sdk/watched-model.ts';
import { isCompacted } from '../compacted.ts';
import { fieldsOf } from '../fields.ts';
import { forgetPieces } from '../forget-pieces.ts';
import { hearClientCalls } from './client-calls.ts';
import { arrange, type WatchedCall } from './watched-call.ts';

/** Who hears a model: Mastra makes models before it begins a call, and some for other things. */
export type Ear = {
  call: WatchedCall | null;
  /** Tools and models that are under watch. */
  readonly watched: WeakSet<object>;
};

export function createEar(): Ear {
  return { call: null, watched: new WeakSet() };
}

export const HEARING: Hearing<Ear> = {
  asked(ear, _, options) {
    const call = askingOf(ear);
    const { prompt, providerOptions } = fieldsOf(options);
    if (call === null || !Array.isArray(prompt)) return;
    const { run, agent } = call;
    if (isCompacted(call, prompt.length) && !isKeptByProvider(providerOptions))
      run.tell({ type: 'compaction', agent });
  },
  turn(ear, { text, reasoning, usage }) {
    const call = askingOf(ear);
    if (call === null) return;
    call.told = true;
    call.open.clear();
    if (call.durableIn !== null) call.durableIn.isDurable = false;
    call.run.turn({ text, reasoning, usage, agent: call.agent });
    arrange(call);
  },
  called(ear, id, input) {
    const call = askingOf(ear);
    if (call === null) return;
    call.open.set(id, input);
    // Some providers begin with the same ids in every response.
    call.presented.delete(id);
    call.begun.delete(id);
    if (call.durableIn !== null) call.durableIn.isDurable = true;
    arrange(call);
  },
  delta(ear, channel, text) {
    const call = askingOf(ear);
    return call === null || call.run.delta(channel, text, call.agent);
  },
  spent(ear, usage) {
    const call = askingOf(ear);
    call?.run.spent(usage, call.agent);
  },
  failed(ear) {
    const call = askingOf(ear);
    if (call !== null) call.told = true;
  },
  broke,
  ended(ear, parts) {
    const call = askingOf(ear);
    if (call === null) return undefined;
    hearClientCalls(call, parts);
    const { run, agent, open, place } = call;
    if (place.isAlwaysThere) call.isAsking = false;
    // Whatever comes after calls waits by itself until all is saved.
    return open.size > 0 || run.isIdle(agent) ? undefined : run.saved();
  },
};

/** Null = it is not the agent who asks the model. */
function askingOf({ call }: Ear): WatchedCall | null {
  return call?.isAsking === true ? call : null;
}

/** Mastra runs calls when the stream has ended, and maybe those of one that broke: then they count by themselves. */
function broke(ear: Ear, isTold: boolean): void {
  const call = askingOf(ear);
  if (call === null) return;
  const { run, agent } = call;
  call.told = true;
  if (isTold) run.tell({ type: 'rewind', agent });
  else forgetPieces(run, agent);
  arrange(call);
}
