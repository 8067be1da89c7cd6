import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const HOSTS = 'test/hosts/**/*.test.ts';
const PASSED_OVER = ['**/node_modules/**', 'dist/**', 'test/soak/**'];
const shared: ViteUserConfig['test'] = {
  pool: 'threads',
  // Many tests wait for processes of their own.
  maxWorkers: availableParallelism() + 2,
  // No test is about time: a machine may be busy.
  testTimeout: 180_000,
  hookTimeout: 180_000,
};

/** Hosts take longest and wait often, first for their packages: many short files beside and behind them leave no processor idle. */
class HostsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isHost = ({ project }: TestSpecification) => project.name === 'hosts';
    return [...sorted.filter(isHost), ...sorted.filter((file) => !isHost(file))];
  }
}

const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: 'test/temporary-folder.ts',
    passWithNoTests: false,
    // Frameworks and servers talk a lot; what they say is of use where a test fails.
    silent: 'passed-only',
    slowTestThreshold: 10_000,
    sequence: { sequencer: HostsFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'deloop',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...PASSED_OVER, HOSTS],
          // To load our modules anew for each file takes longer than most tests; they keep nothing to themselves.
          isolate: false,
        },
      },
      // Frameworks change what is global.
      { test: { ...shared, name: 'hosts', include: [HOSTS], exclude: PASSED_OVER } },
    ],
  },
});

export default config;
