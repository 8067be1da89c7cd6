import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { isWholeNumber, wrong } from '../../core/options.ts';
import { type PresetName, presets } from '../../presets/registry.ts';
import { LIST_PRICES } from '../../report/list-prices.ts';
import { EXIT, type ExitStatus } from '../exit.ts';
import { loadConfig } from '../load-config.ts';
import { knownPlaces, type Place } from '../scan/places.ts';
import { STORES } from '../scan/read-source.ts';
import type { SessionOptions } from '../scan/scan-session.ts';
import { sessionOptions } from '../scan/scan-source.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { counted, printable } from '../text.ts';
import { TRANSCRIPT_ENDINGS } from '../transcript-files.ts';
import type { News } from '../watch/live-session.ts';
import { createNotify } from '../watch/notify.ts';
import { newsLine, newsText, notificationOf, summaryText } from '../watch/print-news.ts';
import { createWatcher } from '../watch/watcher.ts';

type Flags = {
  readonly agent?: string;
  readonly preset?: string;
  readonly config?: string;
  readonly notify?: boolean;
  readonly poll: string;
  readonly json?: boolean;
};

const HELP = `
Without a PATH it follows the sessions that coding agents write on this machine. It changes nothing; Ctrl-C ends it.

Examples:
  $ deloop watch                             a line when a session begins to go round in circles, and when it gets worse
  $ deloop watch --notify --agent codex      a notification too, for one agent
  $ deloop watch runs/ --json                other transcripts, for scripts

Exit status: 0 ended by Ctrl-C, 2 wrong usage.
`;
const [MIN_POLL, MAX_POLL] = [10, 600_000];
const BELL = '\u0007';

export function watchCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('watch')
    .description('follow sessions while they are written, and tell when one goes round in circles')
    .argument('[paths...]', 'transcripts, and folders that are searched for them')
    .option('--agent <name>', 'only sessions of one agent')
    .option('--preset <name>', 'the guard (see: deloop presets)')
    .option('--config <file>', "a config to use instead of the project's")
    .option('--notify', 'also a notification of the desktop, or else the bell of the terminal')
    .option('--poll <ms>', 'how often to look, in milliseconds', '1000')
    .option('--json', 'print JSON Lines only')
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
  const pollMs = Number(flags.poll);
  if (!isWholeNumber(pollMs, MIN_POLL, MAX_POLL))
    throw wrong('--poll', flags.poll, `a whole number of milliseconds from ${MIN_POLL} to ${MAX_POLL}`);
  const { makeGuard } = guardOf(flags, terminal, surroundings);
  const places = paths.length > 0 ? paths.map(placeAt) : placesOf(flags.agent, surroundings);
  let heard: News[] = [];
  const watcher = createWatcher({
    places,
    makeGuard,
    onNews: (news) => heard.push(news),
    complain: (path, why) => terminal.err(`deloop: ${printable(path)}: ${printable(why)}\n`),
  });
  const ring = () => terminal.err(terminal.watched ? BELL : '');
  const notify = flags.notify === true ? createNotify(surroundings.platform, ring) : () => {};
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const began = Date.now();
  const looped = new Set<string>();
  for (let first = true; !stopped.signal.aborted; first = false) {
    watcher.poll(Date.now());
    if (first) terminal.err(greeting(watcher.live, places));
    for (const news of heard) {
      const now = new Date();
      looped.add(news.file);
      await terminal.out(flags.json === true ? newsLine(news, now) : newsText(news, now, terminal));
      notify(...notificationOf(news));
    }
    heard = [];
    await sleep(pollMs, undefined, { signal: stopped.signal }).catch(() => {});
  }
  process.removeListener('SIGINT', stop);
  process.removeListener('SIGTERM', stop);
  const { active } = watcher;
  await terminal.out(
    flags.json === true
      ? `${JSON.stringify({ type: 'summary', sessions: active, looped: looped.size })}\n`
      : summaryText(active, looped.size, Date.now() - began),
  );
  return EXIT.ok;
}

function guardOf(
  { preset: wanted, config: file }: Flags,
  terminal: Terminal,
  surroundings: Surroundings,
): SessionOptions {
  if (wanted !== undefined && !Object.hasOwn(presets, wanted))
    throw wrong('--preset', wanted, `one of ${Object.keys(presets).join(', ')}`);
  const flags: Config = wanted === undefined ? {} : { preset: wanted as PresetName };
  const { preset, attended, tools, messages, notes } = loadConfig(surroundings, { flags, file });
  for (const note of notes) terminal.err(`deloop: ${note}\n`);
  return sessionOptions({
    guard: { preset, attended, tools, messages },
    prices: LIST_PRICES,
    redaction: 'outputs',
  });
}

function placesOf(agent: string | undefined, surroundings: Surroundings): readonly Place[] {
  const places = knownPlaces(surroundings);
  const agents = [...new Set(places.map((place) => place.agent))];
  if (agent !== undefined && !agents.includes(agent))
    throw wrong('--agent', agent, `one of ${agents.join(', ')}`);
  return places.filter((place) => agent === undefined || place.agent === agent);
}

/** A file, or a folder that is searched for transcripts of any agent. */
function placeAt(path: string): Place {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
  return { agent: '', title: path, kind: 'files', path, pattern: isFolder ? TRANSCRIPT_ENDINGS : [] };
}

function greeting(live: number, places: readonly Place[]): string {
  const stores = places.filter(({ kind, path }) => STORES[kind] !== undefined && isThere(path));
  const titles = [...new Set(stores.map(({ title }) => title))];
  const followed = `deloop: following ${counted(live, 'session')} of the last hour, and new ones; Ctrl-C ends it\n`;
  if (titles.length === 0) return followed;
  return `${followed}deloop: ${titles.join(' and ')}: sessions in a database are not followed; deloop scan reads them\n`;
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
