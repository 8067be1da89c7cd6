import { describe, it } from 'vitest';
import type { AgentEvent, AnyKind, Json } from '../../src/core/index.ts';
import { type DetectorSuite, testDetector as test } from '../../src/testing/test-detector.ts';

export { type Case, findings, made, only, remembered } from '../../src/testing/detector-runs.ts';

export function testDetector(kind: AnyKind, suite: DetectorSuite): void {
  test(kind, suite, { describe, it });
}

export const call = (
  tool: string,
  args: Json = {},
  more: { id?: string; agent?: string } = {},
): AgentEvent => ({
  type: 'tool-call',
  tool,
  args,
  ...more,
});
export const result = (tool: string, args: Json, output: Json = '', status = 'ok'): AgentEvent =>
  ({ type: 'tool-result', tool, args, output, status }) as AgentEvent;
/** A call and its result. */
export const did = (tool: string, args: Json = {}, output: Json = '', status = 'ok'): AgentEvent[] => [
  call(tool, args),
  result(tool, args, output, status),
];
export const turn: AgentEvent = { type: 'turn' };
export const user: AgentEvent = { type: 'user' };
export const roundDone: AgentEvent = { type: 'round-done' };

export function repeat<T>(n: number, make: (index: number) => readonly T[]): T[] {
  return Array.from({ length: n }, (_, index) => make(index)).flat();
}
