/** How many messages the model was sent last; 0 = nobody knows; negative = it was compacted, and has not grown since. */
export type Sent = { sent: number };

/** Where no more of the messages are left than this share, it was no trimming. */
const LEFT = 0.5;

/**
 * Whether a conversation was compacted, by how many messages the model is sent now, which is kept, and was sent in the request before:
 * hosts leave that to programs, and tell nobody. What the model has seen is gone then, and may be looked at again.
 */
export function isCompacted(before: Sent, messages: number): boolean {
  const { sent } = before;
  const isLess = sent > 0 && messages <= sent * LEFT;
  // A host that cuts again and again, until the model takes it, has compacted once.
  before.sent = isLess || messages <= -sent ? -messages : messages;
  return isLess;
}
