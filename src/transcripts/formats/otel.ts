import type { AgentEvent, Json, Usage } from '../../core/types.ts';
import { argumentsOf, countOf, fieldsOf, jsonOf, listOf, nameOf, usageWithin } from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { outputOf, unseen } from '../output.ts';
import { isFromModel, messagesOf, type SpanMessage, textIn } from './otel-messages.ts';
import { genAiSpans, type Span } from './otel-spans.ts';

const RESPONSES: readonly string[] = ['chat', 'text_completion', 'generate_content'];
/** Calls whose results, and agents whose messages, may still come. */
const REMEMBERED = 1024;

type Call = { readonly tool: string; readonly agent: string | undefined };
type Timed = { readonly at: number; readonly events: () => readonly AgentEvent[] };

/**
 * OTLP JSON of spans after OpenTelemetry's conventions for GenAI. What the agents said and what tools were given
 * is opt-in there: where it was left out, calls are told apart by their spans, so that none is taken for another.
 */
export const otel: Format = {
  name: 'otel',
  title: 'OpenTelemetry GenAI spans',
  recognises({ records }: Sample): boolean {
    return records.some(({ key, value }) => {
      if (key === '') return listOf(fieldsOf(value)['resourceSpans']).length > 0;
      return key === 'resourceSpans' && Array.isArray(fieldsOf(value)['scopeSpans']);
    });
  },
  open(sink: Sink): Reader {
    /** The conversation that counts as the main one: the first. */
    let main: string | null = null;
    /** Calls that a response told and no span has ended yet. */
    const open = new Map<string, Call>();
    /** How many messages each agent had been sent so far. */
    const seen = new Map<string, number>();

    function agentOf({ conversation, agent }: Span): string | undefined {
      main ??= conversation;
      if (conversation === main) return agent;
      return agent === undefined ? conversation : `${conversation}/${agent}`;
    }

    function response(span: Span): readonly AgentEvent[] {
      const { attributes, start: at } = span;
      const agent = agentOf(span);
      sink.facts({
        session: main ?? undefined,
        model:
          nameOf(attributes.get('gen_ai.response.model')) ?? nameOf(attributes.get('gen_ai.request.model')),
      });
      const events: AgentEvent[] = [];
      const sent = messagesOf(attributes.get('gen_ai.input.messages'));
      // The same number of messages as before is the same request again.
      const again = sent.length === seen.get(agent ?? '');
      const fresh = sent.slice(sent.findLastIndex(isFromModel) + 1);
      for (const message of again ? [] : fresh) hear(message, events, { at, agent });
      if (sent.length > 0) keep(seen, agent ?? '', sent.length);
      const parts = messagesOf(attributes.get('gen_ai.output.messages')).flatMap(({ parts: said }) => said);
      events.push({
        type: 'turn',
        at,
        agent,
        text: textIn(parts, 'text'),
        reasoning: textIn(parts, 'reasoning'),
        usage: usageOfSpan(attributes),
      });
      for (const part of parts) {
        const { type, id, name, arguments: args } = fieldsOf(part);
        const tool = nameOf(name);
        if (type !== 'tool_call' || tool === undefined) continue;
        events.push({ type: 'tool-call', id: nameOf(id), tool, args: argumentsOf(args), at, agent });
        if (nameOf(id) !== undefined) keep(open, String(id), { tool, agent });
      }
      return events;
    }

    /** What was said to the model since its last response. */
    function hear(
      { role, parts }: SpanMessage,
      events: AgentEvent[],
      base: Pick<AgentEvent, 'at' | 'agent'>,
    ): void {
      for (const part of parts) {
        const { type, id, response: given, result } = fieldsOf(part);
        if (type !== 'tool_call_response' || typeof id !== 'string') continue;
        const call = open.get(id);
        // A result that a span told already, with its status.
        if (call === undefined) continue;
        open.delete(id);
        events.push({
          type: 'tool-result',
          id,
          tool: call.tool,
          status: 'unknown',
          output: outputOf(given ?? result),
          ...base,
        });
      }
      const text = textIn(parts, 'text');
      if (text !== undefined && role !== 'tool') {
        events.push({ type: 'user', by: role === 'user' ? undefined : 'host', text, ...base });
      }
    }

    function toolCall(span: Span, tool: string): readonly AgentEvent[] {
      const id = nameOf(span.attributes.get('gen_ai.tool.call.id'));
      if (id !== undefined && open.has(id)) return [];
      const given = span.attributes.get('gen_ai.tool.call.arguments');
      const args = given === undefined ? unseen(span.id) : argumentsOf(given);
      return [
        { type: 'tool-call', id: id ?? nameOf(span.id), tool, args, at: span.start, agent: agentOf(span) },
      ];
    }

    function toolResult(span: Span, tool: string): readonly AgentEvent[] {
      const { attributes, status, id: spanId, end: at } = span;
      const id = nameOf(attributes.get('gen_ai.tool.call.id'));
      const call = id === undefined ? undefined : open.get(id);
      if (id !== undefined) open.delete(id);
      const errorType = nameOf(attributes.get('error.type'));
      const failed =
        errorType !== undefined || status['code'] === 2 || status['code'] === 'STATUS_CODE_ERROR';
      const given = attributes.get('gen_ai.tool.call.result');
      const output = given !== undefined ? outputOf(given) : failed ? reasonOf(span) : unseen(spanId);
      return [
        {
          type: 'tool-result',
          id: id ?? nameOf(spanId),
          tool,
          status: failed ? 'error' : 'ok',
          output,
          errorType,
          at,
          agent: call === undefined ? agentOf(span) : call.agent,
        },
      ];
    }

    function tell(resourceSpans: unknown, line: number): void {
      const timed: Timed[] = [];
      for (const span of genAiSpans(resourceSpans)) {
        const start = span.start ?? 0;
        const tool = nameOf(span.attributes.get('gen_ai.tool.name'));
        if (RESPONSES.includes(span.operation)) timed.push({ at: start, events: () => response(span) });
        else if (span.operation === 'execute_tool' && tool === undefined) {
          sink.problem(line, 'a tool call without a name');
        } else if (span.operation === 'execute_tool' && tool !== undefined) {
          timed.push({ at: start, events: () => toolCall(span, tool) });
          timed.push({ at: span.end ?? start, events: () => toolResult(span, tool) });
        }
      }
      timed.sort((one, other) => one.at - other.at);
      for (const { events } of timed) for (const event of events()) sink.event(event, line);
    }

    return {
      read({ line, key, value }) {
        if (key === 'resourceSpans') tell(value, line);
        else if (key === '') for (const part of listOf(fieldsOf(value)['resourceSpans'])) tell(part, line);
      },
      flush() {},
    };
  },
};

/** Cached tokens are counted as a part of the input; the older names have an underscore for a dot. */
function usageOfSpan(attributes: ReadonlyMap<string, unknown>): Usage | undefined {
  const count = (...names: readonly string[]) => {
    for (const name of names) {
      const value = countOf(attributes.get(`gen_ai.usage.${name}`));
      if (value !== undefined) return value;
    }
    return undefined;
  };
  return usageWithin(
    count('input_tokens', 'prompt_tokens'),
    count('output_tokens', 'completion_tokens'),
    count('cache_read.input_tokens', 'cache_read_input_tokens'),
  );
}

/** Why a call failed, where its result was not written down. */
function reasonOf({ status, events, attributes }: Span): Json {
  for (const event of events) {
    const { name, attributes: list } = fieldsOf(event);
    if (name !== 'exception') continue;
    for (const entry of listOf(list)) {
      const { key, value } = fieldsOf(entry);
      const text = fieldsOf(value)['stringValue'];
      if (key === 'exception.message' && typeof text === 'string') return text;
    }
  }
  return nameOf(status['message']) ?? jsonOf(attributes.get('error.type') ?? '');
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > REMEMBERED) map.delete(map.keys().next().value as string);
}
