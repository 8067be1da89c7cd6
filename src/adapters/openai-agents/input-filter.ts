import { beforeResponse } from './before-response.ts';
import { follow } from './follow.ts';
import type { Invocation } from './invocation.ts';
import type { Agent, InputFilter } from './shapes.ts';

/** What a filter must know of an agent. */
export type Eyes = {
  /** Its model is watched. */
  readonly isWatched: (agent: Agent) => boolean;
  /** It has tools that are taken away by the guard when it is stopped. */
  readonly isGuarded: (agent: Agent) => boolean;
};

/** The invocation that a response is asked for in. */
export type InvocationIn = () => Invocation | undefined;

/** Puts the guard before every response by a filter, for models that it does not watch. The user's own filter comes first. */
export function inputFilter(invocation: InvocationIn, eyes: Eyes, own: InputFilter | undefined): InputFilter {
  return async (args) => {
    const { modelData, agent } = args;
    const mine = own === undefined ? modelData : await own(args);
    const now = invocation();
    if (now === undefined) return mine;
    // Filters get the user's own context, not the SDK's.
    now.see(undefined, agent);
    follow(agent);
    if (eyes.isWatched(agent)) return mine;
    const { items, ...filtered } = await beforeResponse(now, {
      agent,
      items: modelData.input,
      sent: mine.input,
      hasOwnTools: eyes.isGuarded(agent),
      isAside: false,
    });
    Object.assign(now.voiceOf(now.idOf(agent)), { isDue: true, filtered });
    return items === mine.input ? mine : { ...mine, input: items };
  };
}
