import { basename } from 'node:path';
import { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { wrong } from '../../core/options.ts';
import { type PresetName, presets } from '../../presets/registry.ts';
import { EXIT, type ExitStatus, UsageError } from '../exit.ts';
import { type LoadedConfig, loadConfig } from '../load-config.ts';
import { showDemo } from '../replay/demo.ts';
import { createFleet } from '../replay/fleet.ts';
import { decisionLine, summaryLine } from '../replay/print-json.ts';
import { summaryText, tableHead, tableRow } from '../replay/print-table.ts';
import { type Problem, readEvents } from '../replay/read-events.ts';
import { type ReplayOptions, replay } from '../replay/replay-file.ts';
import { verifyLog } from '../replay/verify-log.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';

type Flags = {
  readonly preset?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly shadow?: boolean;
  readonly through?: boolean;
  readonly verify?: string;
  readonly demo?: boolean;
  readonly swarm?: boolean;
};

const MAX_WORKER = 40;
const HELP = `
A trace is a file of JSON Lines, one event a line:
  {"type":"tool-call","id":"1","tool":"read_file","args":{"path":"a.txt"}}
  {"type":"tool-result","id":"1","output":"hello","ok":true}

Examples:
  $ deloop replay --demo                             see what guards do, on a recording that comes with deloop
  $ deloop replay run.jsonl --preset koda            what koda would have done
  $ deloop replay runs/*.jsonl --shadow --json       decide, change nothing; for scripts
  $ my-agent --trace | deloop replay -               read the standard input
  $ deloop replay crew.jsonl --swarm                 agents that run into each other's dead ends
  $ deloop replay run.jsonl --verify decisions.jsonl hold a log of decisions against the guard

Exit status: 0 done, 1 --verify found the log incoherent, 2 wrong usage, 3 a line or a file could not be read.
`;

export function replayCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('replay')
    .description('feed recorded runs through a guard and show what it would have done')
    .argument('[files...]', 'traces and other transcripts; - is the standard input')
    .option('--preset <name>', 'the guard (see: deloop presets)')
    .option('--config <file>', "a config to use instead of the project's")
    .option('--json', 'print JSON Lines only: each decision, then a summary')
    .option('--shadow', 'decide, but let every call pass')
    .option('--through', 'go on after a halt')
    .option('--verify <log>', 'hold a log of decisions against what the guard decides')
    .option(
      '--swarm',
      'the files, and the agents in them, are workers of one swarm: heed what they do together',
    )
    .option('--demo', 'replay a recording that comes with deloop')
    .addHelpText('after', HELP)
    .action(async (files: readonly string[], flags: Flags) => {
      leave(await run(files, flags, terminal, surroundings));
    });
}

async function run(
  files: readonly string[],
  flags: Flags,
  terminal: Terminal,
  surroundings: Surroundings,
): Promise<ExitStatus> {
  if (flags.demo === true && files.length > 0) throw new UsageError('replay --demo takes no FILE');
  if (flags.demo === true) return showDemo(terminal, flags.json === true);
  const settings = loadConfig(surroundings, { flags: flagsConfig(flags), file: flags.config });
  for (const note of notesOn(settings, flags)) terminal.err(`deloop: ${note}\n`);
  const options: ReplayOptions = {
    ...guardOptions(settings),
    through: flags.through === true,
    fleet: flags.swarm === true ? createFleet() : undefined,
  };
  if (flags.verify !== undefined) {
    if (files.length > 1)
      throw new UsageError(`replay --verify takes one FILE of events, not ${files.length}`);
    return verifyLog(flags.verify, files[0], options, terminal, flags.json === true);
  }
  if (files.length === 0)
    throw new UsageError(
      'replay needs a FILE (or - for the standard input); to see an example: deloop replay --demo',
    );
  let unreadable = false;
  for (const file of files) {
    const read = await replayOne(file, options, terminal, flags.json === true);
    unreadable ||= !read;
  }
  return unreadable ? EXIT.unreadable : EXIT.ok;
}

/** Whether every line could be read. */
async function replayOne(
  file: string,
  options: ReplayOptions,
  terminal: Terminal,
  json: boolean,
): Promise<boolean> {
  const problems: Problem[] = [];
  let line = 0;
  const onError = (error: unknown) => {
    problems.push('line');
    terminal.err(
      `deloop: ${printable(file)}:${line}: the guard could not take it: ${printable(String(error))}\n`,
    );
  };
  const { out, width, outColors } = terminal;
  async function* events() {
    for await (const item of readEvents(file, terminal, (problem) => problems.push(problem))) {
      line = item.line;
      if ('event' in item) yield item;
    }
  }
  let rows = 0;
  const title = `${outColors.bold(printable(file))}\n`;
  const worker = workerOf(file);
  const summary = await replay(events(), { ...options, worker, onError }, async (decision) => {
    rows += 1;
    if (json) return out(decisionLine(file, decision));
    if (rows === 1) await out(`${title}${tableHead(outColors)}`);
    return out(tableRow(decision, width, outColors));
  });
  if (problems.includes('file') && summary.calls === 0 && rows === 0) return false;
  const stopped = options.through !== true;
  await out(json ? summaryLine(file, summary) : `${rows === 0 ? title : ''}${summaryText(summary, stopped)}`);
  return problems.length === 0;
}

/** What messages call the worker whose file it is. */
function workerOf(file: string): string {
  return (
    basename(file)
      .replace(/\.\w+$/, '')
      .slice(0, MAX_WORKER) || 'worker'
  );
}

function flagsConfig({ preset, shadow }: Flags): Config {
  if (preset !== undefined && !Object.hasOwn(presets, preset))
    throw wrong('--preset', preset, `one of ${Object.keys(presets).join(', ')}`);
  return {
    ...(preset === undefined ? {} : { preset: preset as PresetName }),
    ...(shadow === true ? { mode: 'shadow' } : {}),
  };
}

function guardOptions({ preset, mode, attended, tools, messages }: LoadedConfig): ReplayOptions {
  return { preset, mode, attended, tools, messages };
}

/** A flag that a lock overrules must not be overruled silently. */
function notesOn(settings: LoadedConfig, { preset, shadow }: Flags): readonly string[] {
  const notes = [...settings.notes];
  if (preset !== undefined && settings.preset.name !== preset)
    notes.push(
      `--preset ${printable(preset)} is overruled by the managed config: ${settings.preset.name} it is`,
    );
  if (shadow === true && settings.mode !== 'shadow')
    notes.push(`--shadow is overruled by the managed config: the mode is ${settings.mode}`);
  return notes;
}
