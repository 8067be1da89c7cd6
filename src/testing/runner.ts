/** The test runner: vitest, jest and `node:test` all have these. */
export type Runner = {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => void | Promise<void>): unknown;
};
