import { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { wrong } from '../../core/options.ts';
import { type PresetName, presets } from '../../presets/registry.ts';
import { LIST_PRICES } from '../../report/list-prices.ts';
import { FORMATS } from '../../transcripts/formats.ts';
import { EXIT, type ExitStatus } from '../exit.ts';
import { type LoadedConfig, loadConfig } from '../load-config.ts';
import { knownPlaces } from '../scan/places.ts';
import { readSource, UNKNOWN_FORMAT } from '../scan/read-source.ts';
import { createScanProgress } from '../scan/scan-progress.ts';
import { sessionOptions } from '../scan/scan-source.ts';
import { parseSince } from '../scan/since.ts';
import { sourcesAt, sourcesIn, type WantedSource } from '../scan/sources.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';
import { listeningPreset } from '../tune/listening-preset.ts';
import { detectorText, tuningText } from '../tune/print-tuning.ts';
import { createSessionCounts } from '../tune/session-counts.ts';
import { createTally, type Tuning } from '../tune/tuning.ts';

type Flags = {
  readonly detector?: string;
  readonly preset?: string;
  readonly config?: string;
  readonly since?: string;
  readonly agent?: string;
  readonly json?: boolean;
};

const HELP = `
Without a PATH it reads the sessions that coding agents have left on this machine. Nothing is changed.

Examples:
  $ deloop tune                                  every detector of your guard, on every session
  $ deloop tune --since 30d --detector waiting   one of them: how far it counts, and where
  $ deloop tune runs/ --preset koda --json       another guard, on other sessions, for scripts

Exit status: 0 done, 2 wrong usage, 3 some input could not be read; the rest was counted.
`;

export function tuneCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('tune')
    .description('show which threshold of which detector would have fired how often in your sessions')
    .argument('[paths...]', 'transcripts, and folders that are searched for them')
    .option('--detector <name>', 'one detector of the guard, with the sessions in which it counts farthest')
    .option('--preset <name>', 'the guard (see: deloop presets)')
    .option('--config <file>', "a config to use instead of the project's")
    .option('--since <date>', 'only sessions that changed since: 2026-11-01, 7d, 12h')
    .option('--agent <name>', 'only sessions of one agent')
    .option('--json', 'print JSON only')
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
  const { agent, detector: name, json = false } = flags;
  const settings = settingsOf(flags, terminal, surroundings);
  const since = parseSince(flags.since, Date.now());
  const { preset } = settings;
  if (name !== undefined && !Object.hasOwn(preset.detectors, name))
    throw wrong('--detector', name, `one of ${Object.keys(preset.detectors).join(', ')}`);
  if (agent !== undefined && !FORMATS.some((format) => format.name === agent))
    throw wrong('--agent', agent, `one of ${FORMATS.map((format) => format.name).join(', ')}`);
  let complete = true;
  const complain = (path: string, why: string) => {
    complete = false;
    terminal.err(`deloop: ${printable(path)}: ${printable(why)}\n`);
  };
  const places = knownPlaces(surroundings).filter((place) => agent === undefined || place.agent === agent);
  const sources = paths.length > 0 ? sourcesAt(paths, since, complain) : sourcesIn(places, since, complain);
  const tuning = await counted(sources, settings, flags, terminal, complain);
  const detectors = tuning.detectors.filter((detector) => name === undefined || detector.name === name);
  if (json) await terminal.out(`${JSON.stringify({ ...tuning, detectors }, null, 2)}\n`);
  else if (tuning.sessions === 0)
    terminal.err('deloop: no session was found; deloop tune PATH reads transcripts from anywhere\n');
  else {
    const [only] = detectors;
    await terminal.out(
      name === undefined || only === undefined
        ? tuningText(tuning, preset, terminal)
        : detectorText(tuning, only, preset, terminal),
    );
  }
  return complete ? EXIT.ok : EXIT.unreadable;
}

/** Ctrl-C ends it early, and what was counted until then counts. */
async function counted(
  sources: readonly WantedSource[],
  { preset, attended, tools, messages }: LoadedConfig,
  { agent, detector }: Flags,
  terminal: Terminal,
  complain: (path: string, why: string) => void,
): Promise<Tuning> {
  const tally = createTally(preset);
  const guard = { preset: listeningPreset(preset), attended, tools, messages };
  const { makeGuard } = sessionOptions({ guard, prices: LIST_PRICES, redaction: 'outputs' });
  const bytes = sources.reduce((sum, { size }) => sum + size, 0);
  const progress = createScanProgress(terminal, sources.length, bytes);
  let stopped = false;
  const stop = () => {
    stopped = true;
  };
  process.once('SIGINT', stop);
  try {
    for (const source of sources) {
      // Lets signals and progress through.
      await new Promise(setImmediate);
      if (stopped) break;
      const counts = createSessionCounts(makeGuard, detector);
      const { format, why } = readSource(source, counts.sink, progress.bytes);
      const { session, calls, reached } = counts.finish();
      progress.session();
      const file = source.session === undefined ? source.path : `${source.path}#${source.session}`;
      // Any folder may hold files that are no transcripts.
      if (why !== null && (source.named || (why !== UNKNOWN_FORMAT && source.size > 0))) complain(file, why);
      if (format === null || (agent !== undefined && format !== agent)) continue;
      tally.add({ file, agent: format, session }, calls, reached);
    }
  } finally {
    process.removeListener('SIGINT', stop);
    progress.clear();
  }
  if (stopped) terminal.err('deloop: stopped; these are the sessions that were read until then\n');
  return tally.tuning();
}

function settingsOf(
  { preset, config: file }: Flags,
  terminal: Terminal,
  surroundings: Surroundings,
): LoadedConfig {
  if (preset !== undefined && !Object.hasOwn(presets, preset))
    throw wrong('--preset', preset, `one of ${Object.keys(presets).join(', ')}`);
  const flags: Config = preset === undefined ? {} : { preset: preset as PresetName };
  const loaded = loadConfig(surroundings, { flags, file });
  for (const note of loaded.notes) terminal.err(`deloop: ${note}\n`);
  return loaded;
}
