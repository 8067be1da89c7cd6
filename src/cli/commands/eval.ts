import { statSync } from 'node:fs';
import { Command } from 'commander';
import { type Firing, type Judgement, judge } from '../../report/judgement.ts';
import { mistakesOf, scoreOf } from '../../report/score.ts';
import { type DetailedScore, scorePage } from '../../report/score-page.ts';
import { mistakesText, scoresText } from '../eval/print-scores.ts';
import { type PlacedLabel, readLabels } from '../eval/read-labels.ts';
import { EXIT, type ExitStatus, UsageError } from '../exit.ts';
import { type Candidate, candidatesOf } from '../side-by-side/candidates.ts';
import { replayRun } from '../side-by-side/replay-run.ts';
import { createRunCounter } from '../side-by-side/run-counter.ts';
import { writePage } from '../side-by-side/write-page.ts';
import { fileExists } from '../small-file.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';

type Flags = {
  readonly labels: string;
  readonly presets?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly details?: boolean;
  readonly html?: string;
};
/** What every guard made of every run that could be read. */
type Measured = {
  readonly judgements: readonly (readonly Judgement[])[];
  readonly calls: number;
  readonly complete: boolean;
};

const HELP = `
A run is DIR/<source>/<trace>.jsonl, and a label says what a person saw in it, one JSON object a line:
  {"trace":"a","source":"runs","verdict":"stuck","severity":"serious","onset":5,"end":20}
  {"trace":"b","source":"runs","verdict":"legit"}

Examples:
  $ deloop eval corpus --labels corpus/labels.jsonl                              every preset
  $ deloop eval corpus --labels labels.jsonl --presets koda,zagens --details     and the runs they got wrong
  $ deloop eval corpus --labels labels.jsonl --config my.json --html report.html your own config beside them

Exit status: 0 done, 2 wrong usage, 3 a label or a run could not be read; the rest was measured.
`;

export function evalCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('eval')
    .description('measure guards on recorded runs that a person has labelled')
    .argument('<dir>', 'the folder of the runs')
    .requiredOption('--labels <file>', 'what a person says of each run')
    .option('--presets <names>', 'the guards, with commas between them (default: all)')
    .option('--config <file>', 'a config to measure beside them')
    .option('--json', 'print JSON only')
    .option('--details', 'list every run that was missed, or that a guard fired in too early or without need')
    .option('--html <file>', 'write a page with the table and a plot')
    .addHelpText('after', HELP)
    .action(async (folder: string, flags: Flags) => {
      leave(await run(folder, flags, terminal, surroundings));
    });
}

async function run(
  folder: string,
  flags: Flags,
  terminal: Terminal,
  surroundings: Surroundings,
): Promise<ExitStatus> {
  const candidates = candidatesOf(flags, surroundings);
  if (!isFolder(folder)) throw new UsageError(`${folder}: there is no such folder`);
  let complete = true;
  const complain = (line: number, why: string) => {
    complete = false;
    terminal.err(`deloop: ${printable(flags.labels)}:${line}: ${printable(why)}; the label is left out\n`);
  };
  const labels = await readLabels(flags.labels, folder, complain);
  const present = labels.filter(({ line, file, label }) => {
    if (label.verdict === 'unsure') return false;
    if (fileExists(file)) return true;
    complain(line, `${file}: there is no such file`);
    return false;
  });
  const measured = await measure(present, candidates, terminal);
  const scores = candidates.map(({ name }, index): DetailedScore => {
    const judgements = measured.judgements[index] as readonly Judgement[];
    const score = scoreOf(name, judgements);
    return flags.details === true ? { ...score, details: mistakesOf(judgements) } : score;
  });
  if (flags.json === true) await terminal.out(`${JSON.stringify({ presets: scores })}\n`);
  else {
    await terminal.out(scoresText(scores, measured.calls, terminal.outColors));
    for (const { name, details } of scores)
      if (details !== undefined) await terminal.out(mistakesText(name, details, terminal.outColors));
  }
  if (flags.html !== undefined) await writePage(flags.html, scorePage(scores));
  return complete && measured.complete ? EXIT.ok : EXIT.unreadable;
}

async function measure(
  labels: readonly PlacedLabel[],
  candidates: readonly Candidate[],
  terminal: Terminal,
): Promise<Measured> {
  const judgements: Judgement[][] = candidates.map(() => []);
  const counter = createRunCounter(terminal, labels.length);
  let calls = 0;
  let complete = true;
  for (const { file, label } of labels) {
    const firings: Firing[][] = candidates.map(() => []);
    const replayed = await replayRun(file, candidates, counter.terminal, (index, decision) => {
      const { call, action, detector } = decision;
      firings[index]?.push({ call, action, detector });
    });
    counter.step();
    if (replayed.problems.length > 0) complete = false;
    // A part of a run says nothing about the whole.
    if (replayed.problems.includes('file')) continue;
    calls += replayed.calls;
    for (const [index, own] of firings.entries())
      judgements[index]?.push(judge({ file, calls: replayed.calls, label }, own));
  }
  counter.clear();
  return { judgements, calls, complete };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
