/** One call of a session, and what came of it. */
export type Step = {
  readonly command: string;
  readonly output?: string;
  readonly failed?: boolean;
};

export type PiOptions = {
  readonly id?: string;
  readonly cwd?: string;
  readonly model?: string;
  /** Without tokens, as some gateways answer. */
  readonly untold?: boolean;
};

const BEGINNING = Date.UTC(2026, 10, 14, 9);
/** Of each response. */
export const TOKENS = { input: 1000, output: 100, cachedInput: 10_000 } as const;

/** A session as pi writes it, one call a response. */
export function piSession(steps: readonly Step[], options: PiOptions = {}): string {
  const { id = 'session-1', cwd = '/home/kim/shop', model = 'claude-sonnet-4-5', untold = false } = options;
  const at = (index: number) => new Date(BEGINNING + index * 10_000).toISOString();
  const usage = { input: TOKENS.input, output: TOKENS.output, cacheRead: TOKENS.cachedInput, cacheWrite: 0 };
  const records = [
    { type: 'session', version: 3, id, timestamp: at(0), cwd },
    {
      type: 'message',
      id: 'm0',
      timestamp: at(0),
      message: { role: 'user', content: [{ type: 'text', text: 'Mend it.' }] },
    },
    ...steps.flatMap(({ command, output = 'done', failed = false }, index) => [
      {
        type: 'message',
        id: `a${index}`,
        timestamp: at(index),
        message: {
          role: 'assistant',
          content: [{ type: 'toolCall', id: `c${index}`, name: 'bash', arguments: { command } }],
          model,
          ...(untold ? {} : { usage }),
          stopReason: 'toolUse',
        },
      },
      {
        type: 'message',
        id: `r${index}`,
        timestamp: at(index),
        message: {
          role: 'toolResult',
          toolCallId: `c${index}`,
          toolName: 'bash',
          content: [{ type: 'text', text: output }],
          isError: failed,
        },
      },
    ]),
  ];
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** The same call with the same result, again and again. */
export function stuck(
  times: number,
  step: Step = { command: 'make', output: 'nothing to be done' },
): readonly Step[] {
  return Array.from({ length: times }, () => step);
}

/** Different calls with different results. */
export function healthy(times: number): readonly Step[] {
  return Array.from({ length: times }, (_, index) => ({
    command: `cat chapter-${index}.md`,
    output: `Chapter ${index}: ${'something new, '.repeat(index + 1)}`,
  }));
}
