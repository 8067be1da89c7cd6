import type { Message } from './shapes.ts';

/** Nudges as messages that stay where they were said: AI SDK 7 carries them on by itself, 6 forgets them after one step. */
export type LastingNudges = {
  /** The messages with every nudge in its place, the new one last; the same list where there is nothing to add. */
  into(messages: readonly Message[], nudge: string | undefined): readonly Message[];
};

export function createLastingNudges(): LastingNudges {
  /** `after` = how many of the host's own messages stood before it. */
  const said: { readonly message: Message; readonly after: number }[] = [];
  return {
    into(messages, nudge) {
      if (nudge === undefined && said.length === 0) return messages;
      const own = messages.filter((message) => !said.some((known) => isSame(known.message, message)));
      if (nudge !== undefined) said.push({ message: { role: 'user', content: nudge }, after: own.length });
      if (own.length + said.length === messages.length) return messages;
      return woven(own, said);
    },
  };
}

function woven(
  own: readonly Message[],
  said: readonly { readonly message: Message; readonly after: number }[],
): readonly Message[] {
  const all: Message[] = [];
  let next = 0;
  for (let index = 0; index <= own.length; index++) {
    for (let nudge = said[next]; nudge !== undefined && nudge.after <= index; nudge = said[++next])
      all.push(nudge.message);
    const message = own[index];
    if (message !== undefined) all.push(message);
  }
  // A list that was cut short in between.
  for (const { message } of said.slice(next)) all.push(message);
  return all;
}

function isSame(first: Message, second: Message): boolean {
  return first === second || (second.role === 'user' && second.content === first.content);
}
