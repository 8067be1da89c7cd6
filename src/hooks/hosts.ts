import type { Host } from './host.ts';
import { claudeCode } from './hosts/claude-code.ts';
import { cline } from './hosts/cline.ts';
import { codex } from './hosts/codex.ts';
import { copilotCli } from './hosts/copilot-cli.ts';
import { cursor } from './hosts/cursor.ts';
import { geminiCli } from './hosts/gemini-cli.ts';
import { qwenCode } from './hosts/qwen-code.ts';

/** Every coding agent that deloop guards by a command. */
export const HOSTS: readonly Host[] = [claudeCode, codex, geminiCli, qwenCode, copilotCli, cline, cursor];

export function hostOf(name: string | undefined): Host | undefined {
  return HOSTS.find((host) => host.name === name);
}
