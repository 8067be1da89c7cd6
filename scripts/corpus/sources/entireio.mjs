// Developers' Claude Code sessions at Entire.
import { checkpoints } from '../checkpoints.mjs';

/** @type {import('../sources.mjs').Source} */
export const entireio = {
  name: 'claude-code-entireio',
  origins: [checkpoints('ent', 'entireio/cli', '394f81fab87f71aa8938d91ff7a067c524ff344b')],
};
