import type { Status } from '../../core/types.ts';
import { countOf, fieldsOf, instantOf, jsonOf, nameOf, textOf, usageWithin } from '../fields.ts';
import type { Reader, Sink } from '../format.ts';
import { createTurns } from '../turns.ts';
import { geminiFailure } from './gemini-ending.ts';

/** Whether a line is of `gemini --output-format stream-json`. */
export function isGeminiStream(value: unknown): boolean {
  const { type, timestamp, session_id, model, tool_name, tool_id } = fieldsOf(value);
  if (typeof timestamp !== 'string') return false;
  if (type === 'init') return typeof session_id === 'string' && typeof model === 'string';
  return type === 'tool_use' && typeof tool_name === 'string' && typeof tool_id === 'string';
}

/** What packages/core/src/tools/tool-error.ts calls them. */
const STATUS_OF_ERROR = new Map<unknown, Status>([
  ['invalid_tool_params', 'invalid'],
  ['tool_not_registered', 'unknown-tool'],
  ['policy_violation', 'blocked'],
  ['stop_execution', 'blocked'],
]);

/** All that is said of a shell command which failed and printed nothing; of others, not even this. */
const EXITED = /^Command exited with code: (-?[1-9]\d*)$/;
const EXITED_LENGTH = 60;

/** Reads what Gemini CLI writes to stdout. Responses have no bounds there: one begins after the results of the last. */
export function openGeminiStream(sink: Sink): Reader {
  const turns = createTurns(sink);
  let open = false;
  /** The response is told in pieces of a text. */
  let text = '';

  function begin(at: number | undefined, line: number): void {
    if (open) return;
    pass();
    open = true;
    turns.begin(undefined, { at }, line);
  }

  /** Tells what is known; the response may go on. */
  function pass(): void {
    turns.say('text', text);
    text = '';
    turns.close();
  }

  function close(): void {
    pass();
    open = false;
  }

  return {
    read({ line, value }) {
      const record = fieldsOf(value);
      const at = instantOf(record['timestamp']);
      switch (record['type']) {
        case 'init':
          sink.facts({
            session: nameOf(record['session_id']),
            model: nameOf(record['model']),
            startedAt: at,
          });
          break;
        case 'message': {
          const content = textOf(record['content']) ?? '';
          if (record['role'] === 'assistant') {
            begin(at, line);
            text += content;
          } else if (record['role'] === 'user') {
            close();
            sink.event({ type: 'user', text: content, at }, line);
          }
          break;
        }
        case 'tool_use': {
          const tool = nameOf(record['tool_name']);
          if (tool === undefined) sink.problem(line, 'a call without a tool');
          else {
            begin(at, line);
            const id = nameOf(record['tool_id']);
            turns.add({ type: 'tool-call', id, tool, args: jsonOf(record['parameters']), at }, line);
          }
          break;
        }
        case 'tool_result': {
          const { type, message } = fieldsOf(record['error']);
          const output = textOf(record['output']) ?? textOf(message) ?? '';
          const status = statusOf(record['status'], type, output);
          turns.add(
            {
              type: 'tool-result',
              id: nameOf(record['tool_id']),
              status,
              output,
              errorType: nameOf(type),
              at,
            },
            line,
          );
          open = false;
          break;
        }
        case 'result': {
          close();
          const { input_tokens, total_tokens, output_tokens, cached } = fieldsOf(record['stats']);
          const [sent, whole] = [countOf(input_tokens), countOf(total_tokens)];
          // Thoughts are counted in the total alone.
          const received =
            sent === undefined || whole === undefined || whole < sent ? output_tokens : whole - sent;
          sink.facts({ usage: usageWithin(sent, received, cached) });
        }
      }
    },
    flush: pass,
  };
}

function statusOf(told: unknown, errorType: unknown, output: string): Status {
  if (told === 'error') return STATUS_OF_ERROR.get(errorType) ?? geminiFailure(output);
  if (told !== 'success') return 'unknown';
  return output.length < EXITED_LENGTH && EXITED.test(output) ? 'error' : 'ok';
}
