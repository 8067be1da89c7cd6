import { Command, Option } from 'commander';
import { EXIT, type ExitStatus } from '../exit.ts';
import { problemText, sessionText } from '../log/print-log.ts';
import { readLog } from '../log/read-log.ts';
import { savingsOf } from '../log/savings.ts';
import { type LogReport, reaches, reportOf, STRENGTHS, type Strength } from '../log/session-log.ts';
import { parseSince } from '../scan/since.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { counted } from '../text.ts';

type Flags = {
  readonly agent?: string;
  readonly session?: string;
  readonly since?: string;
  readonly failOn?: Strength;
  readonly json?: boolean;
};

/** So many sessions are shown to people. */
const MAX_SHOWN = 20;
const HELP = `
Examples:
  $ deloop log --since 1d                    what the guard did since yesterday, session by session
  $ deloop log --session 3f2a                one session, by the beginning of its id
  $ deloop log --fail-on halt --since 1h     for CI: exit status 1 when a run was ended

--fail-on counts what was done and is at least so strong; what a guard in shadow would have done was not done.
Calls that did not run are counted. What a response cost is read in the transcript of the session, where the host told of one.

Exit status: 0 done, 1 with --fail-on when something of the kind was done, 2 wrong usage.
`;

export function logCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('log')
    .description('what the guard did in coding agents, session by session, and what it saved')
    .option('--agent <name>', 'only sessions of one agent')
    .option('--session <id>', 'only this session; the beginning of its id is enough')
    .option('--since <when>', 'a date, or so long ago: 30m, 12h, 7d')
    .addOption(
      new Option('--fail-on <action>', 'exit with 1 when the guard did that, or more').choices(STRENGTHS),
    )
    .option('--json', 'print JSON only')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const { lines, damaged } = readLog(stateFolder(surroundings), parseSince(flags.since, Date.now()));
      const { agent, session = '' } = flags;
      const report = reportOf(
        lines.filter(
          (line) => (agent === undefined || line.host === agent) && (line.session ?? '').startsWith(session),
        ),
      );
      const { failOn } = flags;
      if (failOn !== undefined && report.sessions.some((one) => reaches(one, failOn))) leave(EXIT.found);
      if (flags.json === true) await terminal.out(`${JSON.stringify(jsonOf(report))}\n`);
      else await print(report, damaged, terminal);
    });
}

async function print({ sessions, problems }: LogReport, damaged: number, terminal: Terminal): Promise<void> {
  if (sessions.length === 0) await terminal.out('The guard has not had to say anything.\n');
  for (const session of sessions.slice(0, MAX_SHOWN))
    await terminal.out(`${sessionText(session, savingsOf(session), terminal)}\n`);
  const older = sessions.length - MAX_SHOWN;
  if (older > 0)
    await terminal.out(`... and ${counted(older, 'older session')}: --session shows one, --json all\n\n`);
  const refused = sessions.reduce((total, session) => total + session.refused, 0);
  if (sessions.length > 1)
    await terminal.out(`${counted(sessions.length, 'session')}, ${counted(refused, 'call')} not run.\n`);
  if (problems.length > 0) terminal.err('What could not be judged, and was let pass:\n');
  for (const problem of problems) terminal.err(problemText(problem));
  if (damaged > 0) terminal.err(`deloop: ${counted(damaged, 'line')} of the log could not be read\n`);
}

function jsonOf({ sessions, problems }: LogReport): object {
  return {
    sessions: sessions.map((session) => ({ ...session, savings: savingsOf(session) })),
    totals: {
      sessions: sessions.length,
      refused: sessions.reduce((total, { refused }) => total + refused, 0),
      spared: sessions.reduce((total, { spared }) => total + spared, 0),
      halted: sessions.filter(({ halted }) => halted).length,
    },
    problems,
  };
}
