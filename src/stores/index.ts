export { createFileStore, type FileStoreOptions } from './file.ts';
export { createMemoryStore, type MemoryStoreOptions } from './memory.ts';
export type { Change, Store, StoredSession } from './store.ts';
