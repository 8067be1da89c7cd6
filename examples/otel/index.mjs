// A stuck agent inside a span: what OpenTelemetry hears of the guard.
import assert from 'node:assert/strict';
import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { deloop } from 'deloop/generic';
import { withTelemetry } from 'deloop/otel';

// As your application sets it up: exporters that keep everything in memory.
const spans = new InMemorySpanExporter();
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: metrics });
api.context.setGlobalContextManager(new AsyncLocalStorageContextManager());
api.trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
);
api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));

const guard = deloop(withTelemetry(api, { session: 'chat-42' }));
const search = guard.tool('search', async ({ query }) => `nothing for ${query}`);

await api.trace.getTracer('app').startActiveSpan('agent', async (span) => {
  while (guard.stopped === null) await search({ query: 'the cause' }).catch(() => {});
  span.end();
});

const [span] = spans.getFinishedSpans();
for (const { name, attributes } of span.events)
  console.log(name, attributes['deloop.action'], attributes['deloop.detector'], attributes['deloop.subject']);
assert.deepEqual(
  span.events.map(({ attributes }) => attributes['deloop.action']),
  ['nudge', 'block', 'block', 'halt'],
);
assert.ok(!JSON.stringify(span.events).includes('the cause'));

await reader.forceFlush();
const [{ scopeMetrics }] = metrics.getMetrics();
for (const { descriptor, dataPoints } of scopeMetrics[0].metrics)
  for (const { attributes, value } of dataPoints) {
    const count = typeof value === 'number' ? value : value.count;
    console.log(descriptor.name, attributes['deloop.action'], count);
  }
assert.deepEqual(scopeMetrics[0].metrics.map(({ descriptor }) => descriptor.name).slice(0, 2), [
  'deloop.decisions',
  'deloop.repeats',
]);
await reader.shutdown();
console.log('All went as told.');
