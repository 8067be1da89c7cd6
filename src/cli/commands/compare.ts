import { Command } from 'commander';
import { type ComparedRun, compare, heard, type Spoken } from '../../report/comparison.ts';
import { comparisonPage } from '../../report/comparison-page.ts';
import { findTraces } from '../compare/find-traces.ts';
import { comparisonText, runsText } from '../compare/print-comparison.ts';
import { EXIT, type ExitStatus, UsageError } from '../exit.ts';
import { candidatesOf } from '../side-by-side/candidates.ts';
import { replayRun } from '../side-by-side/replay-run.ts';
import { createRunCounter } from '../side-by-side/run-counter.ts';
import { writePage } from '../side-by-side/write-page.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';

type Flags = {
  readonly presets?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly details?: boolean;
  readonly html?: string;
};

const HELP = `
Examples:
  $ deloop compare run.jsonl                                      every preset on one run
  $ deloop compare runs/ --presets koda,atomcode --details        where they fired, run by run
  $ deloop compare runs/ --config my.json --html report.html      your own config beside them

Exit status: 0 done, 2 wrong usage, 3 a line or a file could not be read; the rest was compared.
`;

export function compareCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('compare')
    .description('replay recorded runs under several guards and show where they differ')
    .argument(
      '<paths...>',
      'traces and other transcripts, and folders that are searched for them; - is the standard input',
    )
    .option('--presets <names>', 'the guards, with commas between them (default: all)')
    .option('--config <file>', 'a config to compare with them')
    .option('--json', 'print JSON only')
    .option('--details', 'list where each guard fired, run by run')
    .option('--html <file>', 'write a page with all of it')
    .addHelpText('after', HELP)
    .action(async (paths: readonly string[], flags: Flags) => {
      leave(await run(paths, flags, terminal, surroundings));
    });
}

async function run(
  paths: readonly string[],
  flags: Flags,
  terminal: Terminal,
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const candidates = candidatesOf(flags, surroundings);
  let complete = true;
  const files = findTraces(paths, (path, why) => {
    complete = false;
    terminal.err(`deloop: ${printable(path)}: ${printable(why)}\n`);
  });
  if (files.length === 0 && complete)
    throw new UsageError(`${paths.join(', ')}: there is no .jsonl file in it, and no other transcript`);
  const runs: ComparedRun[] = [];
  const counter = createRunCounter(terminal, files.length);
  for (const file of files) {
    const fired: (Spoken | undefined)[] = [];
    const { calls, events, problems } = await replayRun(
      file,
      candidates,
      counter.terminal,
      (index, firing) => {
        fired[index] = heard(candidates[index]?.name ?? '', fired[index], firing);
      },
    );
    counter.step();
    if (problems.length > 0) complete = false;
    if (problems.includes('file')) continue;
    if (events > 0) runs.push({ file, calls, fired: fired.filter((spoken) => spoken !== undefined) });
    else counter.terminal.err(`deloop: ${printable(file)}: there are no events in it; it is left out\n`);
  }
  counter.clear();
  const names = candidates.map(({ name }) => name);
  const comparison = compare(names, runs);
  if (flags.json === true) await terminal.out(`${JSON.stringify(comparison)}\n`);
  else {
    await terminal.out(comparisonText(comparison, terminal.outColors));
    if (flags.details === true) await terminal.out(runsText(runs, terminal.outColors));
  }
  if (flags.html !== undefined) await writePage(flags.html, comparisonPage(comparison));
  return complete ? EXIT.ok : EXIT.unreadable;
}
