import { type Agent, type Block, type Guide, type Message, PROCEED, type Proceed } from './shapes.ts';

type MessageData = { readonly role: string; readonly content: readonly object[] };
/** The class of the SDK's messages. */
type Messages = {
  new (data: Message): Message;
  fromMessageData?(data: MessageData): Message;
};

/**
 * Puts words for the model at the end of the conversation. Bedrock takes no two messages of one role in a row, so they become a part of
 * the last one where that is the user's, such as the results of calls; `guide` would make a message of their own of them. It also says
 * first who speaks.
 */
export function say({ messages }: Agent, text: string): Proceed | Guide {
  const last = messages.at(-1);
  const Messages = last?.constructor as Messages | undefined;
  const words = Messages?.fromMessageData?.({ role: 'user', content: [{ text: `\n\n[deloop] ${text}` }] });
  if (last?.role !== 'user' || Messages === undefined || words === undefined)
    return { type: 'guide', feedback: text };
  const content: readonly Block[] = [...last.content, ...words.content];
  (messages as Message[])[messages.length - 1] = new Messages({ ...last, content });
  return PROCEED;
}
