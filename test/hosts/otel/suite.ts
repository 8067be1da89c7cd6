import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deloop } from '../../../src/adapters/generic/index.ts';
import { withTelemetry } from '../../../src/adapters/otel/index.ts';
import { createGuard, createStoredGuard, type Guard, type Intervention } from '../../../src/index.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import { blocksOf, pageOf } from '../../docs/pages.ts';

const SECRET = 'tell-nobody';
const ACTIONS = ['nudge', 'block', 'block', 'halt'];

const spans = new InMemorySpanExporter();
let metrics: InMemoryMetricExporter;
let reader: PeriodicExportingMetricReader;
let provider: MeterProvider;

beforeEach(() => {
  spans.reset();
  metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  reader = new PeriodicExportingMetricReader({ exporter: metrics });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  api.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  provider = new MeterProvider({ readers: [reader] });
  api.metrics.setGlobalMeterProvider(provider);
});

afterEach(async () => {
  await reader.shutdown();
  api.trace.disable();
  api.metrics.disable();
  api.context.disable();
});

/** A stuck run: the same call, until it is stopped. */
async function stuck(options: Parameters<typeof deloop>[0] = {}): Promise<void> {
  const guard = deloop(withTelemetry(api, { session: 'chat-42', ...options }));
  const look = guard.tool('look', async (_args: { readonly query: string }) => `nothing for ${SECRET}`);
  for (let n = 1; n <= 8; n++) await look({ query: SECRET }).catch(() => {});
}

async function measured() {
  await reader.forceFlush();
  const [last] = metrics.getMetrics().slice(-1);
  if (last === undefined) throw new Error('nothing was measured');
  return last;
}

