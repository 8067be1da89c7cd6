import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Surroundings } from '../../surroundings.ts';

/** Where the clients keep their configs: those files that are there. */
export function knownConfigs({ cwd, env, home, platform }: Surroundings): readonly string[] {
  const appData = env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  const configHome = absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config');
  const settings =
    platform === 'win32'
      ? appData
      : platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : configHome;
  const codex = absolute(env['CODEX_HOME']) ?? join(home, '.codex');
  const places = [
    join(settings, 'Claude', 'claude_desktop_config.json'),
    join(cwd, '.mcp.json'),
    join(home, '.claude.json'),
    join(cwd, '.cursor', 'mcp.json'),
    join(home, '.cursor', 'mcp.json'),
    join(cwd, '.vscode', 'mcp.json'),
    join(settings, 'Code', 'User', 'mcp.json'),
    join(cwd, '.gemini', 'settings.json'),
    join(home, '.gemini', 'settings.json'),
    join(cwd, '.codex', 'config.toml'),
    join(codex, 'config.toml'),
    join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    ...['opencode.json', 'opencode.jsonc'].flatMap((name) => [
      join(cwd, name),
      join(configHome, 'opencode', name),
    ]),
  ];
  return [...new Set(places)].filter(existsSync);
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
