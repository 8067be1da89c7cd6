import { readSettings } from '../hook/read-settings.ts';
import type { Surroundings } from '../surroundings.ts';
import { openBoard } from '../swarm/open-board.ts';
import { type Finding, note, ok } from './finding.ts';

/** Whether the swarm that sessions here belong to can be reached; without it, each is guarded by itself. */
export async function lookAtSwarm(surroundings: Surroundings): Promise<readonly Finding[]> {
  try {
    const { swarm, problems = [] } = readSettings(surroundings);
    if (swarm === undefined)
      return problems.map((problem) => note(`${problem}; each agent is guarded by itself`));
    const name = JSON.stringify(swarm.options.name);
    const { board, close } = openBoard({}, surroundings);
    try {
      const control = (await board.read(swarm.options.name))?.control;
      if (control?.halted !== true)
        return [ok(`swarm: ${name} of the tenant ${JSON.stringify(swarm.tenant)}`)];
      return [
        note(
          `the swarm ${name} was stopped by ${control.by}: ${control.why}`,
          `deloop swarm release ${name}`,
        ),
      ];
    } catch (error) {
      const { message } = error as Error;
      return [note(`the swarm ${name} cannot be reached (${message}); each agent is guarded by itself`)];
    } finally {
      close();
    }
  } catch {
    // What is wrong with the settings is told elsewhere.
    return [];
  }
}
