import type { Json, Status, Usage } from '../../core/types.ts';
import {
  argumentsOf,
  countOf,
  type Fields,
  fieldsOf,
  instantOf,
  isFields,
  jsonOf,
  listOf,
  nameOf,
  numberOf,
  textOf,
  usageWithin,
} from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { createTurns } from '../turns.ts';

/** OpenHands before its SDK: a list of actions and observations, or a folder `events` with one a file. */
export const openhandsV0: Format = {
  name: 'openhands-v0',
  title: 'OpenHands (before its SDK)',
  recognises({ records }: Sample): boolean {
    return records.some(({ value }) => isEvent(value));
  },
  open(sink: Sink): Reader {
    const turns = createTurns(sink);
    /** Calls by the number of their action, for observations that tell no id. */
    const open = new Map<number, { readonly id: string | undefined; readonly tool: string }>();
    /** Agents that were called by other agents and have not come back. */
    const delegates: string[] = [];
    let counted: Tokens = { input: 0, output: 0, cached: 0 };
    /** The response whose words were passed on; each of its calls repeats them. */
    let said: string | undefined;

    function begin(event: Fields, at: number | undefined, line: number): void {
      const { id, model, usage } = responseOf(event);
      const response = nameOf(id);
      turns.begin(response, { at, agent: delegates.at(-1), model: nameOf(model) }, line);
      const total = tokensIn(fieldsOf(event['llm_metrics'])['accumulated_token_usage']);
      if (total === null) turns.spend(usageOfResponse(usage));
      else {
        const { input, output, cached } = difference(total, counted);
        counted = total;
        // The other calls of a response tell the same total.
        if (input + output > 0) turns.spend(usageWithin(input, output, cached));
      }
      if (response !== undefined && response === said) return;
      said = response;
      const { content, reasoning_content } = messageOf(event);
      const { thought, content: message } = fieldsOf(event['args']);
      turns.say('text', nameOf(content) ?? textOf(event['action'] === 'message' ? message : thought) ?? '');
      turns.say('reasoning', textOf(reasoning_content) ?? '');
    }

    function readAction(event: Fields, line: number): void {
      const { id: number, action, source, timestamp, args, tool_call_metadata } = event;
      const at = instantOf(timestamp);
      const text = textOf(fieldsOf(args)['content']) ?? '';
      if (action === 'condensation') turns.pass({ type: 'compaction', at }, line);
      else if (source === 'user') {
        if (action === 'message') turns.pass({ type: 'user', text, at }, line);
      } else if (source !== 'agent' || NO_CALLS.has(textOf(action) ?? '')) return;
      else {
        begin(event, at, line);
        if (action === 'message') return;
        const { function_name, tool_call_id } = fieldsOf(tool_call_metadata);
        const id = nameOf(tool_call_id) ?? (typeof number === 'number' ? `${number}` : undefined);
        const tool = nameOf(function_name) ?? nameOf(action) ?? 'action';
        const agent = delegates.at(-1);
        turns.add({ type: 'tool-call', id, tool, args: argumentsIn(event, id), at, agent }, line);
        if (typeof number === 'number') remember(number, { id, tool });
        if (action !== 'delegate') return;
        delegates.push(nameOf(fieldsOf(args)['agent']) ?? 'delegate');
        if (delegates.length > MAX_DELEGATES) delegates.shift();
      }
    }

    function remember(
      number: number,
      call: { readonly id: string | undefined; readonly tool: string },
    ): void {
      open.set(number, call);
      if (open.size > MAX_OPEN) open.delete(open.keys().next().value as number);
    }

    function readObservation(event: Fields, line: number): void {
      const { observation, cause, timestamp, content, tool_call_metadata } = event;
      if (NO_RESULTS.has(textOf(observation) ?? '')) return;
      const at = instantOf(timestamp);
      const output = textOf(content) ?? '';
      const { tool_call_id, function_name } = fieldsOf(tool_call_metadata);
      const call = typeof cause === 'number' ? open.get(cause) : undefined;
      const id = call?.id ?? nameOf(tool_call_id);
      if (typeof cause === 'number') open.delete(cause);
      if (observation === 'delegate') delegates.pop();
      const agent = delegates.at(-1);
      if (id === undefined) {
        // Not the end of a call: what the controller tells the model.
        if (observation === 'error') turns.pass({ type: 'user', text: output, by: 'host', at, agent }, line);
        return;
      }
      const tool = call?.tool ?? nameOf(function_name);
      turns.add({ type: 'tool-result', id, tool, status: statusOf(event, output), output, at, agent }, line);
    }

    return {
      read({ line, value }) {
        const event = fieldsOf(value);
        if (typeof event['action'] === 'string') readAction(event, line);
        else if (typeof event['observation'] === 'string') readObservation(event, line);
      },
      flush: turns.close,
    };
  },
};

