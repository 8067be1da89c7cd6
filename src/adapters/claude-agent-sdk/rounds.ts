import type { HostCall, Run } from '../run.ts';

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
  /** The call, if it was presented in this response and has not ended. */
  pending(id: string | undefined): HostCall | undefined;
  /** Whether the call was presented in this response. */
  knows(id: string | undefined): boolean;
  /** Whether this SDK tells the ends of batches. */
  readonly hasBatches: boolean;
};

export function createRounds(run: Run, agent: string | undefined): Rounds {
  const calls = new Map<string | undefined, { readonly call: HostCall; ended: boolean }>();
  let hasBatches = false;
  let isOpen = false;
  return {
    open(call) {
      // Older SDKs do not tell the end of a batch: there a response ends when all its calls have.
      if (isOpen && !hasBatches && [...calls.values()].every(({ ended }) => ended)) isOpen = false;
      if (!isOpen) {
        calls.clear();
        isOpen = true;
        run.turn({ agent });
      }
      calls.set(call.id, { call, ended: false });
    },
    close(id) {
      const known = calls.get(id);
      if (known !== undefined) known.ended = true;
    },
    end() {
      hasBatches = true;
      isOpen = false;
    },
    drop() {
      isOpen = false;
    },
    pending(id) {
      const known = calls.get(id);
      return known === undefined || known.ended ? undefined : known.call;
    },
    knows: (id) => calls.has(id),
    get hasBatches() {
      return hasBatches;
    },
  };
}
