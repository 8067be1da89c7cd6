/** The parts of `@opentelemetry/api` that are used here. */

export type Attributes = { readonly [name: string]: string | number | boolean | number[] };
type Span = {
  addEvent(name: string, attributes?: Attributes): unknown;
  isRecording(): boolean;
  end(): void;
};
type Tracer = { startSpan(name: string, options?: { attributes?: Attributes }): Span };
type Counter = { add(value: number, attributes?: Attributes): void };
type Histogram = { record(value: number, attributes?: Attributes): void };
type InstrumentOptions = { description?: string; unit?: string };
export type Meter = {
  createCounter(name: string, options?: InstrumentOptions): Counter;
  createHistogram(
    name: string,
    options?: InstrumentOptions & { advice?: { explicitBucketBoundaries?: number[] } },
  ): Histogram;
};

/** `import * as api from '@opentelemetry/api'`, or the part of it that is wanted. */
export type Api = {
  readonly trace?: { getActiveSpan(): Span | undefined; getTracer(name: string): Tracer } | undefined;
  readonly metrics?: { getMeter(name: string): Meter } | undefined;
};
