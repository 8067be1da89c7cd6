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

/** Nobody has told, and nothing is guessed. */
export const UNKNOWN = 'unknown';

export function whole(value: number): string {
  return value.toLocaleString('en-US');
}

/** Three digits or so: 950, 12.3k, 1.2M. */
export function tokens(value: number | null): string {
  if (value === null) return UNKNOWN;
  // What would be rounded to 1,000 of a unit is told in the next one.
  if (value < 999.5) return String(Math.round(value));
  if (value < 999_500) return `${scaled(value / 1_000)}k`;
  return value < 999_500_000 ? `${scaled(value / 1_000_000)}M` : `${scaled(value / 1_000_000_000)}G`;
}

/** US dollars with cents; a sum below one cent is not nothing. */
export function dollars(value: number | null): string {
  if (value === null) return UNKNOWN;
  if (value > 0 && value < 0.005) return 'under $0.01';
  return `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** A part of a whole; empty = there is no whole. */
export function portion(part: number, all: number): string {
  if (all <= 0) return '';
  const hundredths = (part / all) * 100;
  if (part > 0 && hundredths < 0.05) return 'under 0.1 %';
  return `${hundredths < 9.95 ? plain(hundredths) : Math.round(hundredths)} %`;
}

function scaled(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}
