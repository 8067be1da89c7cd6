/** How messages of our own reach the two sides; each is one message, without a line feed. */
export type Way = { toClient(message: Buffer): void; toServer(message: Buffer): void };
