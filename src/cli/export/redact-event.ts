import { toolKinds } from '../../core/tool-kinds.ts';
import type { AgentEvent, Json, ToolCallEvent, ToolKind, ToolResultEvent } from '../../core/types.ts';
import type { Redaction } from '../scan/redaction.ts';
import { createCallReader } from './call-reading.ts';
import type { Digests } from './digests.ts';
import { hideArguments, shortenArguments } from './redact-arguments.ts';
import { hideOutput } from './redact-output.ts';
import { hideWhole, hideWords } from './redact-text.ts';

/** An event as it may leave this machine. */
export type RedactEvent = (event: AgentEvent) => object;

/** Ids of hosts and of models; whatever else stands there may be a text. */
const ID = /^[\w.:/@+=-]{1,160}$/;
const TOOL = /^[\w.:/-]{1,100}$/;
/** Calls whose results are still to come. */
const MAX_OPEN = 1024;

export function createRedaction(redaction: Redaction, digests: Digests): RedactEvent {
  if (redaction === 'none') return (event) => event;
  const { letters } = digests;
  const redactArguments = redaction === 'all' ? hideArguments(digests) : shortenArguments(digests);
  const hide = hideOutput(digests);
  const hideText = redaction === 'all' ? hideWhole(digests) : hideWords(digests);
  const readCall = createCallReader();
  const kindOf = toolKinds();
  const open = new Map<string, { readonly kind: ToolKind; readonly tool: string }>();

  function idOf(id: string | undefined): string | undefined {
    return id === undefined || ID.test(id) ? id : letters(id, 16);
  }

  /** Models may call anything by any name; what it sounds like stays. */
  function toolOf(tool: string): string {
    if (TOOL.test(tool)) return tool;
    const kind = kindOf(tool);
    return kind === 'other' ? letters(tool, 12) : `${kind}_${letters(tool, 12)}`;
  }

  function textOf(text: string | undefined): string | undefined {
    return text === undefined ? undefined : hideText(text);
  }

  function call({ type, at, agent, id, tool, args }: ToolCallEvent): object {
    const { kind } = readCall(tool, args);
    open.set(id ?? '', { kind, tool });
    const [oldest] = open.keys();
    if (open.size > MAX_OPEN && oldest !== undefined) open.delete(oldest);
    return {
      type,
      at,
      agent: idOf(agent),
      id: idOf(id),
      tool: toolOf(tool),
      args: redactArguments(tool, args),
    };
  }

  function result(event: ToolResultEvent): object {
    const { type, at, agent, id, tool, args, call, status, output, errorType } = event;
    const own = open.get(id ?? '') ?? { kind: 'read', tool: tool ?? '' };
    if (id !== undefined) open.delete(id);
    const known = tool ?? own.tool;
    return {
      type,
      at,
      agent: idOf(agent),
      id: idOf(id),
      tool: tool === undefined ? undefined : toolOf(tool),
      args: args === undefined ? undefined : redactArguments(known, args),
      call,
      status,
      output: hide(output, { status, kind: own.kind, tool: known }),
      outputLength: lengthOf(event),
      errorType: idOf(errorType),
    };
  }

  return (event) => {
    const { type, at } = event;
    const agent = idOf(event.agent);
    switch (event.type) {
      case 'tool-call':
        return call(event);
      case 'tool-result':
        return result(event);
      case 'turn': {
        const { text, reasoning, usage } = event;
        return { type, at, agent, text: textOf(text), reasoning: textOf(reasoning), usage };
      }
      case 'user':
        return { type, at, agent, by: event.by, text: textOf(event.text) };
      case 'text-delta':
        return { type, at, agent, channel: event.channel, text: textOf(event.text) };
      case 'state-change':
        return { type, at, agent, resource: event.resource && letters(event.resource, 12) };
      case 'control':
        return { type, at, agent, do: event.do, n: event.n, scope: idOf(event.scope) };
      case 'swarm-tally': {
        // Who it was and what was said is told in letters; what was counted stays.
        const { key, tool, first, names, said: _, halted, ...counted } = event;
        return {
          ...counted,
          agent,
          key: letters(key, 16),
          tool: tool && toolOf(tool),
          first: idOf(first),
          names: names?.map((name) => idOf(name) ?? ''),
          halted: halted && { why: '', by: '' },
        };
      }
      case 'verdict':
        return { type, at, agent, stuck: event.stuck };
      case 'spawn':
      case 'handoff':
        return { type, at, agent, to: idOf(event.to), depth: event.depth };
      default:
        return { type, at, agent };
    }
  };
}

/** The true length: what was cut before is not cut again. */
function lengthOf({ output, ...event }: ToolResultEvent): number {
  const { outputLength } = event as { readonly outputLength?: Json };
  if (typeof outputLength === 'number') return outputLength;
  return (typeof output === 'string' ? output : JSON.stringify(output)).length;
}
