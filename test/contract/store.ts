import { describe, it } from 'vitest';
import { type StoreSuite, testStore as test } from '../../src/testing/test-store.ts';

export type { StoreOptions } from '../../src/testing/test-store.ts';

export function testStore(name: string, suite: StoreSuite): void {
  test(name, suite, { describe, it });
}
