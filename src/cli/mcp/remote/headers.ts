import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Environment } from '../../../config/environment.ts';
import { UsageError } from '../../exit.ts';
import type { McpFlags } from '../flags.ts';

/** Names and values, in turns. */
export type Headers = { readonly [name: string]: string };

export type HeaderFlags = Pick<McpFlags, 'headers' | 'headersEnv' | 'bearerEnv'>;

/** The transport says these itself. */
const OWN: readonly string[] = [
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'transfer-encoding',
];

/** The headers of `--header`, `--header-env` and `--bearer-env`; no error repeats a value. */
export function headersOf({ headers, headersEnv, bearerEnv }: HeaderFlags, env: Environment): Headers {
  const valueIn = (flag: string, variable: string) => {
    const value = env[variable];
    if (value === undefined) throw new UsageError(`${flag}: the environment has no variable ${variable}`);
    return value.trim();
  };
  const pairs = [
    ...headers.map((text) => {
      const colon = text.indexOf(':');
      if (colon < 1) throw new UsageError('--header must be a name and a value, such as "X-Region: eu"');
      return ['--header', text.slice(0, colon).trim(), text.slice(colon + 1).trim()] as const;
    }),
    ...headersEnv.map((text) => {
      const [name = '', variable = ''] = text.split('=', 2);
      if (name === '' || variable === '')
        throw new UsageError(
          `--header-env is "${text}"; it must be a name and a variable, such as Authorization=API_AUTHORIZATION`,
        );
      return ['--header-env', name, valueIn(`--header-env ${text}`, variable)] as const;
    }),
    ...(bearerEnv === undefined
      ? []
      : [['--bearer-env', 'Authorization', `Bearer ${valueIn('--bearer-env', bearerEnv)}`] as const]),
  ];
  for (const [flag, name, value] of pairs) checkHeader(flag, name, value);
  return Object.fromEntries(
    pairs.filter(([, name]) => !OWN.includes(name.toLowerCase())).map(([, name, value]) => [name, value]),
  );
}

/** Throws for what is no header, without its value. */
export function checkHeader(flag: string, name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new UsageError(`${flag}: "${name}" is no name of a header, or its value is none that one can have`);
  }
}
