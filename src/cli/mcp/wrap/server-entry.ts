/** A part of a config: from `start` up to `end`, in characters. */
export type Span = { readonly start: number; readonly end: number };

/** A value that a client reads as a text; null = it is something else. */
export type Word = Span & { readonly text: string | null };

/** The value of a field; `key` is where the field's name starts. */
export type Slot = Word & {
  readonly key: number;
  /** The field's own name as it is written, without the names before it. */
  readonly name: Span;
  /** The elements of a list; null = it is none. */
  readonly items: readonly Word[] | null;
  /** The fields of a table; null = it is none. */
  readonly members: readonly Member[] | null;
  /** It is a table in lines of its own, under its name in brackets. */
  readonly isBlock: boolean;
};

/** A field of a table: its name as it is written and as it reads, and its value. */
export type Member = { readonly name: Span; readonly is: string; readonly value: Word };

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
  /** A name of ours for a field: letters, digits and underscores. */
  nameOf(text: string): string;
  /** What stands between a name and its value, where there is nothing to go by. */
  readonly is: string;
  /** What stands between two fields, where the first is laid out as this one. */
  between(text: string, like: Slot): string;
  /** Hides a field from the client, to be found again; null = that cannot be done here. */
  hide: ((text: string, slot: Slot) => Edit | null) | null;
  /** Brings back the fields of a server that were hidden. */
  unhide(text: string, server: readonly string[]): readonly Edit[];
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
