/** How a host runs a command. */
export type Shell = 'sh' | 'powershell' | 'cmd';

export type HookPlace = {
  /** The Node that installs; the one of the path takes its place when it is gone. */
  readonly node: string;
  /** `dist/hook.cjs` of the package. */
  readonly hook: string;
};

const OURS = /[\\/]hook\.cjs["']? (?:claude-code|codex|gemini-cli|qwen-code|copilot-cli|cline|cursor)\b/;

/**
 * What a host runs. It ends with 0 and without a word when the package or Node is gone: an agent must not stand still because
 * its guard was removed.
 */
export function hookCommand(agent: string, shadow: boolean, { node, hook }: HookPlace, shell: Shell): string {
  const flags = shadow ? ' --shadow' : '';
  if (shell === 'sh')
    return `N=${inSh(node)}; [ -x "$N" ] || N=node; "$N" ${inSh(hook)} ${agent}${flags} 2>/dev/null || exit 0`;
  if (shell === 'powershell')
    return `try { & ${inPowershell(node)} ${inPowershell(hook)} ${agent}${flags} 2>$null } catch {}; exit 0`;
  return `"${node}" "${hook}" ${agent}${flags} 2>nul || exit /b 0`;
}

/** Whether a command is one of deloop's hooks, of whatever version and place. */
export function isHookCommand(command: unknown): command is string {
  return typeof command === 'string' && OURS.test(command);
}

/** Node and hook as a command names them. */
export function placesIn(command: string): Partial<HookPlace> {
  const quoted = [...command.matchAll(/'((?:[^']|'\\''|'')*)'|"([^"$]*)"/g)].map(([, single, double]) =>
    (single ?? double ?? '').replaceAll("'\\''", "'").replaceAll("''", "'"),
  );
  const hook = quoted.find((text) => text.endsWith('hook.cjs'));
  const node = quoted.find((text) => text !== hook && text !== '');
  return { ...(node === undefined ? {} : { node }), ...(hook === undefined ? {} : { hook }) };
}

function inSh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function inPowershell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
