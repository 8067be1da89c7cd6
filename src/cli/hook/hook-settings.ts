import type { GuardSettings } from '../../hooks/host-guard.ts';
import type { SwarmOptions } from '../../swarm/swarm-options.ts';

/** The swarm that sessions belong to, and where its tallies lie. */
export type SwarmSettings = {
  /** A worker without a name is called after its agent, and a digest of its session. */
  readonly options: Omit<SwarmOptions, 'worker'> & { readonly worker?: string | undefined };
  readonly redis: string | undefined;
  /** An absolute path. */
  readonly folder: string | undefined;
  readonly tenant: string;
  readonly prefix: string;
};

export type HookSettings = GuardSettings & {
  readonly swarm?: SwarmSettings | undefined;
  /** What cannot be followed, though the rest can. */
  readonly problems?: readonly string[];
};
