import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** The tests that a mutant must survive: the quick ones, in one room. Laws and whole programs would take hours and kill few more. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/core/**/*.test.ts', 'test/parity/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/core/heavy.test.ts', 'test/parity/koda-cap.test.ts'],
    pool: 'threads',
    isolate: false,
    fileParallelism: false,
    // Instrumented code is slow; a mutant that hangs is ended by Stryker.
    testTimeout: 60_000,
  },
});

export default config;
