import type { HostCall, Run } from '../run.ts';
import type { Tokens } from './tokens.ts';

/** The responses of one agent, which hooks do not show: told from calls and from the ends of batches. */
export type Rounds = {
  /** A call is about to run: the first of a response begins a turn. */
  open(call: HostCall): void;
  /** A call has ended. */
  close(id: string | undefined): void;
  /** All calls of the response have ended. */
  end(): void;
  /** Whatever was open is over: a person has written. */
  drop(): void;
  /** The call, if it was presented since the last batch ended and has not ended itself. */
  pending(id: string | undefined): HostCall | undefined;
  /** Whether the call was presented since the last batch ended. */
  knows(id: string | undefined): boolean;
};

/** What was learned of the SDK; `hasBatches` = it tells the ends of batches. */
export type Sdk = { hasBatches: boolean };

/** Calls that are remembered of an SDK that does not tell when a batch has ended. */
const MAX_CALLS = 256;

export function createRounds(run: Run, agent: string | undefined, sdk: Sdk, tokens: Tokens | null): Rounds {
  /** Calls may run one after another: those that have ended are in the batch, too. */
  const calls = new Map<string | undefined, { readonly call: HostCall; ended: boolean }>();
  const running = new Set<string | undefined>();
  let isOpen = false;
  return {
    open(call) {
      // Older SDKs do not tell the end of a batch: there a response ends when all its calls have.
      if (!sdk.hasBatches && running.size === 0) isOpen = false;
      if (!isOpen) {
        isOpen = true;
        run.turn({ agent, usage: tokens?.takeFor(agent) });
      }
      calls.set(call.id, { call, ended: false });
      running.add(call.id);
      if (calls.size > MAX_CALLS) calls.delete(calls.keys().next().value);
    },
    close(id) {
      const known = calls.get(id);
      if (known !== undefined) known.ended = true;
      running.delete(id);
    },
    end() {
      sdk.hasBatches = true;
      isOpen = false;
      calls.clear();
      running.clear();
    },
    drop() {
      isOpen = false;
      running.clear();
    },
    pending(id) {
      const known = calls.get(id);
      return known === undefined || known.ended ? undefined : known.call;
    },
    knows: (id) => calls.has(id),
  };
}
