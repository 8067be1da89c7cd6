import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', 'test/soak/**'],
    globalSetup: 'test/temporary-folder.ts',
    pool: 'threads',
    // Many tests wait for processes of their own.
    maxWorkers: availableParallelism() + 1,
    passWithNoTests: false,
    // No test is about time: a machine may be busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

export default config;
