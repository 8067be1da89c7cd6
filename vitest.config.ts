import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', 'test/soak/**'],
    globalSetup: 'test/temporary-folder.ts',
    pool: 'threads',
    passWithNoTests: false,
  },
});

export default config;
