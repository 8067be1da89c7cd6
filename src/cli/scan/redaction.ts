import { commandLine } from '../../core/tool-kinds.ts';
import type { Json } from '../../core/types.ts';
import { jsonText } from '../../transcripts/output.ts';

/** How much text of a session may be shown: only names of tools; calls, shortened; or calls and results, cut where they are long. */
export const REDACTIONS = ['all', 'outputs', 'none'] as const;
export type Redaction = (typeof REDACTIONS)[number];

const SHORT = 160;
const LONG = 2000;
const HIDDEN = '***';
/** What looks like a key of a well-known maker, or like a signed token, in whatever place. */
const KEYS =
  /\b(?:(?:(?:sk|pk|rk|gh[opsu]|github_pat|glpat|xox[abprs]|hf|npm)[-_]|AKIA|ASIA|AIza)[-_A-Za-z0-9]{14,}|eyJ[-_A-Za-z0-9]{14,}(?:\.[-_A-Za-z0-9]{1,2000}){0,2})/g;
/** What is told as a secret: `token=…`, `"password": "…"`, `--password …`, `Bearer …`. */
const TOLD =
  /((?:pass(?:word|wd|phrase)?|secret|token|(?:api|access|secret|private|account)[-_]?key|authorization|bearer|credential)s?(?:["']?\s{0,3}[:=]\s{0,3}|["'],\s{0,3}|\s{1,3}))(?:(["'])((?:basic|bearer)\s{1,3})?[^"']{4,500}|((?:basic|bearer)\s{1,3})?[^\s"'&;,]{4,500})/gi;
/** `https://user:…@`, `curl -u user:…`. */
const IN_ADDRESS = /(:\/\/[^\s/:@]{1,100}:)[^\s/@]{1,200}@/g;
const OF_USER = /(\s(?:-u|--user)[\s=]["']?[^\s:"']{1,100}:)[^\s"']{1,200}/g;
/** The fields that hold a command line. */
const COMMANDS = ['command', 'commands', 'cmd', 'script', 'keystrokes'];
/** The fields that say best what a call is about. */
const TELLING = ['file_path', 'path', 'filePath', 'pattern', 'query', 'url', 'prompt', 'content', 'text'];

/** A call in readable form: the command line, the path, or the arguments as JSON. */
export function callLabel(args: Json, redaction: Redaction): string {
  if (redaction === 'all') return '';
  const text = textOf(args);
  return redaction === 'none' ? text.slice(0, LONG) : shortened(text);
}

/** What came back, as far as it may be shown. */
export function outputText(output: Json, redaction: Redaction): string {
  if (redaction !== 'none') return '';
  return jsonText(output).slice(0, LONG);
}

/** Without what looks like a secret. */
export function withoutSecrets(text: string): string {
  return text
    .replace(IN_ADDRESS, `$1${HIDDEN}@`)
    .replace(OF_USER, `$1${HIDDEN}`)
    .replace(KEYS, HIDDEN)
    .replace(
      TOLD,
      (_, name: string, quote = '', quoted = '', bare = '') => `${name}${quote}${quoted}${bare}${HIDDEN}`,
    );
}

function shortened(text: string): string {
  // What is cut first is cut for good: a secret must not lose the name that tells it.
  const safe = withoutSecrets(text.slice(0, LONG));
  return safe.length <= SHORT ? safe : `${safe.slice(0, SHORT - 1)}…`;
}

function textOf(args: Json): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return jsonText(args);
  const fields = args as { readonly [name: string]: Json };
  if (COMMANDS.some((name) => fields[name] !== undefined)) return commandLine(args) ?? jsonText(args);
  const told = TELLING.filter((name) => typeof fields[name] === 'string').slice(0, 2);
  if (told.length === 0) return jsonText(args);
  // With its name, for the name may tell that it is a secret.
  return told.map((name) => `${name}=${String(fields[name]).slice(0, LONG)}`).join(' ');
}
