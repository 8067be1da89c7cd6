import type { DigestText } from './digest-text.ts';
import type { Detector, Habits, Rung } from './types.ts';

/** What a detector gets from the plan: the lowest count that any rung asks for, and the digest of texts. */
export type Context = { readonly floor: number; readonly digestText: DigestText };

/** A kind of detector: its options, and how to make one. */
export type DetectorKind<Kind extends string, Options extends object> = {
  readonly kind: Kind;
  readonly defaults: Options;
  create(name: string, options: Options, context: Context): Detector;
};

/** A kind whose options are known to the kind alone. */
export type AnyKind = {
  readonly kind: string;
  readonly defaults: object;
  create(name: string, options: never, context: Context): Detector;
};

/** A guard as plain JSON. `detectors` maps a name to a kind with its options; `ladder` refers to the names. */
export type Preset = Partial<Habits> & {
  readonly name: string;
  readonly about: string;
  readonly detectors: {
    readonly [name: string]: { readonly kind: string; readonly [option: string]: unknown };
  };
  readonly ladder: readonly Rung[];
};

type UseOf<Kind> =
  Kind extends DetectorKind<infer Name, infer Options> ? { readonly kind: Name } & Partial<Options> : never;

/** Refuses what the kind of a detector does not know. */
type NoOther<Use, Known> = { readonly [Option in Exclude<keyof Use, keyof Known>]: never };

const KINDS = Symbol.for('deloop.kinds');

/** A preset whose names and options are checked by the compiler, and which carries the kinds it uses. */
export function definePreset<
  const Kinds extends readonly AnyKind[],
  const Uses extends { readonly [name: string]: UseOf<Kinds[number]> },
>(
  kinds: Kinds,
  preset: Omit<Preset, 'detectors' | 'ladder'> & {
    readonly detectors: {
      readonly [Name in keyof Uses]: Uses[Name] &
        NoOther<Uses[Name], Extract<UseOf<Kinds[number]>, { readonly kind: Uses[Name]['kind'] }>>;
    };
    readonly ladder: readonly Rung<keyof Uses & string>[];
  },
): Preset {
  return Object.defineProperty({ ...preset }, KINDS, { value: kinds }) as Preset;
}

/** The kinds that a preset carries; none when it was read from JSON. */
export function kindsOf(preset: Preset): readonly AnyKind[] {
  return (preset as { readonly [KINDS]?: readonly AnyKind[] })[KINDS] ?? [];
}
