import type { Listener } from '../ai-sdk/watched-model.ts';
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

export function listenerOf(ear: Ear): Listener {
  return {
    turn({ text, reasoning, usage }) {
      const { call } = ear;
      if (call === null) return;
      call.told = true;
      call.open.clear();
      call.run.turn({ text, reasoning, usage, agent: call.agent });
      arrange(call);
    },
    called(id) {
      const { call } = ear;
      if (call === null) return;
      call.open.add(id);
      arrange(call);
    },
    delta: (channel, text) => ear.call === null || ear.call.run.delta(channel, text, ear.call.agent),
    spent: (usage) => ear.call?.run.spent(usage, ear.call.agent),
  };
}
