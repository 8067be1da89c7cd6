import { setTimeout as sleep } from 'node:timers/promises';
import { wrong } from '../core/options.ts';
import { pausesWithin, WAIT_MS } from './pauses.ts';
import { BUSY, openSessionFiles, type SessionFilesOptions } from './session-files.ts';
import type { Store } from './store.ts';

export type FileStoreOptions = SessionFilesOptions & {
  /** How long to wait for others who change the same session. Default five seconds. */
  readonly waitMs?: number | undefined;
};

/**
 * State in small files that any number of processes share, for as long as the disk keeps them. One that is ended at any instant
 * leaves every state readable.
 */
export function createFileStore(options: FileStoreOptions): Store {
  const { folder, waitMs = WAIT_MS } = options;
  if (typeof folder !== 'string' || folder === '') throw wrong('folder', folder, 'the path of a folder');
  const files = openSessionFiles(options);

  async function patiently<Answer>(session: string, run: () => Answer | typeof BUSY): Promise<Answer> {
    const pause = pausesWithin(session, waitMs);
    for (;;) {
      const answer = run();
      if (answer !== BUSY) return answer;
      await sleep(pause());
    }
  }

  return {
    async update(session, change) {
      return patiently(session, () => files.update(session, change));
    },
    async delete(session) {
      await patiently(session, () => files.delete(session));
    },
    async list() {
      return files.list();
    },
  };
}
