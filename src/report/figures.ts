/** Figures for people: a dash where there was nothing to divide by. */
const NONE = '-';

export function ratio(value: number | null): string {
  return value === null ? NONE : value.toFixed(2);
}

export function percent(value: number | null): string {
  return value === null ? NONE : `${Math.round(value * 100)} %`;
}

/** At most one place after the point. */
export function plain(value: number | null): string {
  return value === null ? NONE : String(Math.round(value * 10) / 10);
}
