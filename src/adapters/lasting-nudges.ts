type Message = { readonly role: string; readonly content: unknown };

/** Nudges as user messages that stay where they were said, for hosts that forget what a hook adds to a request. */
export type LastingNudges = {
  /** The messages with every nudge in its place, the new one last; the same list where there is nothing to add. */
  into<Item extends object>(messages: readonly Item[], nudge: string | undefined): readonly Item[];
};

export function createLastingNudges(): LastingNudges {
  /** `after` = how many of the host's own messages stood before it. */
  const said: { readonly message: Message; readonly after: number }[] = [];
  return {
    into<Item extends object>(messages: readonly Item[], nudge: string | undefined) {
      if (nudge === undefined && said.length === 0) return messages;
      const own = messages.filter((message) => !said.some((known) => isSame(known.message, message)));
      if (nudge !== undefined) said.push({ message: { role: 'user', content: nudge }, after: own.length });
      if (own.length + said.length === messages.length) return messages;
      return woven(own, said) as readonly Item[];
    },
  };
}

function woven(
  own: readonly object[],
  said: readonly { readonly message: Message; readonly after: number }[],
): readonly object[] {
  const all: object[] = [];
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

function isSame(nudge: Message, message: object): boolean {
  if (nudge === message) return true;
  const { role, content } = message as Partial<Message>;
  return role === nudge.role && content === nudge.content;
}
