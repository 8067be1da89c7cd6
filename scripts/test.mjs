import { spawn } from 'node:child_process';

/** What needs no test to have passed, quickest first. */
const CHECKS = ['lint', 'typecheck', 'size', 'knip', 'package'];
/** Packing would build `dist/` anew, under the feet of the tests. */
const env = { ...process.env, npm_config_ignore_scripts: 'true' };

/** Runs npm to its end; `said` = everything it printed, unless that went to the terminal. */
function npm(words, options) {
  const child = spawn('npm', words, { shell: process.platform === 'win32', ...options });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (status) => done({ passed: status === 0, said }));
  });
}

/** One after the other, beside the tests, which often wait; the names of those that failed. */
async function checked() {
  const failed = [];
  for (const check of CHECKS) {
    const { passed, said } = await npm(['run', '--silent', check], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (passed) continue;
    failed.push({ check, said });
    console.error(`npm run ${check} failed; the tests go on, and its words are at their end`);
  }
  return failed;
}

const [tests, failed] = await Promise.all([
  npm(['exec', '--', 'vitest', 'run', ...process.argv.slice(2)], { stdio: 'inherit' }),
  checked(),
]);
for (const { check, said } of failed) console.error(`\nnpm run ${check}\n${said}`);
console.log(
  failed.length === 0
    ? `passed: ${CHECKS.join(', ')}`
    : `failed: ${failed.map(({ check }) => check).join(', ')}`,
);
process.exitCode = tests.passed && failed.length === 0 ? 0 : 1;
