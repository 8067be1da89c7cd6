import { presetOf, presets } from '../../presets/registry.ts';
import { EXIT, type ExitStatus } from '../exit.ts';
import { type Recording, readRecording } from '../recordings.ts';
import type { Colors, Terminal } from '../terminal.ts';
import { counted, shortened } from '../text.ts';
import { type DemoRun, demoRun } from './demo-run.ts';
import { colorOf } from './print-table.ts';
import type { ReplayDecision } from './simulation.ts';

const STUCK = 'stuck.jsonl';
const HEALTHY = 'healthy.jsonl';
/** Guards that differ; those that this version does not have are left out. */
const SHOWN: readonly string[] = ['recommended', 'koda', 'attocode', 'atomcode', 'zagens'];
const NAME_WIDTH = 13;
const SPARED_WIDTH = 8;
const MARKS: { readonly [Name in ReplayDecision['action']]: string } = {
  nudge: 'n',
  block: 'B',
  ask: 'A',
  halt: 'H',
};

/** Replays the recordings that come with the package under several guards, side by side. */
export async function showDemo(terminal: Terminal, json: boolean): Promise<ExitStatus> {
  const names = SHOWN.filter((name) => Object.hasOwn(presets, name)) as (keyof typeof presets)[];
  const stuck = await readRecording(STUCK);
  const healthy = await readRecording(HEALTHY);
  const runs = async (recording: Recording) =>
    Promise.all(names.map((name) => demoRun(recording, presetOf(name))));
  const [inStuck, inHealthy] = [await runs(stuck), await runs(healthy)];
  if (json) {
    for (const run of [...inStuck, ...inHealthy]) await terminal.out(jsonLine(run));
    return EXIT.ok;
  }
  await terminal.out(stuckText(stuck, inStuck, terminal));
  await terminal.out(healthyText(healthy, inHealthy));
  await terminal.out(nextText(terminal.outColors));
  return EXIT.ok;
}

function jsonLine({ file, preset, calls, spared, summary }: DemoRun): string {
  const { firstAction, firstCall, halted } = summary;
  return `${JSON.stringify({ file, type: 'demo', preset, calls, firstAction, firstCall, halted, spared })}\n`;
}

function stuckText(recording: Recording, runs: readonly DemoRun[], { outColors, width }: Terminal): string {
  const { task, outcome, onset } = recording;
  const calls = runs[0]?.calls ?? 0;
  const { bold, dim } = outColors;
  const unguarded = `${'.'.repeat(onset - 1)}${'o'.repeat(calls - onset + 1)}`;
  const head = `${' '.repeat(NAME_WIDTH)}${ruler(calls)}  ${'spared'.padStart(SPARED_WIDTH - 2)}`;
  return [
    `A recorded run. The agent was asked: ${bold(task)}`,
    `It made ${counted(calls, 'call')}, the last ${calls - onset + 1} of them in circles.`,
    shortened(`How it ended: ${outcome}.`, width * 2),
    '',
    'Where each guard would have stepped in, call by call:',
    '',
    dim(head),
    `${'no guard'.padEnd(NAME_WIDTH)}${unguarded}  ${'0'.padStart(SPARED_WIDTH - 2)}`,
    ...runs.map((run) => row(run, outColors)),
    '',
    dim(
      '. a call   o in circles   n nudged: the agent is told   B blocked: not run   H halted: the run ends',
    ),
    dim('spared: calls that were blocked, or never made after a halt; a nudge by itself spares none'),
    '',
    '',
  ].join('\n');
}

function row({ preset, calls, summary, marks, spared, told }: DemoRun, colors: Colors): string {
  const timeline = Array.from({ length: calls }, (_, index) => {
    const action = marks.get(index + 1);
    if (action !== undefined) return colorOf(action, colors)(MARKS[action]);
    return index < summary.calls ? '.' : ' ';
  }).join('');
  return `${preset.padEnd(NAME_WIDTH)}${timeline}  ${String(spared).padStart(SPARED_WIDTH - 2)}  ${told}`;
}

function healthyText(recording: Recording, runs: readonly DemoRun[]): string {
  const loud = runs.filter((run) => run.summary.decisions > 0).map((run) => run.preset);
  const verdict =
    loud.length === 0 ? 'every guard above stays silent' : `these guards speak up: ${loud.join(', ')}`;
  return `A healthy run, for comparison (${counted(runs[0]?.calls ?? 0, 'call')}, ${recording.outcome}): ${verdict}.\n\n`;
}

function nextText({ bold }: Colors): string {
  return [
    'Next:',
    `  ${bold('deloop replay your-trace.jsonl')}   the same for a run of your own`,
    `  ${bold('deloop presets')}                   the guards to choose from`,
    '  README.md                        how to put a guard into your agent',
    '',
  ].join('\n');
}

/** Call numbers above the timeline, one every ten calls. */
function ruler(calls: number): string {
  let text = '';
  for (let call = 1; call <= calls; call += 10) text += String(call).padEnd(10);
  return text.slice(0, calls).padEnd(calls);
}
