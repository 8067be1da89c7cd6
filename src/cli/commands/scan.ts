import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { wrong } from '../../core/options.ts';
import { type PresetName, presets } from '../../presets/registry.ts';
import { LIST_PRICES } from '../../report/list-prices.ts';
import { type PriceTable, parsePrices, pricesOver } from '../../report/prices.ts';
import { scanJson } from '../../report/scan-json.ts';
import { scanPage } from '../../report/scan-page.ts';
import { scanText } from '../../report/scan-table.ts';
import { FORMATS } from '../../transcripts/formats.ts';
import { EXIT, type ExitStatus } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import { parseJson } from '../parse-json.ts';
import { nothingFound } from '../scan/nothing-found.ts';
import { knownPlaces } from '../scan/places.ts';
import { REDACTIONS, type Redaction } from '../scan/redaction.ts';
import { type Complaint, runScan } from '../scan/run-scan.ts';
import type { ScanSettings } from '../scan/scan-source.ts';
import { parseSince } from '../scan/since.ts';
import { sourcesAt, sourcesIn } from '../scan/sources.ts';
import { writePage } from '../side-by-side/write-page.ts';
import { readSmallFile } from '../small-file.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';

type Flags = {
  readonly json?: boolean;
  readonly html?: string;
  readonly preset?: string;
  readonly config?: string;
  readonly since?: string;
  readonly agent?: string;
  readonly project?: string;
  readonly failOn?: string;
  readonly prices?: string;
  readonly redact?: string;
  readonly threads?: string;
  readonly examples?: boolean;
};

const HELP = `
Without a PATH it looks where coding agents keep their sessions on this machine. Nothing is changed, nothing is sent.

Examples:
  $ deloop scan                                  every session of this machine
  $ deloop scan --since 7d --html loops.html     the last week, as a page
  $ deloop scan runs/ --fail-on loop             in CI: exit status 1 when a loop was found
  $ deloop scan --agent codex --project .        one agent, in this folder
  $ deloop scan session.jsonl --json             one transcript, for scripts

Exit status: 0 done, 1 with --fail-on loop when a loop was found, 2 wrong usage, 3 some input could not be read,
130 stopped with Ctrl-C; what was found until then is shown.
`;

/** Recordings that come with the package, as far from the built file as from this one. */
const EXAMPLES = new URL('../../examples/sessions/', import.meta.url);
const MAX_THREADS = 256;

export function scanCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('scan')
    .description('find the loops in recorded sessions, what they cost, and where a guard would have acted')
    .argument('[paths...]', 'transcripts, and folders that are searched for them')
    .option('--json', 'print JSON only')
    .option('--html <file>', 'write a page with every loop drawn')
    .option('--preset <name>', 'the guard (see: deloop presets)')
    .option('--config <file>', "a config to use instead of the project's")
    .option('--since <date>', 'only sessions that changed since: 2026-11-01, 7d, 12h')
    .option('--agent <name>', 'only sessions of one agent')
    .option('--project <folder>', 'only sessions that worked in a folder')
    .option('--fail-on <what>', 'loop = exit status 1 when a loop was found')
    .option('--prices <file>', 'prices of your own, before the list that comes with deloop')
    .option(
      '--redact <what>',
      'all = no text of calls, outputs = calls shortened (default), none = everything',
    )
    .option('--threads <n>', 'how many threads read (default: as many as there are cores, at most 4)')
    .option('--examples', 'where this machine has no sessions, scan recordings that come with deloop')
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
  const { agent, project, json = false, html } = flags;
  const settings = settingsOf(flags, terminal, surroundings);
  const since = parseSince(flags.since, Date.now());
  if (flags.failOn !== undefined && flags.failOn !== 'loop') throw wrong('--fail-on', flags.failOn, 'loop');
  if (agent !== undefined && !FORMATS.some(({ name }) => name === agent))
    throw wrong('--agent', agent, `one of ${FORMATS.map(({ name }) => name).join(', ')}`);
  const threads = threadsOf(flags.threads);

  const complaints: Complaint[] = [];
  const complain = (file: string, why: string) => {
    complaints.push({ file, why });
  };
  const places = knownPlaces(surroundings);
  const searched = agent === undefined ? places : places.filter((place) => place.agent === agent);
  let sources = paths.length > 0 ? sourcesAt(paths, since, complain) : sourcesIn(searched, since, complain);
  if (sources.length === 0 && paths.length === 0 && flags.examples === true) {
    terminal.err(
      'No agent has left a session on this machine: these are recordings that come with deloop.\n\n',
    );
    sources = sourcesAt([fileURLToPath(EXAMPLES)], 0, complain);
  }
  const wanted = { agent, project };
  const { report, incomplete } = await runScan(sources, settings, terminal, wanted, threads, complaints);
  if (json) await terminal.out(`${JSON.stringify(scanJson(report), null, 2)}\n`);
  else if (sources.length === 0 && !incomplete)
    await terminal.out(nothingFound(paths.length > 0 ? paths : null, searched, flags.since));
  else await terminal.out(scanText(report, terminal.width, terminal.outColors));
  if (html !== undefined) {
    await writePage(html, scanPage(report));
    terminal.err(`deloop: the page is in ${printable(html)}\n`);
  }
  if (flags.failOn === 'loop' && report.loops.length > 0) return EXIT.found;
  if (report.cancelled) return EXIT.interrupted;
  return incomplete ? EXIT.unreadable : EXIT.ok;
}

function settingsOf(flags: Flags, terminal: Terminal, surroundings: Surroundings): ScanSettings {
  const { preset: wanted, redact = 'outputs', prices } = flags;
  if (wanted !== undefined && !Object.hasOwn(presets, wanted))
    throw wrong('--preset', wanted, `one of ${Object.keys(presets).join(', ')}`);
  if (!REDACTIONS.some((each) => each === redact))
    throw wrong('--redact', redact, `one of ${REDACTIONS.join(', ')}`);
  const config: Config = wanted === undefined ? {} : { preset: wanted as PresetName };
  const loaded = loadConfig(surroundings, { flags: config, file: flags.config });
  for (const note of loaded.notes) terminal.err(`deloop: ${note}\n`);
  const { preset, attended, tools, messages } = loaded;
  return {
    guard: { preset, attended, tools, messages },
    prices: prices === undefined ? LIST_PRICES : pricesIn(prices),
    redaction: redact as Redaction,
  };
}

function pricesIn(file: string): PriceTable {
  return pricesOver(LIST_PRICES, parsePrices(parseJson(readSmallFile(file, file), file)));
}

function threadsOf(told: string | undefined): number | undefined {
  if (told === undefined) return undefined;
  const threads = Number(told);
  if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS)
    throw wrong('--threads', told, `a whole number from 1 to ${MAX_THREADS}`);
  return threads;
}
