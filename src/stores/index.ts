export type { Board, Control, SwarmEntry, SwarmState, Totals } from './board.ts';
export { boardOf } from './board-of.ts';
export { createFileStore, type FileStoreOptions } from './file.ts';
export { createMemoryStore, type MemoryStoreOptions } from './memory.ts';
export { createRedisStore, type RedisStoreOptions } from './redis.ts';
export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client.ts';
export type { Change, Store, StoredSession } from './store.ts';
