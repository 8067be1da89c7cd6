import type { Config } from '../../config/config.ts';
import { wrong } from '../../core/options.ts';
import { type PresetName, presets } from '../../presets/registry.ts';
import { UsageError } from '../exit.ts';
import { parsedWords } from './parse-words.ts';

export type McpFlags = {
  readonly help: boolean;
  readonly preset: PresetName | undefined;
  readonly config: string | undefined;
  readonly shadow: boolean;
  readonly log: string | undefined;
  readonly url: string | undefined;
  /** The variable that holds the address. */
  readonly urlEnv: string | undefined;
  readonly transport: string | undefined;
  readonly headers: readonly string[];
  /** Headers whose values are in variables, as `NAME=VARIABLE`. */
  readonly headersEnv: readonly string[];
  /** The variable with a token. */
  readonly bearerEnv: string | undefined;
  /** A command that prints headers. */
  readonly headersHelper: string | undefined;
  readonly login: boolean;
  readonly port: string | undefined;
  readonly host: string | undefined;
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  /** What the server is called. */
  readonly name: string | undefined;
  /** With the other servers of the same client. */
  readonly share: boolean;
  readonly store: string | undefined;
  readonly session: string | undefined;
  /** The server's command: what stands behind `--`, or from the first word on. */
  readonly command: readonly string[];
};

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  preset: { type: 'string' },
  config: { type: 'string' },
  shadow: { type: 'boolean' },
  log: { type: 'string' },
  url: { type: 'string' },
  'url-env': { type: 'string' },
  via: { type: 'string' },
  header: { type: 'string', multiple: true },
  'header-env': { type: 'string', multiple: true },
  'bearer-env': { type: 'string' },
  'headers-helper': { type: 'string' },
  'no-login': { type: 'boolean' },
  port: { type: 'string' },
  host: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  'allow-origin': { type: 'string', multiple: true },
  name: { type: 'string' },
  share: { type: 'boolean' },
  store: { type: 'string' },
  session: { type: 'string' },
  // Written by `wrap`, which knows its own work by them.
  wrapped: { type: 'boolean' },
  'wrapped-alone': { type: 'boolean' },
  'wrapped-remote': { type: 'string' },
  'wrapped-type': { type: 'string' },
} as const;

/** Flags that say something only beside another. */
const NEEDS = [
  ['port', 'url', 'for a server over HTTP'],
  ['host', 'port', 'for a guard that listens'],
  ['allow-host', 'port', 'for a guard that listens'],
  ['allow-origin', 'port', 'for a guard that listens'],
  ['via', 'url', 'for a server over HTTP'],
  ['header', 'url', 'for a server over HTTP'],
  ['header-env', 'url', 'for a server over HTTP'],
  ['bearer-env', 'url', 'for a server over HTTP'],
  ['headers-helper', 'url', 'for a server over HTTP'],
  ['no-login', 'url', 'for a server over HTTP'],
] as const;
/** A client that speaks HTTP says these itself. */
const WITHOUT_PORT = ['via', 'header', 'header-env', 'bearer-env', 'headers-helper', 'no-login'] as const;

/** The flags of `deloop mcp`. Written for a quick start: nothing is loaded for it. */
export function parseFlags(argv: readonly string[]): McpFlags {
  const own = ownFlags(argv);
  const { values } = parsedWords(argv.slice(0, own), OPTIONS, 'deloop mcp --help');
  const { preset } = values;
  if (preset !== undefined && !Object.hasOwn(presets, preset))
    throw wrong('--preset', preset, `one of ${Object.keys(presets).join(', ')}`);
  if (values.name === '') throw wrong('--name', '', 'a text');
  const given = new Set(Object.keys(values).map((name) => (name === 'url-env' ? 'url' : name)));
  for (const [name, needed, why] of NEEDS)
    if (given.has(name) && !given.has(needed))
      throw new UsageError(`--${name} is ${why}: it needs --${needed}`);
  const idle = given.has('port') ? WITHOUT_PORT.find((name) => given.has(name)) : undefined;
  if (idle !== undefined)
    throw new UsageError(
      `--${idle} and --port exclude each other: the client says it to the server by itself`,
    );
  return {
    help: values.help === true,
    preset: preset as PresetName | undefined,
    config: values.config,
    shadow: values.shadow === true,
    log: values.log,
    url: values.url,
    urlEnv: values['url-env'],
    transport: values.via,
    headers: values.header ?? [],
    headersEnv: values['header-env'] ?? [],
    bearerEnv: values['bearer-env'],
    headersHelper: values['headers-helper'],
    login: values['no-login'] !== true,
    port: values.port,
    host: values.host,
    allowHosts: values['allow-host'] ?? [],
    allowOrigins: values['allow-origin'] ?? [],
    name: values.name,
    share: values.share === true,
    store: values.store,
    session: values.session,
    command: argv.slice(argv[own] === '--' ? own + 1 : own),
  };
}

/** How many of the words are ours. Some clients drop the `--`, so the first word that is no flag begins the command, too. */
function ownFlags(argv: readonly string[]): number {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string;
    if (word === '--' || !word.startsWith('-')) return at;
    const option: { readonly type: string } | undefined = OPTIONS[word.slice(2) as keyof typeof OPTIONS];
    if (option?.type === 'string') at += 1;
  }
  return argv.length;
}

/** What the flags say of the guard. */
export function flagsConfig({ preset, shadow }: McpFlags): Config {
  return { ...(preset === undefined ? {} : { preset }), ...(shadow ? { mode: 'shadow' } : {}) };
}
