import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { join } from 'node:path';

type Address = { readonly address: string; readonly family: number };

/** As resolv.conf(5) has it where the file does not say. */
const DOTS = 1;
const MAX_DOMAINS = 6;
const MAX_DOTS = 15;

/**
 * Finds the addresses of a host without the threads that Node asks the system with: a process cannot end while one of those waits for
 * a name server, and a hook must. It heeds the hosts file and the search list, as the system would.
 */
export function quickLookup(waitMs: number): LookupFunction {
  return (host, { all = false }, done) => {
    addressesOf(host, waitMs).then(
      (found) => {
        const [first] = found;
        if (first === undefined) done(missing(host), [], 0);
        else if (all) done(null, [...found]);
        else done(null, first.address, first.family);
      },
      () => done(missing(host), [], 0),
    );
  };
}

async function addressesOf(host: string, waitMs: number): Promise<readonly Address[]> {
  const listed = inHosts(host);
  if (listed.length > 0) return listed;
  const resolver = new Resolver({ timeout: waitMs, tries: 1 });
  const ask = (query: Promise<readonly string[]>) => query.catch(() => []);
  const answers = await Promise.all(
    namesFor(host).flatMap((name) => [ask(resolver.resolve4(name)), ask(resolver.resolve6(name))]),
  );
  return answers.flat().map(familiar);
}

function familiar(address: string): Address {
  return { address, family: isIP(address) };
}

function inHosts(host: string): readonly Address[] {
  const folder = process.env['SystemRoot'];
  const file = folder === undefined ? '/etc/hosts' : join(folder, 'System32', 'drivers', 'etc', 'hosts');
  const name = host.toLowerCase();
  return linesOf(file)
    .filter(([, ...names]) => names.some((one) => one.toLowerCase() === name))
    .flatMap(([address = '']) => (isIP(address) === 0 ? [] : [familiar(address)]));
}

/** What a host may be called in full, the likeliest first. */
function namesFor(host: string): readonly string[] {
  let domains: readonly string[] = [];
  let dots = DOTS;
  for (const [word, ...rest] of linesOf('/etc/resolv.conf')) {
    if (word === 'search' || word === 'domain') domains = rest.slice(0, MAX_DOMAINS);
    const option = word === 'options' ? rest.find((one) => one.startsWith('ndots:')) : undefined;
    if (option !== undefined) dots = Math.min(MAX_DOTS, Number(option.slice(6)) || 0);
  }
  if (host.endsWith('.')) return [host];
  const longer = domains.map((domain) => `${host}.${domain}`);
  return host.split('.').length - 1 >= dots ? [host, ...longer] : [...longer, host];
}

/** The words of each line, without comments. */
function linesOf(file: string): readonly (readonly string[])[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => (line.split('#', 1)[0] ?? '').split(/\s/).filter((word) => word !== ''));
  } catch {
    return [];
  }
}

function missing(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address of ${host} was found`), { code: 'ENOTFOUND' });
}
