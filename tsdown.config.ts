import { defineConfig, type UserConfig } from 'tsdown';

const config: UserConfig = {
  entry: {
    index: 'src/index.ts',
    'core/index': 'src/core/index.ts',
    'detectors/index': 'src/detectors/index.ts',
    'stores/index': 'src/stores/index.ts',
    'presets/*': ['src/presets/*.ts', '!src/presets/*.test.ts', '!src/presets/registry.ts'],
    'adapters/*': 'src/adapters/*/index.ts',
    'testing/index': 'src/testing/index.ts',
    // Not an entry of the package: bench/swarm/simulate.mjs runs it.
    'swarm/tallies': 'src/stores/tallies.ts',
    // Not an entry of the package: scripts/build-schema.mjs runs it.
    'config/schema': 'src/config/schema.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  fixedExtension: false,
  clean: true,
  sourcemap: false,
  hash: false,
  // Everything bundled is a devDependency. An import of anything else fails the build.
  deps: {
    onlyBundle: [
      'commander',
      'picocolors',
      '@noble/hashes',
      'jsonc-parser',
      'smol-toml',
      '@modelcontextprotocol/client',
      '@modelcontextprotocol/core',
      'zod',
      'pkce-challenge',
    ],
  },
  // jsonc-parser's main file is UMD, which cannot be bundled.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  outputOptions: { chunkFileNames: 'shared/[name].js' },
};

/** A part of the hook: a file of its own that shares nothing, so that nothing is loaded beside it. */
function hookPart(name: string, entry: string): UserConfig {
  return {
    ...config,
    entry: { [`hook/${name}`]: entry },
    format: 'cjs',
    dts: false,
    clean: false,
    minify: true,
  };
}

/** A plugin: a file of its own that needs nothing else of the package, wherever a host loads it from. */
function plugin(name: string): UserConfig {
  return {
    ...hookPart('main', ''),
    entry: { [`plugins/${name}`]: `src/cli/plugins/${name}.ts` },
    format: 'esm',
  };
}

const configs: UserConfig[] = defineConfig([
  config,
  {
    ...config,
    entry: {
      'cli/main': 'src/cli/main.ts',
      // Not an entry of the package: threads of a scan run it.
      'cli/scan-worker': 'src/cli/scan/worker.ts',
    },
    dts: false,
    clean: false,
    outputOptions: { chunkFileNames: 'cli/[name].js' },
  },
  {
    ...config,
    // Not an entry of the package: `deloop mcp` runs it. One file loads several times as fast as many.
    entry: { 'cli/mcp': 'src/cli/mcp/main.ts' },
    dts: false,
    clean: false,
    outputOptions: { chunkFileNames: 'cli/mcp-[name].js' },
  },
  hookPart('main', 'src/cli/hook/main.ts'),
  hookPart('settings', 'src/cli/hook/read-settings.ts'),
  hookPart('swarm', 'src/cli/hook/swarm-worker.ts'),
  hookPart('transcript', 'src/cli/hook/transcript-parts.ts'),
  plugin('opencode'),
  plugin('pi'),
  plugin('openclaw'),
]);

export default configs;
