import type { ToolCallEvent, ToolResultEvent } from '../core/types.ts';
import type { Turns } from './turns.ts';

/** The calls of one response that ran side by side, each told of with its end. */
export type TimeOrder = {
  call(event: ToolCallEvent, line: number): void;
  /** The end of the call that was told of last. */
  result(event: ToolResultEvent, line: number): void;
  /** Passes everything on, as it came about. */
  settle(): void;
};

/** Puts calls and results in the order in which they came about; whatever tells no time stays where it is. */
export function createTimeOrder(turns: Turns): TimeOrder {
  let held: { event: ToolCallEvent | ToolResultEvent; line: number; at: number }[] = [];
  let last = 0;

  function hold(event: ToolCallEvent | ToolResultEvent, line: number, earliest: number): void {
    last = Math.max(event.at ?? 0, earliest);
    held.push({ event, line, at: last });
  }

  return {
    call(event, line) {
      hold(event, line, event.at === undefined ? last : 0);
    },
    result(event, line) {
      hold(event, line, last);
    },
    settle() {
      const waiting = held;
      held = [];
      last = 0;
      if (waiting.length > 2) waiting.sort((one, other) => one.at - other.at);
      for (const { event, line } of waiting) turns.add(event, line);
    },
  };
}
