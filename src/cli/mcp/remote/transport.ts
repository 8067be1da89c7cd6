import { UsageError } from '../../exit.ts';

/** How a server is spoken to; `auto` = Streamable HTTP, and HTTP+SSE where a server does not know that. */
export type Transport = (typeof TRANSPORTS)[number];

const TRANSPORTS = ['auto', 'http', 'sse'] as const;

export function transportOf(name = 'auto'): Transport {
  const found = TRANSPORTS.find((one) => one === name);
  if (found === undefined)
    throw new UsageError(`--via is "${name}"; it must be one of ${TRANSPORTS.join(', ')}`);
  return found;
}
