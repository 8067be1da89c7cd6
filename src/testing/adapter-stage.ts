import assert from 'node:assert/strict';
import type { WatchOptions } from '../adapters/watch.ts';
import type { AgentEvent, Intervention, Json } from '../core/types.ts';
import type {
  AdapterHost,
  Ending,
  HostSession,
  ModelRequest,
  ScriptedCall,
  ScriptedTool,
  ScriptedTurn,
} from './adapter-host.ts';

/** What really happened, told by the scripted model, the tools and the guard. */
export type Told = {
  readonly requests: ModelRequest[];
  readonly ran: { readonly tool: string; readonly args: unknown }[];
  readonly heard: Intervention[];
  /** The events that the decisions answer. */
  readonly events: AgentEvent[];
  readonly errors: unknown[];
  readonly hooks: string[];
};

export type Act = {
  /** The n-th response of the model, from 1; whoever is given no tools reports. */
  readonly turn: (n: number, request: ModelRequest) => ScriptedTurn;
  readonly tools: { readonly [name: string]: ScriptedTool };
  readonly options: WatchOptions | null;
  readonly ownHooks?: boolean;
};

/** No act takes as many responses as this. */
const MOST_REQUESTS = 60;
/** Who asks for so many more although nothing is left to do ends by an error only. */
const PATIENCE = 20;
const ENDLESS = `the run does not end: after ${MOST_REQUESTS} responses the model was asked for more`;

export const REPORT = 'Report: this is all there is.';

/** Puts a scripted model and recorded tools into the host. */
export async function stage(
  host: AdapterHost,
  { turn, tools, options, ownHooks = false }: Act,
): Promise<{ readonly session: HostSession; readonly told: Told }> {
  const told: Told = { requests: [], ran: [], heard: [], events: [], errors: [], hooks: [] };
  const session = await host.open({
    model(request) {
      told.requests.push(request);
      const beyond = told.requests.length - MOST_REQUESTS;
      if (beyond > PATIENCE) throw new Error(ENDLESS);
      if (beyond > 0) return { text: REPORT };
      return request.tools ? turn(told.requests.length, request) : { text: REPORT };
    },
    tools: Object.fromEntries(
      Object.entries(tools).map(([tool, execute]) => [
        tool,
        (args: unknown) => {
          told.ran.push({ tool, args });
          return execute(args);
        },
      ]),
    ),
    options: options && {
      now: () => 0,
      ...options,
      onDecision(...heard) {
        told.heard.push(heard[0]);
        told.events.push(heard[1]);
        options.onDecision?.(...heard);
      },
      onError(...errors) {
        told.errors.push(errors[0]);
        options.onError?.(...errors);
      },
    },
    ...(ownHooks && {
      onOwnHook(name: string) {
        told.hooks.push(name);
      },
    }),
  });
  return { session: finite(session, told), told };
}

/** The same session, but one that does not end has failed. */
function finite(session: HostSession, { requests }: Told): HostSession {
  const ended = async (running: Promise<Ending>) => {
    const ending = await running;
    assert.ok(requests.length <= MOST_REQUESTS, ENDLESS);
    return ending;
  };
  return {
    send: (prompt) => ended(session.send(prompt)),
    answer: (yes) => ended(session.answer?.(yes) ?? Promise.reject(new Error('the driver has no answer()'))),
    resume: () => ended(session.resume()),
    state: () => session.state(),
  };
}

/** One message of a person, and what came of it. */
export async function play(host: AdapterHost, act: Act): Promise<Told & { readonly ending: Ending }> {
  const { session, told } = await stage(host, act);
  const ending = await session.send('Find it.');
  return { ...told, ending };
}

/** `nudge 3` = a nudge over the third call. */
export function actionsOf({ heard }: Pick<Told, 'heard'>): readonly string[] {
  return heard.map(({ action, call }) => `${action} ${call}`);
}

/** Fails in words where nothing was decided that could be heard. */
export function assertHeard({ heard }: Pick<Told, 'heard'>): void {
  assert.ok(
    heard.length > 0,
    'no decision was heard: the adapter is given onDecision with all the other options',
  );
}

/** Fails in words where not as many calls ran as should; `of` = what it is about. */
export function assertRan({ ran }: Pick<Told, 'ran'>, expected: number, of?: string): void {
  const rule =
    ran.length > expected ? 'a call that is refused must not run' : 'a call that is allowed must run';
  const about = of === undefined ? '' : `${of}: `;
  assert.equal(ran.length, expected, `${about}${ran.length} calls ran, not ${expected}: ${rule}`);
}

/** Whether the model was sent these words, in its n-th request, from 1. */
export function wasSent(told: Pick<Told, 'requests'>, n: number, words: string): boolean {
  return timesSent(told, n, words) > 0;
}

/** How often the words are in the n-th request, from 1. */
export function timesSent({ requests }: Pick<Told, 'requests'>, n: number, words: string): number {
  return (requests[n - 1]?.sent.split(JSON.stringify(words).slice(1, -1)).length ?? 1) - 1;
}

/** Whether the words come after all the others in the n-th request, from 1. */
export function isSentBehind(
  { requests }: Pick<Told, 'requests'>,
  n: number,
  words: string,
  others: string,
): boolean {
  const { sent = '' } = requests[n - 1] ?? {};
  return sent.lastIndexOf(JSON.stringify(words).slice(1, -1)) > sent.lastIndexOf(others);
}

/** One call, with an id of its own in every response. */
export function callOf(n: number, tool: string, args: Json, nth = 0): ScriptedCall {
  return { id: `call-${n}-${nth}`, tool, args };
}
