import { wrong } from '../core/options.ts';

/** Refuses what cannot be a store. */
export function checkStore(store: unknown): void {
  if (typeof (store as { readonly update?: unknown } | null | undefined)?.update === 'function') return;
  throw wrong('store', store, 'a store, such as createFileStore makes');
}
