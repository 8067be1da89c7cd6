import fc from 'fast-check';

/** How a person, or a program, has laid out a file of settings. */
export type Layout = {
  /** Null = all in one line. */
  readonly unit: string | null;
  readonly eol: string;
  readonly colon: string;
  readonly end: string;
  readonly mark: boolean;
  /** Comments and commas behind the last item, where the host reads them. */
  readonly lenient: boolean;
};

type Value = fc.JsonValue;

const EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'BeforeTool',
  'AfterTool',
  'Stop',
  'preToolUse',
  'UserPromptSubmit',
];

const entry = fc.record({
  matcher: fc.constantFrom('*', 'Bash', 'Write|Edit', ''),
  hooks: fc.array(
    fc.record({ type: fc.constant('command'), command: fc.string({ maxLength: 30 }), timeout: fc.nat(60) }),
    { maxLength: 2 },
  ),
});
const hooks = fc.dictionary(fc.constantFrom(...EVENTS), fc.array(entry, { maxLength: 2 }), { maxKeys: 4 });
const names = fc.oneof(
  fc.constantFrom(
    'model',
    'env',
    'permissions',
    '__proto__',
    'constructor',
    'a.b',
    'größe',
    '//',
    'hooksConfig',
  ),
  fc.string({ maxLength: 8 }).filter((name) => name !== 'hooks' && name !== 'version'),
);
const value: fc.Arbitrary<Value> = fc.jsonValue({
  maxDepth: 2,
  stringUnit: 'grapheme',
}) as fc.Arbitrary<Value>;

/** Members of a file of settings, in the order in which they stand in it. */
export const members: fc.Arbitrary<readonly (readonly [name: string, value: Value])[]> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(names, value), { maxLength: 5, selector: ([name]) => name }),
    fc.option(hooks as unknown as fc.Arbitrary<Value>),
    fc.nat(5),
  )
  .map(([others, hooked, at]) => (hooked === null ? others : others.toSpliced(at, 0, ['hooks', hooked])));

export const layouts: fc.Arbitrary<Layout> = fc.record({
  unit: fc.constantFrom(null, '  ', '    ', '\t', ' ', '   '),
  eol: fc.constantFrom('\n', '\r\n'),
  colon: fc.constantFrom(': ', ':', ' : '),
  end: fc.constantFrom('', '\n', '\n\n'),
  mark: fc.boolean(),
  lenient: fc.boolean(),
});

/** A file of settings, as text. */
export function written(all: readonly (readonly [name: string, value: Value])[], layout: Layout): string {
  const { unit, eol, colon, end, mark, lenient } = layout;
  let comments = 0;

  function block(open: string, items: readonly string[], close: string, depth: number): string {
    if (items.length === 0) return open + close;
    if (unit === null) return `${open}${items.join(', ')}${lenient ? ',' : ''}${close}`;
    const lines = items.map((item, index) => {
      const comma = index < items.length - 1 || lenient ? ',' : '';
      comments += 1;
      const comment = lenient && comments % 3 === 0 ? ` // "comment" ${comments}, {` : '';
      return `${unit.repeat(depth + 1)}${item}${comma}${comment}`;
    });
    return `${open}${eol}${lines.join(eol)}${eol}${unit.repeat(depth)}${close}`;
  }

  function text(one: Value, depth: number): string {
    if (one === null || typeof one !== 'object') return JSON.stringify(one);
    if (Array.isArray(one))
      return block(
        '[',
        one.map((item) => text(item as Value, depth + 1)),
        ']',
        depth,
      );
    return object(Object.entries(one) as [string, Value][], depth);
  }

  function object(entries: readonly (readonly [name: string, value: Value])[], depth: number): string {
    const items = entries.map(([name, one]) => `${JSON.stringify(name)}${colon}${text(one, depth + 1)}`);
    return block('{', items, '}', depth);
  }

  return `${mark ? '\uFEFF' : ''}${object(all, 0)}${end.replaceAll('\n', eol)}`;
}
