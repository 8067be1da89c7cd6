/** Where no more of the messages are left than this share, it was no trimming. */
const LEFT = 0.5;

/**
 * Whether a conversation was compacted, by how many messages the model is sent, and was sent in the request before: hosts leave that
 * to programs, and tell nobody. What the model has seen is gone then, and may be looked at again.
 */
export function isCompacted(sent: number, before: number): boolean {
  return before > 0 && sent <= before * LEFT;
}
