import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { wrong } from '../../core/options.ts';
import type { AgentEvent } from '../../core/types.ts';
import type { SessionFacts } from '../../transcripts/format.ts';
import { traceLine } from '../../transcripts/trace.ts';
import { EXIT, type ExitStatus } from '../exit.ts';
import { createDigests } from '../export/digests.ts';
import { namedSource } from '../export/named-source.ts';
import { openOutput } from '../export/output-file.ts';
import { createRedaction } from '../export/redact-event.ts';
import { compareDecisions, type Sameness } from '../export/same-decisions.ts';
import { readSource, type Source } from '../scan/read-source.ts';
import { REDACTIONS, type Redaction } from '../scan/redaction.ts';
import { createScanProgress } from '../scan/scan-progress.ts';
import type { Terminal } from '../terminal.ts';
import { counted, printable } from '../text.ts';
import { VERSION } from '../version.ts';

type Flags = { readonly redact: string; readonly out?: string; readonly salt?: string };

const HELP = `
A FILE is any transcript that deloop scan reads; a session of a database is PATH#SESSION, as deloop scan prints it.

Examples:
  $ deloop export session.jsonl --out trace.jsonl                   for a report of a false alarm: no text leaves this machine
  $ deloop export session.jsonl --redact outputs --out trace.jsonl  with command lines and arguments, secrets masked
  $ deloop export ~/.local/share/opencode/opencode.db#ses_1         one session of many
  $ deloop export session.jsonl --redact none | deloop replay -     as it was recorded

Exit status: 0 done, 2 wrong usage, 3 some of the session could not be read; the rest was written.
`;
const MAX_COMPLAINTS = 3;
const HIDDEN: { readonly [Level in Redaction]: string } = {
  all: 'texts, arguments and outputs are digests; names of tools, fields and ids are not: look it over before you pass it on',
  outputs:
    'arguments are shortened, with what looks like a secret masked; texts and outputs are digests: look it over before you pass it on',
  none: 'nothing is hidden: look it over before you pass it on',
};

export function exportCommand(terminal: Terminal, leave: (status: ExitStatus) => void): Command {
  return new Command('export')
    .description('turn one recorded session into a trace, with its texts hidden')
    .argument('<file>', 'a transcript, or PATH#SESSION')
    .option('--redact <what>', 'all = digests only, outputs = calls stay readable, none = everything', 'all')
    .option('--out <file>', 'where to write it (default: the standard output)')
    .option('--salt <text>', 'the same digests in several exports (default: others in each)')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: Flags) => {
      leave(await run(file, flags, terminal));
    });
}

async function run(file: string, flags: Flags, terminal: Terminal): Promise<ExitStatus> {
  const { redact, out, salt = randomBytes(16).toString('hex') } = flags;
  const redaction = REDACTIONS.find((each) => each === redact);
  if (redaction === undefined) throw wrong('--redact', redact, `one of ${REDACTIONS.join(', ')}`);
  const complain = (path: string, why: string) =>
    terminal.err(`deloop: ${printable(path)}: ${printable(why)}\n`);
  const source = namedSource(file, complain);
  if (source === null) return EXIT.unreadable;
  const { format, facts, why } = about(source);
  if (format === null) {
    complain(file, why ?? 'it could not be read');
    return EXIT.unreadable;
  }
  const output = openOutput(out, source.path, terminal);
  output.write(lineOf(sessionLine(format, facts, redaction)));
  const redactEvent = createRedaction(redaction, createDigests(salt));
  const comparison = compareDecisions();
  const progress = createScanProgress(terminal, 1, source.size);
  let events = 0;
  let problems = 0;
  const read = readSource(
    source,
    {
      event(event, line) {
        events += 1;
        const text = lineOf(redactEvent(event));
        output.write(text);
        comparison.feed(event, readBack(text, line), line);
      },
      facts() {},
      problem(line, told) {
        problems += 1;
        if (problems <= MAX_COMPLAINTS) complain(`${file}:${line}`, `${told}; it is left out`);
      },
    },
    progress.bytes,
  );
  progress.clear();
  await output.close();
  if (read.why !== null) complain(file, read.why);
  if (problems > MAX_COMPLAINTS)
    complain(file, `${counted(problems - MAX_COMPLAINTS, 'more problem')} like these`);
  terminal.err(
    `deloop: ${counted(events, 'event')} of ${printable(file)} (${format}); ${HIDDEN[redaction]}\n`,
  );
  terminal.err(`deloop: ${samenessText(comparison.end())}\n`);
  return problems > 0 || read.why !== null ? EXIT.unreadable : EXIT.ok;
}

/** What the session says about itself, which it may say at its end. */
function about(source: Source): { format: string | null; facts: SessionFacts; why: string | null } {
  let facts: SessionFacts = {};
  const { format, why } = readSource(source, {
    event() {},
    facts(more) {
      const known = Object.entries(more).filter(([, value]) => value !== undefined);
      facts = { ...facts, ...Object.fromEntries(known) };
    },
    problem() {},
  });
  return { format, facts, why };
}

function sessionLine(source: string, facts: SessionFacts, redaction: Redaction): object {
  const { model, session, parent, version, project } = facts;
  const place = redaction === 'all' ? undefined : project;
  return {
    type: 'session',
    source,
    model,
    session,
    parent,
    version,
    project: place,
    redacted: redaction,
    exporter: `deloop ${VERSION}`,
  };
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** As whoever gets the trace will read it. */
function readBack(text: string, line: number): AgentEvent {
  const item = traceLine(line, JSON.parse(text));
  if (!('event' in item)) throw new Error(`an exported event cannot be read: ${text.slice(0, 200)}`);
  return item.event;
}

function samenessText({ decisions, differsAt }: Sameness): string {
  const same = differsAt === null ? 'yes' : `no (first difference at call ${differsAt})`;
  const acted =
    decisions === 0
      ? 'it has nothing to say'
      : `it speaks up ${decisions === 1 ? 'once' : `${decisions} times`}`;
  return `the guard decides the same on it: ${same}; on the session, ${acted}`;
}
