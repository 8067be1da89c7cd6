type Channel = 'content' | 'reasoning';
/** A piece of streamed text, or several in a row. */
export type Stretch = { readonly channel: Channel; readonly text: string };

/** Pieces of streams that wait for more, by agent: what comes token by token is looked at stretch by stretch. */
export type Stretches = Map<string, { readonly channel: Channel; text: string }>;

/** Less than this is no loop: so a stream that runs in circles is cut this many characters later at most. */
const STRETCH = 200;

/** What is to be looked at now that this piece has come; null = nothing yet. */
export function joinedTo(open: Stretches, { channel, text }: Stretch, agent: string): Stretch | null {
  const known = open.get(agent);
  if (known !== undefined && known.channel !== channel) {
    open.set(agent, { channel, text });
    return known;
  }
  if (known === undefined) open.set(agent, { channel, text });
  else known.text += text;
  if ((known?.text ?? text).length < STRETCH) return null;
  open.delete(agent);
  return known ?? { channel, text };
}

/** What is left of the agent's stream. */
export function restIn(open: Stretches, agent: string): Stretch | null {
  const stretch = open.get(agent) ?? null;
  if (stretch !== null) open.delete(agent);
  return stretch;
}
