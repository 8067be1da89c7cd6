import type { Hearing } from '../ai-sdk/watched-model.ts';
import { forgetPieces } from '../forget-pieces.ts';
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
  turn({ call }, { text, reasoning, usage }) {
    if (call === null) return;
    call.told = true;
    call.open.clear();
    if (call.durableIn !== null) call.durableIn.isDurable = false;
    call.run.turn({ text, reasoning, usage, agent: call.agent });
    arrange(call);
  },
  called({ call }, id, input) {
    if (call === null) return;
    call.open.set(id, input);
    if (call.durableIn !== null) call.durableIn.isDurable = true;
    arrange(call);
  },
  delta: ({ call }, channel, text) => call === null || call.run.delta(channel, text, call.agent),
  spent: ({ call }, usage) => call?.run.spent(usage, call.agent),
  failed({ call }) {
    if (call !== null) call.told = true;
  },
  broke,
};

/** Mastra runs calls when the stream has ended, and maybe those of one that broke: then they count by themselves. */
function broke({ call }: Ear, isTold: boolean): void {
  if (call === null) return;
  const { run, agent } = call;
  call.told = true;
  if (isTold) run.tell({ type: 'rewind', agent });
  else forgetPieces(run, agent);
  arrange(call);
}
