import { basename } from 'node:path';
import type { InstalledHook, InstallStatus } from '../install/install-status.ts';
import type { Surroundings } from '../surroundings.ts';
import { meaningOf } from './answer-meaning.ts';
import type { About, HostScript, Told } from './host-script.ts';
import type { Answered, Player } from './player.ts';
import { runHookText } from './run-hook-text.ts';

const TURN_MS = 2000;

/** Plays a host that runs commands: those that its settings hold, and as it runs them. */
export function commandPlayer(
  { agent, hooks }: InstallStatus,
  script: HostScript,
  session: string,
  surroundings: Surroundings,
): Player {
  const here = { ...surroundings, env: { ...surroundings.env, ...script.env } };
  // No model answers within a second, where the host tells the time.
  const about = (call: number): About => ({
    session,
    cwd: surroundings.cwd,
    call,
    at: Date.now() + call * TURN_MS,
  });

  function answered({ event, payload }: Told): Answered {
    const hook = hooks.find((one) => eventOf(one) === event);
    if (hook === undefined)
      return { event, word: 'nothing', message: '', fault: `there is no hook on ${event}` };
    const { status, stdout, fault } = runHookText(agent, hook, payload, here);
    const ended = status === 0 ? '' : `it ended with ${status}`;
    return { event, ...meaningOf(stdout), fault: fault || ended };
  }

  /** Up to the first answer that keeps the rest from happening. */
  async function all(told: readonly Told[]): Promise<readonly Answered[]> {
    const answers: Answered[] = [];
    for (const one of told) {
      const answer = answered(one);
      answers.push(answer);
      if (answer.word === 'refused' || answer.word === 'asked' || answer.word === 'stopped') break;
    }
    return answers;
  }

  return {
    prompt: () => all(script.prompt(about(0))),
    before: (call) => all(script.before(about(call))),
    after: (call) => all(script.after(about(call))),
    next: (call) => all(script.next?.(about(call)) ?? []),
  };
}

/** A file that is a hook is named after its event. */
function eventOf({ event, path }: InstalledHook): string {
  return event || basename(path).replace(/\.[a-z0-9]+$/i, '');
}
