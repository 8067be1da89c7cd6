import { type Browser, chromium } from 'playwright-core';
import { announce } from '../announce.ts';
import { inPath, installPackage, isProgram } from '../programs.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The Chromium of this machine, installed if that can be done; undefined = there is none, and the log says why. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const chosen = env['CHROMIUM_PATH'];
  if (chosen) {
    if (isProgram(chosen)) return chosen;
    throw new Error(`CHROMIUM_PATH is ${JSON.stringify(chosen)}, which is not a program`);
  }
  const found = inPath(env, NAMES) ?? (installPackage('chromium') ? inPath(env, NAMES) : undefined);
  if (found !== undefined) return found;
  const why = `No Chromium: none of ${NAMES.join(', ')} is in PATH, and apt-get could not install it. Set CHROMIUM_PATH.`;
  if (env['CI'] === 'true') throw new Error(why);
  announce(`\n!!! ${why} The tests in a browser are SKIPPED. !!!\n`);
  return undefined;
}

/** Root has no sandbox, and containers often have a small /dev/shm. */
export function launch(executablePath: string): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...sandbox, '--disable-dev-shm-usage'] });
}