type Tokens = { readonly input: number; readonly output: number; readonly cached: number };

const MAX_OPEN = 1024;
const MAX_DELEGATES = 64;
/** Actions of the agent's that its model did not ask for. */
const NO_CALLS: ReadonlySet<string> = new Set([
  'change_agent_state',
  'condensation_request',
  'loop_recovery',
  'null',
  'pause',
  'recall',
  'resume',
  'start',
  'stop',
  'system',
]);
const NO_RESULTS: ReadonlySet<string> = new Set([
  'agent_state_changed',
  'condense',
  'loop_detection',
  'null',
  'recall',
]);
const SOURCES: ReadonlySet<string> = new Set(['agent', 'environment', 'user']);

function isEvent(value: unknown): boolean {
  const { source, action, args, observation, content, extras } = fieldsOf(value);
  if (!SOURCES.has(textOf(source) ?? '')) return false;
  if (typeof action === 'string') return isFields(args);
  return typeof observation === 'string' && typeof content === 'string' && isFields(extras);
}

/** What the model answered, which every call of it carries. */
function responseOf({ tool_call_metadata }: Fields): Fields {
  return fieldsOf(fieldsOf(tool_call_metadata)['model_response']);
}

function messageOf(event: Fields): Fields {
  return fieldsOf(fieldsOf(listOf(responseOf(event)['choices'])[0])['message']);
}

/** The arguments as the model sent them; the action has what the host made of them, and the thought among them. */
function argumentsIn(event: Fields, id: string | undefined): Json {
  for (const call of listOf(messageOf(event)['tool_calls'])) {
    const { id: sent, function: called } = fieldsOf(call);
    if (sent === id) return argumentsOf(fieldsOf(called)['arguments']);
  }
  const { thought: _, ...args } = fieldsOf(event['args']);
  return jsonOf(args);
}

/** Null = nothing is counted. */
function tokensIn(value: unknown): Tokens | null {
  const { prompt_tokens, completion_tokens, cache_read_tokens } = fieldsOf(value);
  const [input, output] = [countOf(prompt_tokens), countOf(completion_tokens)];
  if (input === undefined || output === undefined) return null;
  return { input, output, cached: countOf(cache_read_tokens) ?? 0 };
}

/** The count runs on; where it falls, it began anew. */
function difference(total: Tokens, before: Tokens): Tokens {
  const { input, output, cached } = total;
  if (input < before.input || output < before.output || cached < before.cached) return total;
  return { input: input - before.input, output: output - before.output, cached: cached - before.cached };
}

function usageOfResponse(value: unknown): Usage | undefined {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = fieldsOf(value);
  return usageWithin(
    prompt_tokens,
    completion_tokens,
    fieldsOf(prompt_tokens_details)['cached_tokens'] ?? undefined,
  );
}

function statusOf({ observation, extras, success }: Fields, output: string): Status {
  const { metadata, exit_code, error } = fieldsOf(extras);
  if (observation === 'error' || error === true) return 'error';
  if (observation === 'user_rejected') return 'denied';
  if (observation === 'run_ipython') return 'unknown';
  if (observation === 'mcp') return /"isError": ?true/.test(output.slice(-300)) ? 'error' : 'ok';
  if (observation !== 'run') return 'ok';
  const exit = numberOf(fieldsOf(metadata)['exit_code']) ?? numberOf(exit_code);
  if (exit === undefined) return typeof success === 'boolean' ? (success ? 'ok' : 'error') : 'unknown';
  // -1 = the command still runs.
  return exit === 0 ? 'ok' : exit === -1 ? 'unknown' : 'error';
}
