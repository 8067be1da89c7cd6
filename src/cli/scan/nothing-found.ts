import { printable } from '../text.ts';
import type { Place } from './places.ts';

/** What was looked for, where, and what to try next. */
export function nothingFound(
  paths: readonly string[] | null,
  places: readonly Place[],
  since: string | undefined,
): string {
  const when = since === undefined ? '' : ` since ${printable(since)}`;
  const next = [
    '',
    'Try next:',
    '  deloop scan PATH          a transcript, or a folder that is searched for them',
    '  deloop scan --examples    recordings that come with deloop',
    ...(since === undefined ? [] : ['  deloop scan               without --since']),
    '',
  ];
  if (paths !== null)
    return [`There is no transcript in ${printable(paths.join(', '))}${when}.`, ...next].join('\n');
  // A place may be looked at in more than one way.
  const byAgent = new Map<string, Set<string>>();
  for (const { title, path } of places) byAgent.set(title, (byAgent.get(title) ?? new Set()).add(path));
  return [
    `No agent has left a session${when} on this machine. These places were looked at:`,
    '',
    ...[...byAgent].flatMap(([title, all]) => [
      `  ${title}`,
      ...Array.from(all, (path) => `    ${printable(path)}`),
    ]),
    ...next,
  ].join('\n');
}
