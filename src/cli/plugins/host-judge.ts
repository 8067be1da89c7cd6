import type { Host, Reply, Signal } from '../../hooks/host.ts';
import type { Fields } from '../../transcripts/fields.ts';
import { judge } from '../hook/judge.ts';
import { writeProblem } from '../hook/log-file.ts';
import { readSettings } from '../hook/read-settings.ts';
import { joinSwarm } from '../hook/swarm-worker.ts';
import { missedCalls, spentTokens } from '../hook/transcript-parts.ts';
import { stateFolder } from '../state-folder.ts';
import { surroundingsOf } from '../surroundings.ts';

export type PluginOptions = {
  /** Log what would have been done, and do nothing. */
  readonly shadow?: boolean;
};

/** In the host's own process nobody may stand still for long. */
const WAIT_MS = 1000;
const ALLOW: Reply = { action: 'allow' };

/**
 * Judges what a host tells in its own process: the same state, settings and log as hooks have, so that every command of deloop works
 * on it. It never throws: what goes wrong is logged, and the agent goes on.
 */
export function judgeOf(host: Host, options: PluginOptions | undefined): (payload: Fields) => Promise<Reply> {
  const shadow = options?.shadow === true;
  return async (payload) => {
    const surroundings = surroundingsOf(process);
    const now = Date.now();
    let signal: Signal | null = null;
    try {
      signal = host.decode(payload, surroundings.env);
      if (signal === null) return ALLOW;
      return await judge(
        host,
        signal,
        { surroundings, shadow, now, waitMs: WAIT_MS },
        { readSettings, missedCalls, spentTokens, joinSwarm },
      );
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const session = signal?.session;
      try {
        writeProblem(stateFolder(surroundings), {
          type: 'problem',
          at: now,
          host: host.name,
          session,
          message,
        });
      } catch {
        // There is nowhere left to tell it.
      }
      return ALLOW;
    }
  };
}
