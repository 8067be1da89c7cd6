import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;
/** Two compilers that people have, each for one way to resolve. */
const COMPILERS = {
  nodenext: join(root, 'node_modules/typescript/bin/tsc'),
  bundler: join(root, 'node_modules/typescript-7/bin/tsc'),
};
let folder = '';

const LOOP = `
const guard = createGuard({ preset: 'koda' });
const answers = [1, 2, 3, 4, 5].map(() => guard.before({ tool: 'Edit', args: { path: 'a' } }).action);
console.log(answers.join(' '));
`;
const ANSWERS = 'allow allow allow allow nudge\n';

async function node(file: string, source: string): Promise<string> {
  await writeFile(join(folder, file), source);
  const { stdout } = await run(process.execPath, [file], { cwd: folder });
  return stdout;
}

describe('the packed package, installed in an empty folder', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deloop-package-'));
    const { stdout } = await run(
      'npm',
      ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
      { cwd: root },
    );
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    await writeFile(join(folder, 'package.json'), '{ "name": "stranger", "private": true }');
    await run('npm', ['install', '--no-audit', '--no-fund', '--offline', join(folder, filename)], {
      cwd: folder,
    });
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('brings no other package along', async () => {
    const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
      packages: object;
    };
    expect(Object.keys(packages)).toEqual(['', 'node_modules/deloop']);
  });

  it('works as a module', async () => {
    expect(await node('a.mjs', `import { createGuard } from 'deloop';${LOOP}`)).toBe(ANSWERS);
  });

  it('works with require', async () => {
    expect(await node('a.cjs', `const { createGuard } = require('deloop');${LOOP}`)).toBe(ANSWERS);
  });

  it('works by the small entry', async () => {
    const small = LOOP.replace("'koda'", 'koda');
    const source = `import { createGuard } from 'deloop/core';\nimport { koda } from 'deloop/presets/koda';${small}`;
    expect(await node('b.mjs', source)).toBe(ANSWERS);
  });

  it('has types that resolve', async () => {
    await mkdir(join(folder, 'src'), { recursive: true });
    await writeFile(
      join(folder, 'src', 'a.mts'),
      `import { createGuard, type Decision, presets } from 'deloop';
import { createGuard as small, definePreset } from 'deloop/core';
import { callStreak } from 'deloop/detectors';
import { koda } from 'deloop/presets/koda';
const decision: Decision = createGuard({ preset: 'attocode' }).before({ tool: 't', args: { a: 1 } });
if (decision.action !== 'allow') decision.message.at(decision.finding.count);
small({ preset: koda }).grant(50);
definePreset([callStreak], { name: 'x', about: '', detectors: { it: { kind: 'call-streak' } }, ladder: [] });
// @ts-expect-error there is no such preset
createGuard({ preset: 'kodda' });
Object.keys(presets);
`,
    );
    for (const [resolution, tsc] of Object.entries(COMPILERS)) {
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
      const options = [
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
        '--module',
        module,
        '--moduleResolution',
        resolution,
      ];
      const { stdout } = await run(process.execPath, [tsc, ...options, 'src/a.mts'], { cwd: folder }).catch(
        (error) => error,
      );
      expect(stdout).toBe('');
    }
  }, 60_000);

  it('has a command', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const { stdout } = await run('npx', ['--no-install', 'deloop', '--version'], { cwd: folder });
    expect(stdout.trim()).toBe(version);
  });

  it('publishes its schema', async () => {
    const source = "const schema = require('deloop/schema.json'); console.log(schema.$schema, schema.type);";
    expect(await node('c.cjs', source)).toBe('https://json-schema.org/draft/2020-12/schema object\n');
  });

  it('exports exactly these names', async () => {
    const list = async (entry: string) =>
      (
        await node(
          'd.mjs',
          `import * as all from '${entry}'; console.log(Object.keys(all).sort().join(' '));`,
        )
      ).trim();
    expect(await list('deloop')).toMatchInlineSnapshot(
      `"DeloopError createGuard createStoredGuard createSwarmGuard createTally fingerprint presets shellReadTarget similarFingerprint"`,
    );
    for (const adapter of ['generic', 'ai-sdk', 'mastra'])
      expect(await list(`deloop/${adapter}`)).toBe(
        'CallBlocked LoopHalted deloop findLoopHalted isCallBlocked isLoopHalted',
      );
    for (const adapter of ['google-adk', 'pi', 'strands'])
      expect(await list(`deloop/${adapter}`)).toBe('LoopHalted deloop findLoopHalted isLoopHalted');
    expect(await list('deloop/core')).toMatchInlineSnapshot(
      `"DeloopError checkedPlan compilePlan createGuard createLedger definePreset initialState parseState step toolRules"`,
    );
    expect(await list('deloop/stores')).toMatchInlineSnapshot(
      `"boardOf createFileStore createMemoryStore createRedisStore"`,
    );
    expect(await list('deloop/detectors')).toMatchInlineSnapshot(
      `"badCall badCallDescribed blindRepeat blindRepeatDescribed budget budgetDescribed callCap callCapDescribed callCount callCountDescribed callCycle callCycleDescribed callStreak callStreakDescribed callWindow callWindowDescribed causeRepeat causeRepeatDescribed chunkRepeat chunkRepeatDescribed compactionRepeat compactionRepeatDescribed compactions compactionsDescribed exploration explorationDescribed failedRounds failedRoundsDescribed failureStreak failureStreakDescribed handoffRepeat handoffRepeatDescribed idleRepeat idleRepeatDescribed idleRounds idleRoundsDescribed invalidRounds invalidRoundsDescribed iterationCap iterationCapDescribed noProgress noProgressDescribed outage outageDescribed outcomeRepeat outcomeRepeatDescribed outcomeStreak outcomeStreakDescribed readShare readShareDescribed recentRepeat recentRepeatDescribed refusals refusalsDescribed repeatedFailure repeatedFailureDescribed repeatedWrite repeatedWriteDescribed restatedPlan restatedPlanDescribed resultStreak resultStreakDescribed roundRepeat roundRepeatDescribed roundStreak roundStreakDescribed sameResult sameResultDescribed seenPages seenPagesDescribed similarStreak similarStreakDescribed spawnStorm spawnStormDescribed staleRounds staleRoundsDescribed streamRepeat streamRepeatDescribed stuckTest stuckTestDescribed swarmBudget swarmBudgetDescribed swarmFailure swarmFailureDescribed swarmHalt swarmHaltDescribed swarmRepeat swarmRepeatDescribed tailRepeat tailRepeatDescribed testFailures testFailuresDescribed textStreak textStreakDescribed thoughtStreak thoughtStreakDescribed toolStreak toolStreakDescribed toolUse toolUseDescribed turnRepeat turnRepeatDescribed unknownToolStreak unknownToolStreakDescribed verdict verdictDescribed waiting waitingDescribed"`,
    );
  });
});
