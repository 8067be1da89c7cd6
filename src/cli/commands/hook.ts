import { Command } from 'commander';
import { main } from '../hook/main.ts';
import { readSettings } from '../hook/read-settings.ts';
import { joinSwarm } from '../hook/swarm-worker.ts';
import { missedCalls, spentTokens } from '../hook/transcript-parts.ts';

/** For whoever wants to try a payload by hand: what `deloop install` writes is quicker, and does the same. */
export function hookCommand(): Command {
  return new Command('hook')
    .description('judge one payload of an agent (standard input), and answer in its words')
    .argument('<agent>', 'the agent whose hook this is')
    .option('--shadow', 'log what would have been done, and answer nothing')
    .action(async (agent: string, { shadow = false }: { shadow?: boolean }) => {
      await main(shadow ? [agent, '--shadow'] : [agent], {
        readSettings,
        missedCalls,
        spentTokens,
        joinSwarm,
      });
    });
}
