import { wrong } from '../../core/options.ts';

const UNITS: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The beginning of a time, in milliseconds since the epoch: a day, a point in time, or so long ago. 0 = always. */
export function parseSince(told: string | undefined, now: number, flag = '--since'): number {
  if (told === undefined) return 0;
  const ago = /^(\d{1,6})([mhdw])$/.exec(told);
  if (ago !== null) return now - Number(ago[1]) * (UNITS[ago[2] as string] as number);
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})([T ].{1,30})?$/.exec(told) ?? [];
  // A day without a time is a day of this place, not of Greenwich.
  const at = day === undefined ? Number.NaN : Date.parse(`${day}${time ?? 'T00:00:00'}`);
  if (Number.isNaN(at))
    throw wrong(flag, told, 'a date such as 2026-11-01, or so long ago: 30m, 12h, 7d, 2w');
  return at;
}
