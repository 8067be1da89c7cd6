import { defineConfig, type UserConfig } from 'tsdown';

const shared: UserConfig = {
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  fixedExtension: false,
  clean: true,
  sourcemap: false,
  hash: false,
  // Everything bundled is a devDependency. An import of anything else fails the build.
  deps: { onlyBundle: ['commander', 'picocolors', '@noble/hashes', 'jsonc-parser'] },
  // jsonc-parser's main file is UMD, which cannot be bundled.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
};

const config: UserConfig[] = defineConfig([
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      'core/index': 'src/core/index.ts',
      'detectors/index': 'src/detectors/index.ts',
      'presets/*': ['src/presets/*.ts', '!src/presets/*.test.ts', '!src/presets/registry.ts'],
      'cli/main': 'src/cli/main.ts',
      // Not an entry of the package: threads of a scan run it.
      'cli/scan-worker': 'src/cli/scan/worker.ts',
      // Not an entry of the package: scripts/build-schema.mjs runs it.
      'config/schema': 'src/config/schema.ts',
    },
    dts: true,
    outputOptions: { chunkFileNames: 'shared/[name].js' },
  },
  {
    ...shared,
    // Not an entry of the package: `deloop mcp` runs it. One file loads several times as fast as many.
    entry: { 'cli/mcp': 'src/cli/mcp/main.ts' },
    dts: false,
    clean: false,
    outputOptions: { chunkFileNames: 'cli/mcp-[name].js' },
  },
]);

export default config;
