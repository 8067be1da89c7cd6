import { DeloopError, show } from './errors.ts';
import type { AnyKind } from './preset.ts';

/** `off` as a value switches the rule off on purpose; it is allowed only where `offable` says so. */
export type IntegerSpec = {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
  readonly offable?: boolean;
  readonly about: string;
};
export type ChoiceSpec<Choice extends string = string> = {
  readonly type: 'choice';
  readonly of: readonly Choice[];
  readonly about: string;
};
export type NamesSpec = { readonly type: 'names'; readonly about: string };
export type OptionSpec = IntegerSpec | ChoiceSpec | NamesSpec;

type SpecFor<Value> = [Value] extends [readonly string[]]
  ? NamesSpec
  : number extends Value
    ? IntegerSpec
    : [Value] extends [string]
      ? ChoiceSpec<Value>
      : never;

/** One spec per option of a detector: the source of its validation, of the JSON Schema and of its docs. */
export type OptionSpecs<Options> = { readonly [Name in keyof Options]-?: SpecFor<Options[Name]> };

/** A kind of detector with its help and with what its options may be. */
export type DescribedKind = AnyKind & {
  readonly about: string;
  readonly options: { readonly [name: string]: OptionSpec };
};

/** A call with a pure mark leaves no trace in the bundle of those who do not use it; a spread would. */
export function described(
  kind: AnyKind,
  { about, options }: Pick<DescribedKind, 'about' | 'options'>,
): DescribedKind {
  return { ...kind, about, options };
}

/** Refuses options that can never work, naming the option, the value and what would be right. */
export function checkOptions(
  specs: { readonly [name: string]: OptionSpec },
  given: { readonly [name: string]: unknown },
  where: string,
): void {
  refuseUnknown(given, Object.keys(specs), where);
  for (const [name, spec] of Object.entries(specs)) {
    if (!Object.hasOwn(given, name)) continue;
    const expected = expectation(spec, given[name]);
    if (expected !== null) throw wrong(`${where}.${name}`, given[name], expected);
  }
}

/** The error for one option: where it stands, what it is, what it must be. */
export function wrong(where: string, value: unknown, expected: string): DeloopError {
  return new DeloopError('option', `${where} is ${show(value)}; it must be ${expected}`);
}

export function refuseUnknown(given: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const listed = known.length === 0 ? 'it takes no options' : `known are ${known.join(', ')}`;
    throw new DeloopError('option', `${where} has no option ${show(name)}; ${listed}`);
  }
}

/** Refuses callbacks that are no functions; one that is not there is fine. */
export function checkFunctions(given: object, names: readonly string[]): void {
  for (const [name, value] of Object.entries(given))
    if (names.includes(name) && value !== undefined && typeof value !== 'function')
      throw wrong(name, value, 'a function');
}

export function isWholeNumber(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

export function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
}

/** What the value should have been, or null when it is right. */
function expectation(spec: OptionSpec, value: unknown): string | null {
  switch (spec.type) {
    case 'integer': {
      if (isWholeNumber(value, spec.min, spec.max) || (spec.offable === true && value === 'off')) return null;
      return `a whole number from ${spec.min} to ${spec.max}${spec.offable === true ? ', or "off"' : ''}`;
    }
    case 'choice':
      return spec.of.some((choice) => choice === value) ? null : `one of ${spec.of.map(show).join(', ')}`;
    case 'names':
      return isNames(value) ? null : 'a list of names';
  }
}
