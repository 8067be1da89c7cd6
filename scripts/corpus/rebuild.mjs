// Rebuilds the traces that deloop is measured on from clones of the public repositories that hold the recordings:
// `node scripts/corpus/rebuild.mjs --help`. Nothing is downloaded; what it writes is other people's work, under their
// licences.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cloneCommand, openClone } from './clone.mjs';
import { blankLabel, sampled } from './labels.mjs';
import { sources } from './sources.mjs';
import { callCount, traceLines } from './trace.mjs';

const HELP = `Usage: node scripts/corpus/rebuild.mjs --clones DIR --out DIR [--source NAME]... [--labels FILE [--sample N]]

Writes the recorded runs of public repositories as traces, OUT/<source>/<run>.jsonl.

  --clones DIR    where the repositories are cloned, as DIR/owner/name (bare is enough)
  --out DIR       where the traces go; made if it is not there
  --source NAME   only this source; may be repeated
  --labels FILE   also write a new file with a blank label for some runs, to be filled in for \`deloop eval\`
  --sample N      for how many runs of each source (default: 20)
  --commands      print the commands that clone what is missing, and do nothing else
  --help          print this

Sources, and the repositories they come from:
${sources.map(({ name, origins }) => `  ${name.padEnd(25)}${origins.map(({ repository }) => repository).join(', ')}`).join('\n')}

Exit status: 0 done, 1 something is missing or could not be read or written (the rest is done), 2 wrong usage.
`;
const EXIT = { done: 0, incomplete: 1, usage: 2 };
const DEFAULT_SAMPLE = 20;
const RUN_NAME = /^\w[\w.-]*$/;
const PROGRESS_EVERY_MS = 250;

process.exitCode = await main(process.argv.slice(2));

async function main(argv) {
  const flags = readFlags(argv);
  if (typeof flags === 'string') {
    complain(flags);
    return EXIT.usage;
  }
  if (flags.help) {
    process.stdout.write(HELP);
    return EXIT.done;
  }
  if (flags.commands) return printCommands(flags);
  const written = new Map();
  let complete = true;
  for (const { name, origins } of flags.sources) {
    written.set(name, []);
    for (const origin of origins) {
      try {
        written.get(name).push(...(await rebuild(name, origin, flags)));
      } catch (error) {
        complain(error.message);
        complete = false;
      }
    }
  }
  if (flags.labels !== undefined && !(await writeLabels(flags, written))) complete = false;
  return complete ? EXIT.done : EXIT.incomplete;
}

/** @returns {object | string} the flags, or what is wrong with them */
function readFlags(argv) {
  let values;
  try {
    ({ values } = parseArgs({
      args: argv,
      options: {
        clones: { type: 'string' },
        out: { type: 'string' },
        source: { type: 'string', multiple: true, default: [] },
        labels: { type: 'string' },
        sample: { type: 'string', default: String(DEFAULT_SAMPLE) },
        commands: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    return error.message;
  }
  if (values.help) return values;
  if (!values.clones) return '--clones is missing: the folder with the cloned repositories';
  if (!(values.out || values.commands)) return '--out is missing: the folder for the traces';
  if (!/^[1-9]\d*$/.test(values.sample))
    return `--sample is ${values.sample}; it must be a whole number from 1`;
  const known = sources.map(({ name }) => name);
  const unknown = values.source.find((name) => !known.includes(name));
  if (unknown !== undefined) return `--source is ${unknown}; it must be one of ${known.join(', ')}`;
  const chosen = sources.filter(({ name }) => values.source.length === 0 || values.source.includes(name));
  return { ...values, sample: Number(values.sample), sources: chosen };
}

async function printCommands({ clones, sources }) {
  for (const origin of sources.flatMap(({ origins }) => origins)) {
    if (!(await openClone(clones, origin))) process.stdout.write(`${cloneCommand(clones, origin)}\n`);
  }
  return EXIT.done;
}

/** Writes the runs of one repository and gives their names. */
async function rebuild(source, origin, { clones, out }) {
  const { repository, branch, commit } = origin;
  const clone = await openClone(clones, origin);
  if (!clone) {
    throw new Error(`${source} needs ${repository}, branch ${branch}:\n  ${cloneCommand(clones, origin)}`);
  }
  if (clone.revision !== commit) {
    complain(
      `${repository}: ${commit} is not in the clone; ${clone.revision} is read instead, and runs may differ`,
    );
  }
  if (clone.absent > 0)
    complain(`${repository}: ${clone.absent} files are not in the clone and are left out`);
  const folder = join(out, source);
  await mkdir(folder, { recursive: true });
  const progress = createProgress(`${source}, ${repository}`);
  const names = [];
  let calls = 0;
  try {
    for await (const run of origin.runs(clone)) {
      if (!RUN_NAME.test(run.name)) throw new Error(`${run.name} cannot be the name of a file`);
      await writeFile(join(folder, `${run.name}.jsonl`), traceLines(source, run));
      names.push(run.name);
      calls += callCount(run);
      progress.show(names.length);
    }
  } catch (error) {
    throw new Error(`${repository}: ${error.message}`, { cause: error });
  } finally {
    progress.clear();
  }
  if (names.length === 0) throw new Error(`${repository}: no run was found at ${clone.revision}`);
  process.stdout.write(`${source}, ${repository}: ${names.length} runs, ${calls} calls\n`);
  return names;
}

async function writeLabels({ labels, sample }, written) {
  const lines = [...written].flatMap(([source, names]) =>
    sampled(names, sample).map((name) => blankLabel(source, name)),
  );
  try {
    // Never over labels that somebody has written.
    await writeFile(labels, lines.join(''), { flag: 'wx' });
  } catch (error) {
    complain(`--labels ${labels}: ${error.message}`);
    return false;
  }
  process.stdout.write(`${labels}: ${lines.length} blank labels\n`);
  return true;
}

function createProgress(name) {
  let next = Date.now() + PROGRESS_EVERY_MS;
  const erase = '\r\u001B[K';
  return {
    show(runs) {
      if (!process.stderr.isTTY || Date.now() < next) return;
      next = Date.now() + PROGRESS_EVERY_MS;
      process.stderr.write(`${erase}${name}: ${runs} runs`);
    },
    clear() {
      if (process.stderr.isTTY) process.stderr.write(erase);
    },
  };
}

function complain(text) {
  process.stderr.write(`rebuild: ${text}\n`);
}
