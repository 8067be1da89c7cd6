import { defineConfig, type UserConfig } from 'tsdown';

const config: UserConfig = defineConfig({
  entry: {
    index: 'src/index.ts',
    'core/index': 'src/core/index.ts',
    'detectors/index': 'src/detectors/index.ts',
    'presets/*': ['src/presets/*.ts', '!src/presets/*.test.ts', '!src/presets/registry.ts'],
    'adapters/*': 'src/adapters/*/index.ts',
    'cli/main': 'src/cli/main.ts',
    // Not an entry of the package: threads of a scan run it.
    'cli/scan-worker': 'src/cli/scan/worker.ts',
    // Not an entry of the package: scripts/build-schema.mjs runs it.
    'config/schema': 'src/config/schema.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  fixedExtension: false,
  dts: true,
  clean: true,
  sourcemap: false,
  hash: false,
  // Everything bundled is a devDependency. An import of anything else fails the build.
  deps: { onlyBundle: ['commander', 'picocolors', '@noble/hashes', 'jsonc-parser'] },
  // jsonc-parser's main file is UMD, which cannot be bundled.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  outputOptions: { chunkFileNames: 'shared/[name].js' },
});

export default config;
