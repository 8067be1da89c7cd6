/** What stands over the next call, whoever makes it. */
export type Order =
  /** No call passes. `told` = a person was asked about it. */
  | { readonly do: 'stop'; readonly reason: string; readonly told: boolean }
  /** A person must decide first. */
  | { readonly do: 'ask'; readonly reason: string };

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
