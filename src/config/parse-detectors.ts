import { MAX_AT, NAME_PATTERN } from '../core/check-preset.ts';
import { DeloopError } from '../core/errors.ts';
import { checkOptions, type DescribedKind, isWholeNumber, wrong } from '../core/options.ts';
import { detectorKinds, presets } from '../presets/registry.ts';
import { isFields } from './checks.ts';

/** The kinds that the presets use under each name of a detector. */
export function kindsByName(): ReadonlyMap<string, readonly DescribedKind[]> {
  const kinds = new Map<string, DescribedKind[]>();
  for (const preset of Object.values(presets)) {
    for (const [name, use] of Object.entries(preset.detectors)) {
      const kind = detectorKinds.find((candidate) => candidate.kind === use.kind);
      const known = kinds.get(name) ?? [];
      if (kind !== undefined && !known.includes(kind)) kinds.set(name, [...known, kind]);
    }
  }
  return kinds;
}

/** What a file says of one detector, as far as it can be judged without knowing the preset. */
export function checkOverride(name: string, override: unknown, where: string): void {
  const at = `${where}.${name}`;
  if (!NAME_PATTERN.test(name))
    throw wrong(`${where}: the name of a detector`, name, 'lower-case words and dashes');
  if (override === 'off') return;
  if (!isFields(override)) throw wrong(at, override, 'an object of options, or "off"');
  const { kind, at: first, ...options } = override;
  if (first !== undefined && !isWholeNumber(first, 1, MAX_AT))
    throw wrong(`${at}.at`, first, `a whole number from 1 to ${MAX_AT}`);
  const candidates = candidatesFor(name, kind, at);
  const problems = candidates.map((candidate) => problemWith(candidate, options, at));
  if (!problems.includes(null)) throw problems[0];
}

function candidatesFor(name: string, kind: unknown, at: string): readonly DescribedKind[] {
  if (kind === undefined) return kindsByName().get(name) ?? detectorKinds;
  const named = detectorKinds.filter((candidate) => candidate.kind === kind);
  if (named.length === 0)
    throw wrong(`${at}.kind`, kind, `one of ${detectorKinds.map((known) => known.kind).join(', ')}`);
  return named;
}

function problemWith(
  kind: DescribedKind,
  options: { readonly [option: string]: unknown },
  at: string,
): DeloopError | null {
  try {
    checkOptions(kind.options, options, at);
    return null;
  } catch (error) {
    if (error instanceof DeloopError) return error;
    throw error;
  }
}
