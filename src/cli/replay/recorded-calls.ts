import { digestCall } from '../../core/evidence.ts';
import type { Json, ToolCallEvent, ToolResultEvent } from '../../core/types.ts';
import { fastDigestText } from '../../platform/digest-text.ts';

/** A call of the recording whose recorded result has not come yet. */
type RecordedCall = {
  readonly id: string | undefined;
  readonly agent: string | undefined;
  readonly tool: string;
  readonly args: Json;
  /** The guard's own number of the call; 0 when its result is not for the guard. */
  readonly number: number;
};

export type RecordedCalls = {
  add(call: ToolCallEvent, number: number): void;
  /** The call that a recorded result belongs to: by id, else the first with the same tool and arguments. */
  take(result: ToolResultEvent): RecordedCall | undefined;
  keep(wanted: (call: RecordedCall) => boolean): void;
};

/** Far more than a guard keeps open; a recording without results must not fill the memory. */
const MAX_WAITING = 1024;

/** Pairs recorded results with recorded calls, whatever the guard did about them. */
export function createRecordedCalls(): RecordedCalls {
  let waiting: RecordedCall[] = [];

  function find(result: ToolResultEvent): RecordedCall | undefined {
    const { id, agent, tool, args } = result;
    const ofAgent = (call: RecordedCall) => agent === undefined || call.agent === agent;
    if (id !== undefined) {
      // A result belongs to the agent of its call, even where it was recorded under another one.
      const found =
        waiting.find((call) => call.id === id && ofAgent(call)) ?? waiting.find((call) => call.id === id);
      if (found !== undefined) return found;
    }
    const key = tool === undefined || args === undefined ? undefined : digestCall(tool, args, fastDigestText);
    return waiting.find(
      (call) =>
        ofAgent(call) &&
        (id === undefined || call.id === undefined) &&
        (tool === undefined || call.tool === tool) &&
        (key === undefined || digestCall(call.tool, call.args, fastDigestText) === key),
    );
  }

  return {
    add({ id, agent, tool, args }, number) {
      if (waiting.length >= MAX_WAITING) waiting.shift();
      waiting.push({ id, agent, tool, args, number });
    },
    take(result) {
      const call = find(result);
      if (call !== undefined) waiting.splice(waiting.indexOf(call), 1);
      return call;
    },
    keep(wanted) {
      waiting = waiting.filter(wanted);
    },
  };
}
