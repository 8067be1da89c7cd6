/** A message must be seen whole before it can be judged, so this much may be kept of one; a longer one passes as it is. */
export const MAX_MESSAGE_BYTES: number = 256 * 1024 * 1024;
