import type {
  Action,
  AgentEvent,
  Intervention,
  Level,
  ToolCallEvent,
  ToolResultEvent,
} from '../../core/types.ts';
import { createGuard, type Guard, type Options } from '../../index.ts';
import { createRecordedCalls } from './recorded-calls.ts';

/** A decision other than allow and observe, in the recording's own numbers. */
export type ReplayDecision = {
  /** The 1-based line of the event. */
  readonly event: number;
  /** The 1-based number of the tool call in the recording. */
  readonly call: number;
  readonly action: Exclude<Action, 'observe'>;
  readonly level: Level | null;
  readonly detector: string;
  readonly subject: string;
  readonly count: number;
  readonly evidence: readonly number[];
  readonly message: string;
};

/** A guard over one recording. */
export type Simulation = {
  feed(event: AgentEvent, line: number): readonly ReplayDecision[];
  /** The recording is over, and with it every open round. */
  end(): readonly ReplayDecision[];
  readonly calls: number;
  /** The recording's number of a call that the guard has a number for. */
  inTrace(number: number): number;
};

/** Does with each event what a host would do, as far as the recording can tell. */
export function createSimulation(options: Options): Simulation {
  return simulationOn(
    (onDecision) => createGuard({ ...options, onDecision }),
    (options.mode ?? 'enforce') === 'enforce',
  );
}

/** The same, on a guard that is made for it. */
export function simulationOn(
  makeGuard: (onDecision: (decision: Intervention, event: AgentEvent) => void) => Guard,
  enforces: boolean,
): Simulation {
  const recorded = createRecordedCalls();
  /** The recording's number of each call by the guard's, which does not count calls it never looks at. */
  const numbers: number[] = [0];
  let calls = 0;
  let line = 0;
  let heard: ReplayDecision[] = [];
  const guard = makeGuard((decision, event) => {
    if (decision.action !== 'observe') heard.push(inRecording(decision, event));
  });

  function inRecording(decision: Intervention, { type }: AgentEvent): ReplayDecision {
    const { action, level, message, finding } = decision;
    const { detector, subject, count, evidence } = finding;
    const answersCall = type === 'tool-call' || type === 'tool-result';
    return {
      event: line,
      call: answersCall ? inTrace(decision.call) : calls,
      action: action as ReplayDecision['action'],
      level: level ?? null,
      detector,
      subject,
      count,
      evidence: evidence.map(inTrace),
      message,
    };
  }

  function inTrace(number: number): number {
    return numbers[number] ?? number;
  }

  function accept(event: AgentEvent): void {
    guard.accept(event);
    if (enforces && heard.some((decision) => decision.action === 'nudge')) guard.delivered(event.agent);
  }

  function onCall(event: ToolCallEvent): void {
    calls += 1;
    const number = guard.calls + 1;
    numbers[number] = calls;
    // Formats tell the same in many shapes, and each shape costs the guard anew.
    const { type, id, tool, args, at, agent } = event;
    accept({ type, id, tool, args, at, agent });
    const blocked = enforces && heard.some((decision) => decision.action === 'block');
    // Already answered, never looked at, or blocked: the guard must not be told what the recording says came of it.
    const unwanted = blocked || guard.calls !== number;
    recorded.add(event, unwanted ? 0 : number);
  }

  function onResult(event: ToolResultEvent): void {
    const call = recorded.take(event);
    if (call === undefined || call.number === 0) return;
    // Written out: a copy by name takes as long as all the rest.
    const { type, id, tool = call.tool, args, status, output, errorType, at } = event;
    accept({ type, id, tool, args, status, output, errorType, at, call: call.number, agent: call.agent });
  }

  /** Calls that the guard was made to forget wait for no result. */
  function onOther(event: AgentEvent): void {
    accept(event);
    const resets = event.type === 'control' && event.do === 'reset';
    if (event.type !== 'rewind' && !resets) return;
    const open = new Set(guard.state.open.map((call) => call.call));
    recorded.keep((call) => open.has(call.number) || (!resets && call.agent !== event.agent));
  }

  return {
    feed(event, at) {
      line = at;
      heard = [];
      if (event.type === 'tool-call') onCall(event);
      else if (event.type === 'tool-result') onResult(event);
      else onOther(event);
      return heard;
    },
    end() {
      const ended: ReplayDecision[] = [];
      for (const { agent, open } of guard.state.agents) {
        heard = [];
        if (open) accept({ type: 'round-done', agent: agent === '' ? undefined : agent });
        ended.push(...heard);
      }
      return ended;
    },
    get calls() {
      return calls;
    },
    inTrace,
  };
}
