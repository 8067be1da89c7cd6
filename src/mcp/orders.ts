import type { Intervention } from '../core/types.ts';

/** What stands over the next call, whoever makes it. */
export type Order =
  /** No call passes. `told` = a person was asked about it. */
  | { readonly do: 'stop'; readonly reason: string; readonly told: boolean }
  /** A person must decide first. */
  | ({ readonly do: 'ask' } & Asking);

/** What a person is asked, and `reason` = what the model is told when the answer is no; without a `prompt` both hear that. */
export type Asking = { readonly reason: string; readonly prompt?: string };

/** Where the order of a session is kept. */
export type Orders = { read(): Order | null; write(order: Order | null): void };

export function createOrders(): Orders {
  let order: Order | null = null;
  return {
    read: () => order,
    write(next) {
      order = next;
    },
  };
}

export function askingOf({ message, prompt }: Intervention): Asking {
  return { reason: message, ...(prompt && { prompt }) };
}
