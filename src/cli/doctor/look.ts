import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fieldsOf, nameOf } from '../../transcripts/fields.ts';
import { readPauses } from '../hook/paused.ts';
import { COMMAND_HOSTS } from '../install/command-hosts.ts';
import type { InstallStatus } from '../install/install-status.ts';
import { INSTALLABLE } from '../install/installables.ts';
import { contextOf } from '../install/placements.ts';
import { readIfPossible } from '../install/read-if-possible.ts';
import { loadConfig } from '../load-config.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

const OTHERS_MAY = 0o077;
const SHOWN_PROBLEMS = 3;

/** The Node that takes the place of the one that installed, when that is gone. */
export function lookAtNode(installed: readonly InstallStatus[]): readonly Finding[] {
  const commands = COMMAND_HOSTS.map(({ agent }) => agent);
  const found = spawnSync('node', ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' });
  const version = found.stdout?.trim() ?? '';
  if (!version.startsWith('v')) {
    if (!installed.some(({ agent }) => commands.includes(agent))) return [];
    const text = 'there is no node in the path: hooks stop when the Node that installed them is removed';
    return [
      note(text, 'install Node for all programs, or install the hooks again after each update of Node'),
    ];
  }
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  const old = major < 20 || (major === 20 && minor < 19);
  return old
    ? [note(`the node of the path is ${version}; deloop needs 20.19 or newer`, 'update Node')]
    : [ok(`Node ${process.version}; in the path ${version}`)];
}

/** What the settings of deloop itself say. */
export function lookAtSettings(surroundings: Surroundings): readonly Finding[] {
  const { env } = surroundings;
  if (env['DELOOP_MODE'] === 'off')
    return [
      wrong('DELOOP_MODE is "off" here: nothing is guarded where this variable is set', 'unset DELOOP_MODE'),
    ];
  try {
    const { mode, where } = loadConfig(surroundings);
    if (mode === 'off') return [wrong(`the mode is "off" (${where}): nothing is guarded`, 'remove "mode"')];
    if (mode === 'shadow')
      return [note(`the mode is "shadow" (${where}): decisions are logged, and nothing is done`)];
    return [ok(where === '' ? 'no settings of deloop: the defaults hold' : `settings: ${where}`)];
  } catch (error) {
    const { message } = error as Error;
    return [wrong(`the settings cannot be followed, so that nothing is guarded: ${message}`, 'correct them')];
  }
}

/** Where state and log lie. */
export function lookAtState(surroundings: Surroundings, now: number): readonly Finding[] {
  const folder = stateFolder(surroundings);
  const probe = join(folder, `doctor-${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(probe, 'x', { mode: 0o600 });
    rmSync(probe);
  } catch (error) {
    const text = `${folder} cannot be written: ${(error as Error).message}; nothing is remembered, so nothing is guarded`;
    return [wrong(text, 'make it writable, or name another folder in DELOOP_STATE_DIR')];
  }
  const open = surroundings.platform !== 'win32' && (statSync(folder).mode & OTHERS_MAY) !== 0;
  const pauses = readPauses(folder, now);
  return [
    open
      ? note(`${folder} can be read by others on this machine`, `chmod 700 ${folder}`)
      : ok(`state and log: ${folder}`),
    ...(pauses.length > 0
      ? [note('the guard is paused, for all sessions or for some: it stands aside', 'deloop resume')]
      : []),
    ...problemsIn(folder, now),
  ];
}

/** What hooks could not judge today. */
function problemsIn(folder: string, now: number): readonly Finding[] {
  const day = new Date(now).toISOString().slice(0, 10);
  const lines = readIfPossible(join(folder, 'log', `${day}.jsonl`)).split('\n');
  const told = lines.filter((line) => line.includes('"type":"problem"')).flatMap(problemOf);
  return [...new Set(told)]
    .slice(-SHOWN_PROBLEMS)
    .map((text) => note(`logged today: ${text}`, 'deloop log shows when'));
}

function problemOf(line: string): readonly string[] {
  try {
    const { host, message } = fieldsOf(JSON.parse(line));
    return [`${nameOf(host) ?? '?'}: ${nameOf(message) ?? '?'}`];
  } catch {
    return [];
  }
}

/** Agents that are on this machine, and not guarded. */
export function lookForAgents(
  surroundings: Surroundings,
  installed: readonly InstallStatus[],
): readonly Finding[] {
  const context = contextOf(surroundings, 'user', false);
  return INSTALLABLE.filter(({ agent }) => !installed.some((one) => one.agent === agent))
    .filter((installable) => {
      const [first] = installable.targets(context);
      return first !== undefined && existsSync(homeOf(first.path));
    })
    .map(({ agent, title }) => note(`${title} is here, and not guarded`, `deloop install ${agent}`));
}

/** The folder of an agent's own that a file of its settings lies in. */
function homeOf(path: string): string {
  const folder = dirname(path);
  return /[\\/](?:hooks|plugins|extensions)$/.test(folder) ? dirname(folder) : folder;
}
