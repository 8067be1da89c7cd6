import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAIN } from '../../cli/run-cli.ts';
import { hasPackages } from '../on-host.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Whether the real servers and clients are there. */
export const hasHosts: boolean = await hasPackages('mcp');

export type Command = readonly string[];
export const INSPECTOR: Command = [
  process.execPath,
  join(FOLDER, 'node_modules/.bin/mcp-inspector'),
  '--cli',
];
export const EVERYTHING: Command = [
  process.execPath,
  join(FOLDER, 'node_modules/.bin/mcp-server-everything'),
];
export const FILES: Command = [process.execPath, join(FOLDER, 'node_modules/.bin/mcp-server-filesystem')];
export const MODERN: Command = [process.execPath, join(FOLDER, 'modern-server.mjs')];

/** The command behind the guard. */
export function guarded(command: Command, ...flags: string[]): Command {
  return [process.execPath, MAIN, 'mcp', ...flags, '--', ...command];
}

/** The command with all its bytes in `file.in` and `file.out`. */
export function recorded(command: Command, file: string): Command {
  return [process.execPath, join(FOLDER, 'tee.mjs'), file, '--', ...command];
}

/** A module beside this one, which needs the packages that may not be there. */
export async function load<Module>(name: string): Promise<Module> {
  return (await import(new URL(name, import.meta.url).href)) as Module;
}
