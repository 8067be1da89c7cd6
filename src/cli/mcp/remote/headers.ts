import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Environment } from '../../../config/environment.ts';
import { UsageError } from '../../exit.ts';

/** Names and values, in turns. */
export type Headers = { readonly [name: string]: string };

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

/** The headers of `--header` and `--header-env`; no error repeats a value. */
export function headersOf(
  given: readonly string[],
  fromEnvironment: readonly string[],
  env: Environment,
): Headers {
  const pairs = [
    ...given.map((text) => {
      const colon = text.indexOf(':');
      if (colon < 1) throw new UsageError('--header must be a name and a value, such as "X-Region: eu"');
      return ['--header', text.slice(0, colon).trim(), text.slice(colon + 1).trim()] as const;
    }),
    ...fromEnvironment.map((text) => {
      const [name = '', variable = ''] = text.split('=', 2);
      if (name === '' || variable === '')
        throw new UsageError(
          `--header-env is "${text}"; it must be a name and a variable, such as Authorization=API_AUTHORIZATION`,
        );
      const value = env[variable];
      if (value === undefined)
        throw new UsageError(`--header-env ${text}: the environment has no variable ${variable}`);
      return ['--header-env', name, value.trim()] as const;
    }),
  ];
  for (const [flag, name, value] of pairs) check(flag, name, value);
  return Object.fromEntries(
    pairs.filter(([, name]) => !OWN.includes(name.toLowerCase())).map(([, name, value]) => [name, value]),
  );
}

function check(flag: string, name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new UsageError(`${flag}: "${name}" is no name of a header, or its value is none that one can have`);
  }
}
