import type { AgentEvent, Intervention } from '../../core/types.ts';
import type { LoopOptions } from '../generic/deloop.ts';
import type { Api, Attributes } from './api.ts';
import { attributesOf, toolOf } from './attributes.ts';
import { type Instruments, instrumentsOf } from './instruments.ts';

/** The options of any guard or adapter; `onDecision` and `onError` are listened to, and the callbacks are named so that they have their types. */
export type Heard = Pick<LoopOptions, 'onAsk' | 'onStop' | 'onStrongerModel' | 'isFailure'> & {
  readonly [option: string]: unknown;
  readonly mode?: string | undefined;
  readonly onDecision?:
    | ((decision: Intervention, event: AgentEvent, session: string | undefined) => unknown)
    | undefined;
  readonly onError?: ((error: unknown, about: unknown) => unknown) | undefined;
};

/** What they become. */
export type Telling = {
  readonly onDecision: (decision: Intervention, event: AgentEvent, session?: string) => unknown;
  readonly onError: (error: unknown, about: unknown) => unknown;
};

const NAME = 'deloop';
const EVENT = 'deloop.decision';

/**
 * The same options, with decisions and errors told to OpenTelemetry: as an event of the active span (or as a span of its own, where there is
 * none) and as metrics. Your own `onDecision` and `onError` are called as before.
 */
export function withTelemetry<const Given extends Heard>(
  api: Api,
  options: Given,
): Omit<Given, keyof Telling> & Telling {
  const { mode = 'enforce', onDecision, onError } = options;

  /** A meter from before the SDK was set up stays silent: then there is another one, and instruments of it. */
  function measured(): Instruments | null {
    return api.metrics === undefined ? null : instrumentsOf(api.metrics.getMeter(NAME));
  }

  function tell(attributes: Attributes): void {
    const { trace } = api;
    if (trace === undefined) return;
    const span = trace.getActiveSpan();
    if (span?.isRecording() === true) span.addEvent(EVENT, attributes);
    else trace.getTracer(NAME).startSpan(EVENT, { attributes }).end();
  }

  return {
    ...options,
    onDecision(decision, event, session) {
      // What it throws, now or later, is the guard's to hear of.
      try {
        return onDecision?.(decision, event, session);
      } finally {
        tell(attributesOf(decision, event, session, mode));
        measured()?.decided(decision, toolOf(decision.finding, event), mode);
      }
    },
    onError(error, about) {
      try {
        return onError?.(error, about);
      } finally {
        measured()?.failed(error);
      }
    },
  };
}
