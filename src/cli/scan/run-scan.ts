import { availableParallelism } from 'node:os';
import { resolve, sep } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Collector, createCollector } from '../../report/collect-scan.ts';
import type { ScanReport } from '../../report/scan-report.ts';
import type { Terminal } from '../terminal.ts';
import { counted } from '../text.ts';
import { type Scanned, scanAll } from './pool.ts';
import { EMPTY_FILE, type Source, UNKNOWN_FORMAT } from './read-source.ts';
import { createScanProgress } from './scan-progress.ts';
import type { ScanSettings } from './scan-source.ts';
import type { WantedSource } from './sources.ts';

/** Which of the sessions count, as only their content tells. */
export type Wanted = {
  /** The name of a format. */
  readonly agent?: string | undefined;
  /** A folder that the agent worked in, or above it. */
  readonly project?: string | undefined;
};

export type ScanRun = {
  readonly report: ScanReport;
  /** Something that should have been readable was not. */
  readonly incomplete: boolean;
};

/** What was looked for and could not be read. */
export type Complaint = { readonly file: string; readonly why: string };

/** Less is read sooner than a thread is started. */
const ALONE_BYTES = 16_000_000;
/** Unless the user wants more: each takes about 50 MB. */
const MOST_THREADS = 4;
/**
 * The engine optimises what is called often together with all that it calls, over and over on each thread; with a fifth of
 * that the guard is as fast, and fast much sooner.
 */
const OPTIMISE_LESS = '--max-inlined-bytecode-size-cumulative=200';
const UNFINISHED = 'the last line is not finished';

/** Scans the sources and puts together what was found; Ctrl-C ends it early, and what was found until then counts. */
export async function runScan(
  sources: readonly WantedSource[],
  settings: ScanSettings,
  terminal: Terminal,
  { agent, project }: Wanted,
  threads: number | undefined,
  complaints: readonly Complaint[],
): Promise<ScanRun> {
  setFlagsFromString(OPTIMISE_LESS);
  const collector = createCollector();
  for (const { file, why } of complaints) collector.skip(file, why);
  const bytes = sources.reduce((sum, { size }) => sum + size, 0);
  const progress = createScanProgress(terminal, sources.length, bytes);
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.once('SIGINT', stop);
  let incomplete = complaints.length > 0;
  try {
    await scanAll(sources, settings, threads ?? threadsFor(bytes), {
      signal: stopped.signal,
      onBytes: progress.bytes,
      onScanned(source, scanned) {
        progress.session();
        const unreadable = collected(collector, source as WantedSource, scanned, (session) => {
          if (agent !== undefined && session.agent !== agent) return false;
          return project === undefined || isWithin(session.project, project);
        });
        incomplete ||= unreadable;
      },
    });
  } finally {
    process.removeListener('SIGINT', stop);
    progress.clear();
  }
  const preset = settings.guard.preset;
  const report = collector.report({
    preset: typeof preset === 'object' ? preset.name : String(preset),
    pricesOf: settings.prices.date,
    cancelled: stopped.signal.aborted,
  });
  return { report, incomplete };
}

function threadsFor(bytes: number): number {
  return bytes < ALONE_BYTES ? 1 : Math.min(MOST_THREADS, availableParallelism());
}

/** Takes one session in; whether something in it should have been readable and was not. */
function collected(
  collector: Collector,
  source: WantedSource,
  scanned: Scanned,
  wanted: (session: { readonly agent: string; readonly project: string | null }) => boolean,
): boolean {
  const file = nameOf(source);
  if ('failure' in scanned) {
    collector.skip(file, `it could not be scanned (${scanned.failure})`);
    return true;
  }
  const { scanned: session, why, problems, firstProblem } = scanned;
  if (session !== null && !wanted(session)) return false;
  if (session !== null) collector.add(session);
  if (why !== null) {
    collector.skip(file, why);
    // Any folder may hold files that are no transcripts.
    return source.named || session !== null || (why !== UNKNOWN_FORMAT && why !== EMPTY_FILE);
  }
  if (firstProblem === null) return false;
  // A session that is being written always ends like this.
  if (problems === 1 && firstProblem.endsWith(UNFINISHED)) return false;
  collector.skip(
    file,
    `${counted(problems, 'part')} could not be read (${firstProblem}); the rest was scanned`,
  );
  return true;
}

function nameOf({ path, session }: Source): string {
  return session === undefined ? path : `${path}#${session}`;
}

/** Whether an agent worked in this folder or below it. */
function isWithin(project: string | null, folder: string): boolean {
  if (project === null) return false;
  const wanted = resolve(folder);
  return project === wanted || project.startsWith(wanted.endsWith(sep) ? wanted : `${wanted}${sep}`);
}
