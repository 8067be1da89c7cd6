import type { WatchOptions } from '../../src/adapters/watch.ts';
import { type AgentEvent, type Intervention, type Preset, presets } from '../../src/index.ts';
import type { ModelRequest, ScriptedModel, ScriptedTurn } from '../../src/testing/adapter-host.ts';
import { callOf } from '../../src/testing/adapter-stage.ts';

/** What the cases of all hosts begin with. */

export const NOTHING = 'Nothing was found.';
/** The n-th response asks for the same again. */
export const again = (n: number): ScriptedTurn => ({ calls: [callOf(n, 'look', { query: 'x' })] });
/** The same for a while, then the model is done. */
export const until = (last: number) => (n: number) => (n <= last ? again(n) : { text: 'Done.' });

const { recommended } = presets;
/** It tells of a large result that the model has already in a word. */
export const thrifty: Preset = {
  ...recommended,
  detectors: { ...recommended.detectors, large: { kind: 'same-result', minSize: 2000 } },
  ladder: [
    ...recommended.ladder,
    { on: 'large', at: 2, action: 'nudge', hint: 'stub', message: 'The same as before.' },
  ],
};

/** A model of the host that follows a script, and reports where it has no tools; and what it was sent. */
export function scripted<Model>(
  make: (script: ScriptedModel) => Model,
  turn: (n: number, request: ModelRequest) => ScriptedTurn,
) {
  const requests: ModelRequest[] = [];
  const model = make((request) => {
    requests.push(request);
    return request.tools ? turn(requests.length, request) : { text: 'Report.' };
  });
  return { model, requests };
}

type Heard = { readonly decision: Intervention; readonly event: AgentEvent; readonly session?: string };

/** A guard of the host at a standing clock, and what it decided. */
export function listeningTo<Guard, Options extends WatchOptions>(
  deloop: (options: Options) => Guard,
  options: Options,
) {
  const heard: Heard[] = [];
  const guard = deloop({
    now: () => 0,
    ...options,
    onDecision: (decision, event, session) =>
      heard.push({ decision, event, ...(session !== undefined && { session }) }),
  });
  const actions = () => heard.map(({ decision: { action, call } }) => `${action} ${call}`);
  return { guard, heard, actions };
}

/** A model of the host that is given no tools, and says something else each time; and how often. */
export function talking<Model>(make: (script: ScriptedModel) => Model) {
  const said: string[] = [];
  const model = make(() => {
    const text = Array.from({ length: 12 }, (_, index) => `word${said.length * 12 + index}`).join(' ');
    said.push(text);
    return { text };
  });
  return { model, said };
}

/** What a model has said when its stream breaks, and says again when it is asked again. */
export const UNFINISHED: string =
  'In the meantime I looked at the heap dumps of three pods, and each of them shows the same index twice. Here is what I found so far: ' +
  'the worker restarts every five minutes because it runs out of memory while it loads the index.';
