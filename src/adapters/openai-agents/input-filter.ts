import { beforeResponse } from './before-response.ts';
import type { Invocation } from './invocation.ts';
import type { InputFilter } from './shapes.ts';

/** Puts the guard before every response by a filter, for models that it does not watch. The user's own filter comes first. */
export function inputFilter(
  invocation: () => Invocation | undefined,
  isWatched: (model: unknown) => boolean,
  own: InputFilter | undefined,
): InputFilter {
  return async (args) => {
    const { modelData, agent } = args;
    const mine = own === undefined ? modelData : await own(args);
    const now = invocation();
    if (now === undefined || isWatched(agent.model)) return mine;
    const { items, isLast } = await beforeResponse(now, agent, modelData.input, mine.input);
    Object.assign(now.voiceOf(now.idOf(agent)), { isDue: true, filtered: { isLast } });
    return items === mine.input ? mine : { ...mine, input: items };
  };
}
