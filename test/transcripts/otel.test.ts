import { describe, expect, it } from 'vitest';
import { at, lines, resourceSpans, SPANS, span } from './message-samples.ts';
import { readText, tallied } from './read.ts';

// No recording: spans are made after OpenTelemetry's conventions for GenAI and the JSON encoding of OTLP.

const tool = (
  start: number,
  more: { readonly [name: string]: string | number | object } = {},
  fields: object = {},
) => span('execute_tool', start, start + 1, { 'tool.name': 'run', ...more }, fields);

describe('OpenTelemetry GenAI spans', () => {
  it('tells calls and results in the order of time, with usage, status and the kind of error', () => {
    const { events, facts } = readText(lines(...SPANS.records));
    expect(facts).toEqual({ session: 'trace-1', model: 'gpt-5' });
    expect(events.filter(({ type }) => type !== 'user')).toMatchObject([
      { type: 'turn', at, usage: { input: 60, output: 20, cachedInput: 40 } },
      { type: 'tool-call', id: 'call-1' },
      { type: 'tool-call', id: 'call-2' },
      { type: 'tool-result', id: 'call-2', status: 'error', at: at + 4000 },
      { type: 'tool-result', id: 'call-1', status: 'ok', at: at + 5000 },
      { type: 'turn', at: at + 6000 },
    ]);
  });

  it('keeps calls apart of which nothing was written down but that they were made', () => {
    const { events } = readText(lines(resourceSpans(tool(0), tool(2), tool(4))));
    const of = (type: string) =>
      events.filter((event) => event.type === type).map((event) => JSON.stringify(event));
    expect(new Set(of('tool-call')).size).toBe(3);
    const outputs = events.flatMap((event) =>
      event.type === 'tool-result' ? [JSON.stringify(event.output)] : [],
    );
    expect(new Set(outputs).size).toBe(3);
    expect(events.flatMap((event) => (event.type === 'tool-result' ? [event.status] : []))).toEqual([
      'ok',
      'ok',
      'ok',
    ]);
  });

  it('takes arguments and results as objects or as JSON', () => {
    const nested = {
      key: 'gen_ai.tool.call.arguments',
      value: {
        kvlistValue: {
          values: [
            {
              key: 'n',
              value: {
                arrayValue: { values: [{ intValue: '1' }, { boolValue: true }, { doubleValue: 0.5 }] },
              },
            },
          ],
        },
      },
    };
    const { attributes, ...rest } = tool(0) as { attributes: object[] };
    const { events } = readText(
      lines(
        resourceSpans(
          { ...rest, attributes: [...attributes, nested] },
          tool(2, { 'tool.call.arguments': { n: 2 } }),
        ),
      ),
    );
    expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject([
      { args: { n: [1, true, 0.5] } },
      { args: { n: 2 } },
    ]);
  });

  it('finds the reason of a failure where there is one', () => {
    const exception = {
      name: 'exception',
      attributes: [{ key: 'exception.message', value: { stringValue: 'boom' } }],
    };
    const { attributes, ...rest } = tool(4) as { attributes: object[] };
    const typed = {
      ...rest,
      attributes: [...attributes, { key: 'error.type', value: { stringValue: 'timeout' } }],
    };
    const { events } = readText(
      lines(
        resourceSpans(
          tool(0, {}, { status: { code: 2 }, events: [exception] }),
          tool(2, {}, { status: { code: 'STATUS_CODE_ERROR', message: 'no' } }),
          typed,
        ),
      ),
    );
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { status: 'error', output: 'boom' },
      { status: 'error', output: 'no' },
      { status: 'error', output: 'timeout', errorType: 'timeout' },
    ]);
  });

  it('reads results from the next request where no span tells of them', () => {
    const { events } = readText(lines(SPANS.records[0] as object, SPANS.records[2] as object));
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { id: 'call-1', tool: 'read', status: 'unknown', output: 'hello' },
      { id: 'call-2', tool: 'run', status: 'unknown', output: 'no rule to make target' },
    ]);
  });

  it('hears a request once that was sent twice', () => {
    const [first] = SPANS.records as [object];
    expect(tallied(readText(lines(first, first)).events)['user']).toBe(2);
  });

  it('tells a call once that an MCP client tells under the agent\u2019s own span', () => {
    const outer = tool(0, { 'tool.call.id': 'a' }, { spanId: 'outer' });
    const inner = tool(0.2, {}, { spanId: 'inner', parentSpanId: 'outer' });
    expect(tallied(readText(lines(resourceSpans(outer, inner))).events)).toEqual({
      'tool-call': 1,
      'tool-result': 1,
    });
  });

  it('keeps conversations, and the agents that an agent calls, apart', () => {
    const agents = [
      span('invoke_agent', 0, 9, { 'agent.name': 'lead' }, { spanId: 'lead' }),
      tool(1, {}, { spanId: 'one', parentSpanId: 'lead' }),
      span(
        'invoke_agent',
        3,
        8,
        { 'agent.id': 'helper-7', 'agent.name': 'helper' },
        { spanId: 'helper', parentSpanId: 'one' },
      ),
      tool(4, {}, { spanId: 'two', parentSpanId: 'helper' }),
      tool(6, { 'conversation.id': 'other' }, { spanId: 'three', traceId: 'trace-2' }),
    ];
    const { events } = readText(lines(resourceSpans(...agents)));
    expect(events.flatMap((event) => (event.type === 'tool-call' ? [event.agent] : []))).toEqual([
      undefined,
      'helper-7',
      'other',
    ]);
  });

  it('reads past what is no GenAI span, and past metrics and logs', () => {
    const other = {
      traceId: 't',
      spanId: 's',
      name: 'GET /',
      startTimeUnixNano: '1',
      endTimeUnixNano: '2',
      attributes: [],
    };
    const { format, events, problems } = readText(
      lines({ resourceMetrics: [] }, resourceSpans(other, tool(0)), { resourceLogs: [] }),
    );
    expect(format).toBe('otel');
    expect(tallied(events)).toEqual({ 'tool-call': 1, 'tool-result': 1 });
    expect(problems).toEqual([]);
  });

  it('says what is wrong with a call that names no tool', () => {
    expect(readText(lines(resourceSpans(span('execute_tool', 0, 1, {})))).problems).toEqual([
      '1: a tool call without a name',
    ]);
  });
});
