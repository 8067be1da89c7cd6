import { toolOutput } from '../adapters/claude-agent-sdk/tool-output.ts';
import type { Json } from '../core/types.ts';
import { type Fields, instantOf, jsonOf, nameOf } from '../transcripts/fields.ts';

/** What the payloads of Claude Code say of every event, and those of the hosts that follow its words. */
export function commonOf(payload: Fields): {
  readonly event: string;
  readonly session: string;
  readonly agent: string | undefined;
  readonly at: number | undefined;
  readonly cwd: string | undefined;
  readonly transcript: string | undefined;
} | null {
  const { hook_event_name, session_id, agent_id, timestamp, cwd, transcript_path } = payload;
  const [event, session] = [nameOf(hook_event_name), nameOf(session_id)];
  if (event === undefined || session === undefined) return null;
  return {
    event,
    session,
    agent: nameOf(agent_id),
    at: instantOf(timestamp),
    cwd: nameOf(cwd),
    transcript: nameOf(transcript_path),
  };
}

/** The call that an event is about; null = it names no tool. */
export function callOf(
  { tool_name, tool_input }: Fields,
  id: unknown,
): { readonly id: string | undefined; readonly tool: string; readonly args: Json } | null {
  const tool = nameOf(tool_name);
  return tool === undefined ? null : { id: nameOf(id), tool, args: jsonOf(tool_input) };
}

/** A result as the model sees it, as near as the payload tells; other hosts that follow Claude Code's words give it the same shapes. */
export function outputOf(response: unknown): Json {
  return jsonOf(toolOutput(response));
}

/** A text of any JSON, for what is only read as one. */
export function textIn(output: Json): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
