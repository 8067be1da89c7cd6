/** How a calendar is divided: a period has a number, later ones have higher numbers. */
export type Period = {
  readonly name: 'day' | 'week' | 'month' | 'year';
  /** Of a day, which is counted from 1970-01-01. */
  slotOf(day: number): number;
  /** When it begins. */
  label(slot: number): string;
};

const DAY_MS = 86_400_000;
const PERIODS: readonly Period[] = [
  { name: 'day', slotOf: (day) => day, label: isoDay },
  // 1970-01-01 was a Thursday; weeks begin on Mondays.
  { name: 'week', slotOf: (day) => Math.floor((day + 3) / 7), label: (slot) => isoDay(slot * 7 - 3) },
  {
    name: 'month',
    slotOf: monthOf,
    label: (slot) => `${Math.floor(slot / 12)}-${String((slot % 12) + 1).padStart(2, '0')}`,
  },
];
const YEAR: Period = { name: 'year', slotOf: (day) => Math.floor(monthOf(day) / 12), label: String };

/** The shortest periods of which there are at most so many between two days. */
export function periodFor(from: number, to: number, most: number): Period {
  return PERIODS.find(({ slotOf }) => slotOf(to) - slotOf(from) < most) ?? YEAR;
}

/** `2026-11-14`, counted from 1970-01-01; undefined = it is no day. */
export function dayOf(name: string): number | undefined {
  const instant = /^\d{4}-\d\d-\d\d$/.test(name) ? Date.parse(name) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant / DAY_MS;
}

function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
