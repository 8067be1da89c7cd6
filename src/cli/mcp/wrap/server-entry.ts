/** A part of a config: from `start` up to `end`, in characters. */
type Span = { readonly start: number; readonly end: number };

/** A value that a client reads as a text; null = it is something else. */
export type Word = Span & { readonly text: string | null };

/** The value of a field; `key` is where the field's name starts. */
export type Slot = Word & {
  readonly key: number;
  /** The elements of a list; null = it is none. */
  readonly items: readonly Word[] | null;
};

/** A server as a config has it. */
export type ServerEntry = {
  readonly name: string;
  /** The way down to it, its name included. */
  readonly path: readonly string[];
  /** Field by field; of several with one name the last, which is the one that counts. */
  readonly fields: ReadonlyMap<string, Slot>;
};

/** A text in place of a part of a config. */
export type Edit = Span & { readonly text: string };

/** What differs between the languages that configs are written in. */
export type Notation = {
  /** Every server in these lists; throws a `NotReadable` for what is none of its language. */
  read(text: string, lists: readonly ListPath[]): readonly ServerEntry[];
  /** The whole as values, to compare what it says. */
  meaningOf(text: string): unknown;
  /** A text as a value. */
  literal(text: string): string;
  /** A new field `args`, behind the field `command`. */
  addArgs(text: string, command: Slot, list: string): Edit;
  /** Takes back what `addArgs` has made; null = it does not stand where that puts it. */
  dropArgs(text: string, command: Slot, args: Slot): Edit | null;
};

/** Where a config keeps its servers, by name; `*` stands for any name. */
export type ListPath = readonly string[];

/** Why a text cannot be read: `at` is the line and column, where there is one. */
export class NotReadable extends Error {
  override readonly name = 'NotReadable';
  readonly at: string;
  constructor(message: string, at = '') {
    super(message);
    this.at = at;
  }
}

export function applied(text: string, edits: readonly Edit[]): string {
  let out = '';
  let from = 0;
  for (const { start, end, text: piece } of edits.toSorted((one, other) => one.start - other.start)) {
    out += text.slice(from, start) + piece;
    from = end;
  }
  return out + text.slice(from);
}
