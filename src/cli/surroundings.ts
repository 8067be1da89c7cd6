import { homedir } from 'node:os';
import type { Environment } from '../config/environment.ts';

/** What the command line knows of the machine it runs on. */
export type Surroundings = {
  readonly cwd: string;
  readonly env: Environment;
  readonly home: string;
  readonly platform: string;
};

export function surroundingsOf(process: NodeJS.Process): Surroundings {
  return { cwd: process.cwd(), env: process.env, home: homedir(), platform: process.platform };
}
