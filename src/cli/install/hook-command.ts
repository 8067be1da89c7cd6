import { posix, win32 } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** How a host runs a command. */
export type Shell = 'sh' | 'powershell' | 'cmd';

export type HookPlace = {
  /** The Node that installs; the one of the path takes its place when it is gone. */
  readonly node: string;
  /** `dist/hook.cjs` of the package. */
  readonly hook: string;
};

/** What makes Node start sooner: no threads for work that never comes, and no look for links on the way to the hook. */
const QUICK = '--v8-pool-size=0 --preserve-symlinks-main';

/**
 * What a host runs. It ends with 0 and without a word when the package or Node is gone: an agent must not stand still because
 * its guard was removed. For `sh`, only what fish understands, too: Codex runs it in the shell of its user.
 */
export function hookCommand(agent: string, shadow: boolean, { node, hook }: HookPlace, shell: Shell): string {
  const flags = shadow ? ' --shadow' : '';
  if (shell === 'sh') {
    const rest = `${QUICK} ${inSh(hook)} ${agent}${flags} 2>/dev/null`;
    // For fish, a command that is not there ends the line. Whoever sends a payload may not bear that nobody takes it.
    // No `exec`: it would save little, and a Node that refuses a flag would fail the hook.
    return `test -x ${inSh(node)} && ${inSh(node)} ${rest} || node ${rest} || cat >/dev/null || true`;
  }
  if (shell === 'cmd') {
    const rest = `${QUICK} "${hook}" ${agent}${flags} 2>nul`;
    return `"${node}" ${rest} || node ${rest} || exit /b 0`;
  }
  // PowerShell takes the standard input for itself, and gives it on as ASCII unless it is told otherwise.
  const found = `$n=${inPowershell(node)}; if (!(Test-Path $n)) { $n='node' }`;
  const run = `$input | & $n ${QUICK} ${inPowershell(hook)} ${agent}${flags} 2>$null`;
  return `$OutputEncoding=[Text.UTF8Encoding]::new($false); ${found}; try { ${run} } catch {}; exit 0`;
}

/** The first line of a file that is deloop's own. */
export function signature(agent: string): string {
  return `// Written by \`deloop install ${agent}\`; \`deloop uninstall ${agent}\` removes it. Without deloop it does nothing.`;
}

/** A hook that a host runs with Node itself. */
export function hookScript(agent: string, shadow: boolean, { hook }: HookPlace): string {
  const flags = shadow ? `'${agent}', '--shadow'` : `'${agent}'`;
  const lines = [
    `process.argv.push(${flags});`,
    'try {',
    `  require(${JSON.stringify(hook)});`,
    '} catch {}',
  ];
  return `${signature(agent)}\n${lines.join('\n')}\n`;
}

/** The part of the package that a host loads into its own process. */
export function pluginAddress(agent: string, { hook }: HookPlace): string {
  return pathToFileURL(hook).href.replace(/hook\.cjs$/, `plugins/${agent}.js`);
}

const COMMAND = /hook\.cjs\\?["']? (?:claude-code|codex|gemini-cli|qwen-code|copilot-cli|cline|cursor)\b/;
const FILE = /^(?:\/\/ Written by `deloop install |\{\s*"(?:id|name)": "deloop(?:-openclaw)?",)/;

/** Whether a command, or the text of a file, is deloop's, of whatever version and place. */
export function isOurs(text: unknown): text is string {
  return typeof text === 'string' && (COMMAND.test(text) || FILE.test(text));
}

/** The files that a command, or a file of ours, needs: its Node, if it names one, and what it runs of the package. */
export function placesIn(text: string): { readonly node?: string; readonly code?: string } {
  const quoted = [...text.matchAll(/'((?:[^']|'\\''|'')*)'|"([^"$]*)"/g)].map(([, single, double]) =>
    (single ?? double ?? '').replaceAll("'\\''", "'").replaceAll("''", "'"),
  );
  const code = quoted.find((one) => /(?:hook\.cjs|plugins\/[a-z-]+\.js)$/.test(one));
  const node = quoted.find((one) => one !== code && isAbsolute(one));
  return {
    ...(node === undefined ? {} : { node }),
    ...(code === undefined ? {} : { code: code.startsWith('file:') ? fileURLToPath(code) : code }),
  };
}

function isAbsolute(path: string): boolean {
  return posix.isAbsolute(path) || win32.isAbsolute(path);
}

function inSh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function inPowershell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