describe('events', () => {
  it('stand on the span that is active, with names, numbers and digests alone', async () => {
    const tracer = api.trace.getTracer('app');
    await tracer.startActiveSpan('agent', async (span) => {
      await stuck();
      span.end();
    });
    const [span] = spans.getFinishedSpans();
    expect(spans.getFinishedSpans()).toHaveLength(1);
    const events = span?.events ?? [];
    expect(new Set(events.map(({ name }) => name))).toEqual(new Set(['deloop.decision']));
    expect(events.map(({ attributes }) => attributes?.['deloop.action'])).toEqual(ACTIONS);
    expect(events[1]?.attributes).toEqual({
      'deloop.action': 'block',
      'deloop.level': 'warning',
      'deloop.detector': 'no-progress',
      'deloop.subject': expect.stringMatching(/^look#\w+$/),
      'deloop.count': 5,
      'deloop.call': 5,
      'deloop.evidence': [1, 2, 3, 4, 5],
      'deloop.event': 'tool-call',
      'deloop.mode': 'enforce',
      'gen_ai.tool.name': 'look',
      'gen_ai.conversation.id': 'chat-42',
    });
    expect(JSON.stringify(events)).not.toContain(SECRET);
  });

  it('are spans of their own where none is active', async () => {
    await stuck({ mode: 'shadow' });
    const all = spans.getFinishedSpans();
    expect(all.length).toBeGreaterThan(3);
    expect(all[0]).toMatchObject({ name: 'deloop.decision', instrumentationScope: { name: 'deloop' } });
    expect(all[0]?.attributes).toMatchObject({ 'deloop.action': 'nudge', 'deloop.mode': 'shadow' });
  });

  it('name the sub-agent, and cut long names', async () => {
    const guard = createGuard(withTelemetry({ trace: api.trace }, { preset: 'zagens' }));
    const tool = 'x'.repeat(1000);
    for (let n = 1; n <= 3; n++) guard.before({ tool, args: {}, agent: 'researcher' });
    const [span] = spans.getFinishedSpans();
    expect(span?.attributes).toMatchObject({
      'gen_ai.agent.id': 'researcher',
      'gen_ai.tool.name': expect.stringMatching(/^x{32}.{0,32}$/),
    });
    expect(span?.attributes['gen_ai.conversation.id']).toBeUndefined();
  });
});

describe('ids', () => {
  const user = 'customer-support-agent/google-oauth2|103547991597142817347';

  async function told(sessions: readonly string[]): Promise<readonly unknown[]> {
    for (const session of sessions) await stuck({ session });
    return [
      ...new Set(spans.getFinishedSpans().map(({ attributes }) => attributes['gen_ai.conversation.id'])),
    ];
  }

  it('are told whole, so that a session can be searched for', async () => {
    const sessions = [1, 2, 3].map((n) => `${user}/7d1f3e9a-1111-4c7e-9d5e-00000000000${n}`);
    expect(await told(sessions)).toEqual(sessions);
  });

  it('that are far too long are cut, and do not run together', async () => {
    const ids = await told([1, 2, 3].map((n) => `${'x'.repeat(1000)}${n}`));
    expect(ids).toHaveLength(3);
    for (const id of ids) expect(id).toMatch(/^x{244}~\w{1,11}$/);
  });

  it('are told of guards whose state is in a store, too', async () => {
    const options = { store: createMemoryStore(), session: 'chat-43', preset: 'zagens' } as const;
    const guard = createStoredGuard(withTelemetry(api, options));
    for (let n = 1; n <= 3; n++) await guard.before({ tool: 'look', args: {} });
    expect(spans.getFinishedSpans()[0]?.attributes['gen_ai.conversation.id']).toBe('chat-43');
  });

  it('of calls keep the digest of the arguments, however long the name of the tool', async () => {
    const guard = createGuard(withTelemetry({ trace: api.trace }, { preset: 'zagens' }));
    const tool = 'mcp__some_server_with_a_long_name__and_a_tool_with_a_long_name_x';
    for (const query of ['a', 'b']) for (let n = 1; n <= 3; n++) guard.before({ tool, args: { query } });
    const subjects = spans.getFinishedSpans().map(({ attributes }) => attributes['deloop.subject']);
    expect(new Set(subjects).size).toBe(2);
  });
});

describe('metrics', () => {
  it('count decisions by action, detector and tool, and how often things had happened', async () => {
    await stuck();
    const found = (await measured()).scopeMetrics[0]?.metrics ?? [];
    const points = Object.fromEntries(
      found.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]),
    );
    const blocks = points['deloop.decisions']?.filter(
      ({ attributes }) => attributes['deloop.action'] === 'block',
    );
    expect(blocks?.map(({ attributes }) => attributes)).toContainEqual({
      'deloop.action': 'block',
      'deloop.detector': 'no-progress',
      'deloop.level': 'warning',
      'deloop.mode': 'enforce',
      'gen_ai.tool.name': 'look',
    });
    expect(points['deloop.repeats']?.length).toBeGreaterThan(0);
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });

  it('count errors', async () => {
    const broken = (): never => {
      throw new RangeError('broken');
    };
    await stuck({ store: { update: broken, delete: broken, list: broken } });
    const found = (await measured()).scopeMetrics[0]?.metrics ?? [];
    const errors = found.find(({ descriptor }) => descriptor.name === 'deloop.errors');
    expect(errors?.dataPoints[0]?.attributes).toEqual({ 'error.type': 'RangeError' });
  });

  it.each([
    ['one guard', (guard: Guard) => guard],
    ['a guard for every conversation', () => createGuard(withTelemetry(api, { preset: 'zagens' }))],
  ])('count the tools beyond a hundred together, with %s', async (_, guardOf) => {
    const first = createGuard(withTelemetry(api, { preset: 'zagens' }));
    for (let n = 0; n < 150; n++) {
      const guard = guardOf(first);
      for (let times = 1; times <= 3; times++) guard.before({ tool: `tool-${n}`, args: {} });
    }
    const found = (await measured()).scopeMetrics[0]?.metrics ?? [];
    const points = found.find(({ descriptor }) => descriptor.name === 'deloop.decisions')?.dataPoints ?? [];
    expect(points).toHaveLength(101);
    expect(points.find(({ attributes }) => attributes['gen_ai.tool.name'] === 'other')?.value).toBe(50);
  });

  it('are told once the SDK is set up, by a guard that has decided before, too', async () => {
    api.metrics.disable();
    const guard = createGuard(withTelemetry(api, { preset: 'zagens' }));
    const decide = (tool: string) => {
      for (let n = 1; n <= 3; n++) guard.before({ tool, args: {} });
    };
    decide('early');
    api.metrics.setGlobalMeterProvider(provider);
    decide('late');
    const found = (await measured()).scopeMetrics[0]?.metrics ?? [];
    const points = found.find(({ descriptor }) => descriptor.name === 'deloop.decisions')?.dataPoints ?? [];
    expect(points.map(({ attributes }) => attributes['gen_ai.tool.name'])).toEqual(['late']);
  });

  it('have the names and the labels that the dashboard asks for', async () => {
    await stuck();
    const guard = deloop(
      withTelemetry(api, { preset: 'zagens', onDecision: () => Promise.reject(new Error('x')) }),
    );
    for (let n = 1; n <= 3; n++) guard.before({ tool: 'look', args: {} });
    await new Promise((done) => setImmediate(done));
    const text = new PrometheusSerializer().serialize(await measured());
    const queries = blocksOf(pageOf('docs/adapters/otel.md'), 'promql').map(({ text }) => text);
    expect(queries.length).toBeGreaterThan(4);
    for (const query of queries) {
      const names = query.match(/deloop_\w+(?=\{|\[)/g) ?? [];
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) expect(text).toContain(`${name}{`);
      const labels = [...query.matchAll(/(\w+)(?==~?")|by \(([\w, ]+)\)/g)].flatMap((match) =>
        (match[1] ?? match[2] ?? '').split(', '),
      );
      for (const label of labels) expect(text).toMatch(new RegExp(`[{,]${label}="`));
    }
  });
});

describe('the options', () => {
  it("keep the user's own callbacks, which come first and whose errors stay theirs", async () => {
    const heard: string[] = [];
    const own = (decision: Intervention) => {
      heard.push(decision.action);
      throw new Error('mine');
    };
    const errors: unknown[] = [];
    await stuck({ onDecision: own, onError: (error) => errors.push(error) });
    expect(heard).toEqual(ACTIONS);
    expect(errors).toHaveLength(ACTIONS.length);
  });

  it('work without an SDK, and without an API', async () => {
    api.trace.disable();
    api.metrics.disable();
    await stuck();
    const guard = createGuard(withTelemetry({}, { preset: 'zagens' }));
    for (let n = 1; n <= 2; n++) guard.before({ tool: 'x', args: {} });
    expect(guard.before({ tool: 'x', args: {} }).action).toBe('block');
  });
});
