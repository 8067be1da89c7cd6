import { type Fields, fieldsOf, listOf, nameOf } from '../fields.ts';
import { attributesOf } from './otel-attributes.ts';

/** A span of a GenAI operation. Times in milliseconds since the epoch. */
export type Span = {
  readonly operation: string;
  readonly id: string;
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly attributes: ReadonlyMap<string, unknown>;
  readonly status: Fields;
  readonly events: readonly unknown[];
  /** Whose conversation it belongs to: the conversation's own id, or the trace's. */
  readonly conversation: string;
  /** The sub-agent that did it, as far as the same record holds its parents. */
  readonly agent: string | undefined;
};

type Node = {
  readonly operation: string | undefined;
  readonly fields: Fields;
  readonly attributes: ReadonlyMap<string, unknown>;
};

/** How far up the parents of a span are looked for. */
const MAX_ANCESTORS = 64;

/** The GenAI spans of one `resourceSpans`, in the order in which they began. */
export function genAiSpans(resourceSpans: unknown): readonly Span[] {
  const nodes = new Map<string, Node>();
  const spans: Node[] = [];
  for (const scope of listOf(fieldsOf(resourceSpans)['scopeSpans'])) {
    for (const value of listOf(fieldsOf(scope)['spans'])) {
      const fields = fieldsOf(value);
      const attributes = attributesOf(fields['attributes']);
      const node = { operation: nameOf(attributes.get('gen_ai.operation.name')), fields, attributes };
      if (node.operation !== undefined) spans.push(node);
      if (typeof fields['spanId'] === 'string') nodes.set(fields['spanId'], node);
    }
  }
  return spans
    .filter((span) => !isEcho(span, nodes))
    .map((span) => spanOf(span, nodes))
    .sort((one, other) => (one.start ?? 0) - (other.start ?? 0));
}

function spanOf(node: Node, nodes: ReadonlyMap<string, Node>): Span {
  const { fields, attributes } = node;
  const { spanId, traceId, startTimeUnixNano, endTimeUnixNano, status, events } = fields;
  const named = attributes.get('gen_ai.conversation.id') ?? attributes.get('session.id');
  return {
    operation: node.operation ?? '',
    id: nameOf(spanId) ?? '',
    start: millisecondsOf(startTimeUnixNano),
    end: millisecondsOf(endTimeUnixNano),
    attributes,
    status: fieldsOf(status),
    events: listOf(events),
    conversation: nameOf(named) ?? nameOf(traceId) ?? '',
    agent: agentOf(node, nodes),
  };
}

function parentOf({ fields }: Node, nodes: ReadonlyMap<string, Node>): Node | undefined {
  return typeof fields['parentSpanId'] === 'string' ? nodes.get(fields['parentSpanId']) : undefined;
}

/** The name of the nearest agent, where another agent called that one. */
function agentOf(span: Node, nodes: ReadonlyMap<string, Node>): string | undefined {
  let agent: Node | undefined;
  let parent = parentOf(span, nodes);
  for (let steps = 0; parent !== undefined && steps < MAX_ANCESTORS; steps++) {
    if (parent.operation === 'invoke_agent') {
      if (agent !== undefined) {
        const { attributes } = agent;
        return nameOf(attributes.get('gen_ai.agent.id')) ?? nameOf(attributes.get('gen_ai.agent.name'));
      }
      agent = parent;
    }
    parent = parentOf(parent, nodes);
  }
  return undefined;
}

/** A call that its parent tells already: an MCP client under the agent's own span, or the MCP server's side of it. */
function isEcho(span: Node, nodes: ReadonlyMap<string, Node>): boolean {
  if (span.operation !== 'execute_tool') return false;
  const parent = parentOf(span, nodes);
  const tool = span.attributes.get('gen_ai.tool.name');
  return parent?.operation === 'execute_tool' && parent.attributes.get('gen_ai.tool.name') === tool;
}

/** Nanoseconds, as a text, since they are more than a number can hold. */
function millisecondsOf(nanoseconds: unknown): number | undefined {
  const value = typeof nanoseconds === 'string' || typeof nanoseconds === 'number' ? Number(nanoseconds) : 0;
  return value > 0 ? value / 1e6 : undefined;
}
