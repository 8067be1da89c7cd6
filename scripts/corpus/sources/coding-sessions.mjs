// Developers' sessions with Codex, Copilot CLI and Claude Code in three projects.
import { checkpoints } from '../checkpoints.mjs';

/** @type {import('../sources.mjs').Source} */
export const codingSessions = {
  name: 'coding-sessions-oss',
  origins: [
    checkpoints('agv', 'EntityProcess/agentv', '47dca0eea369e545808f72dd9473c846f66dd79f'),
    checkpoints('cph', 'FSM1/cipher-box', 'e227f1183b594fa6bd5dbe58c75272434067e89b'),
    checkpoints('pkm', 'PackmindHub/context-evaluator', '63679d4764ce74bb41f8e5794f6183d43ea9ee88'),
  ],
};
