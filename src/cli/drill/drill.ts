import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fieldsOf, nameOf } from '../../transcripts/fields.ts';
import type { InstallStatus } from '../install/install-status.ts';
import { readIfPossible } from '../install/read-if-possible.ts';
import type { Surroundings } from '../surroundings.ts';
import { commandPlayer } from './command-player.ts';
import { HOST_SCRIPTS } from './host-script.ts';
import type { Answered, Player } from './player.ts';
import { pluginPlayer } from './plugin-player.ts';

export type DrillStep = Answered & {
  /** The number of the call; 0 = nothing was called yet. */
  readonly call: number;
};

/** What came of a loop that was sent through what is installed. */
export type Drill = {
  readonly agent: string;
  readonly title: string;
  readonly scope: InstallStatus['scope'];
  readonly shadow: boolean;
  readonly works: boolean;
  readonly steps: readonly DrillStep[];
  /** What the guard decided, by call; in shadow, what it would have done. */
  readonly decisions: readonly { readonly call: number; readonly action: string; readonly message: string }[];
  /** Why it does not work. */
  readonly problems: readonly string[];
};

/** By then every preset has stepped in. */
const MAX_CALLS = 12;
const ENOUGH = 3;

/** Sends a known loop through what is installed, with a state and a log of its own. */
export async function drill(status: InstallStatus, surroundings: Surroundings): Promise<Drill> {
  const state = mkdtempSync(join(tmpdir(), 'deloop-drill-'));
  // No swarm hears of it.
  const own = { DELOOP_STATE_DIR: state, DELOOP_SWARM: 'off' };
  const before = Object.keys(own).map((name) => [name, process.env[name]] as const);
  // Plugins run in this process.
  Object.assign(process.env, own);
  try {
    const here = { ...surroundings, env: { ...surroundings.env, ...own } };
    const session = `drill-${randomUUID()}`;
    const script = HOST_SCRIPTS[status.agent];
    const player =
      script === undefined
        ? await pluginPlayer(status, session, surroundings.cwd)
        : commandPlayer(status, script, session, here);
    const steps = await played(player);
    const log = logIn(state);
    const decisions = log.filter(({ type }) => type === 'decision').map(decisionOf);
    const answered = steps.some(({ word }) => word !== 'nothing' && word !== 'unreadable');
    const works = status.shadow ? decisions.length > 0 && !answered : answered;
    const { agent, title, scope, shadow } = status;
    const problems = [
      ...new Set([
        ...(works ? [] : status.problems),
        ...faultsIn(steps),
        ...log.filter(({ type }) => type === 'problem').map(({ message }) => nameOf(message) ?? ''),
        ...(works || decisions.length > 0 || surroundings.env['DELOOP_MODE'] !== 'off'
          ? []
          : ['DELOOP_MODE is off in the environment: hooks do nothing']),
      ]),
    ];
    return { agent, title, scope, shadow, works, steps, decisions, problems };
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(state, { recursive: true, force: true });
  }
}

async function played(player: Player): Promise<readonly DrillStep[]> {
  const steps: DrillStep[] = [];
  const kept = (call: number, answers: readonly Answered[]) => {
    steps.push(...answers.map((answer) => ({ ...answer, call })));
    return answers.map(({ word }) => word);
  };
  kept(0, await player.prompt());
  for (let call = 1; call <= MAX_CALLS; call++) {
    const before = kept(call, await player.before(call));
    const runs = !before.some((word) => word === 'refused' || word === 'asked' || word === 'stopped');
    const after = runs ? kept(call, await player.after(call)) : [];
    if ([...before, ...after].includes('stopped')) break;
    if (kept(call, await player.next(call)).includes('stopped') || goesOn(steps)) break;
  }
  return steps;
}

/** Nothing new is to be expected: it has come to its last word, and repeats it. */
function goesOn(steps: readonly DrillStep[]): boolean {
  const [last, ...others] = steps.filter(({ word }) => word !== 'nothing').slice(-ENOUGH);
  return (
    others.length === ENOUGH - 1 &&
    last?.word === 'refused' &&
    others.every(({ word, message }) => word === last.word && message === last.message)
  );
}

function faultsIn(steps: readonly DrillStep[]): readonly string[] {
  return steps.flatMap(({ event, fault, word, message }) => [
    ...(fault === '' ? [] : [`${event}: ${fault}`]),
    ...(word === 'unreadable'
      ? [
          `${event}: something that is no JSON is printed, perhaps by the profile of the shell: ${message.trim()}`,
        ]
      : []),
  ]);
}

function logIn(state: string): readonly { readonly [field: string]: unknown }[] {
  let days: readonly string[];
  try {
    days = readdirSync(join(state, 'log')).sort();
  } catch {
    return [];
  }
  const lines = days.flatMap((day) => readIfPossible(join(state, 'log', day)).split('\n'));
  return lines.filter((line) => line !== '').map((line) => fieldsOf(JSON.parse(line)));
}

function decisionOf(line: { readonly [field: string]: unknown }): Drill['decisions'][number] {
  const { call, action, message } = line;
  return { call: Number(call), action: String(action), message: String(message) };
}
