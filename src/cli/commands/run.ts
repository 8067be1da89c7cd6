import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { EXIT, type ExitStatus } from '../exit.ts';
import { RUN } from '../hook/judge.ts';
import { readLog } from '../log/read-log.ts';
import { reaches, reportOf, STRENGTHS, type Strength } from '../log/session-log.ts';
import { statusOf } from '../mcp/server-process.ts';
import { runAgent } from '../run/run-agent.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { counted, printable } from '../text.ts';

const HELP = `
Many agents end with 0 although the guard has ended their run. This one does not. The agent must be guarded already: see deloop install.

Examples:
  $ deloop run -- gemini -p "Repair the tests." --yolo
  $ deloop run --fail-on block -- codex exec "Repair the tests."

Exit status: the agent's own when it is not 0; otherwise 1 when the guard ended the run (or did what --fail-on says), and 0 when it
did not. An agent that is ended by a signal: 128 and its number. 2 wrong usage, or no such command.
`;

/** `deloop run -- AGENT ...` */
export function runCommand(
  terminal: Terminal,
  surroundings: Surroundings,
  leave: (status: ExitStatus) => void,
): Command {
  return new Command('run')
    .description('run an agent, and fail when the guard had to end it')
    .usage('[options] -- <agent> [args...]')
    .argument('<agent>', 'the command to run')
    .argument('[args...]', 'what it is given')
    .addOption(
      new Option('--fail-on <action>', 'what the guard must have done, or more')
        .choices(STRENGTHS)
        .default('halt'),
    )
    .passThroughOptions()
    .addHelpText('after', HELP)
    .action(async (agent: string, args: readonly string[], { failOn }: { failOn: Strength }) => {
      const run = randomUUID();
      const started = Date.now();
      const ended = await runAgent(agent, args, { ...surroundings.env, [RUN]: run });
      const lines = readLog(stateFolder(surroundings), started).lines;
      const ours = lines.filter((line) => line.type !== 'problem' && line.run === run);
      const stopped = reportOf(ours).sessions.filter((session) => reaches(session, failOn));
      for (const { host, session, refused, answers } of stopped)
        terminal.err(
          `deloop: the guard stepped in (${host} ${printable(session)}, ${counted(refused, 'call')} not run): ${printable(answers.at(-1)?.message ?? '')}\n`,
        );
      const status = statusOf(ended);
      leave(status === 0 && stopped.length > 0 ? EXIT.found : status);
    });
}
