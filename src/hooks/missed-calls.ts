import type { AgentEvent } from '../core/types.ts';
import type { Format } from '../transcripts/format.ts';
import { claudeCode } from '../transcripts/formats/claude-code.ts';
import { codex } from '../transcripts/formats/codex.ts';
import { copilotCli } from '../transcripts/formats/copilot-cli.ts';
import { geminiCli } from '../transcripts/formats/gemini-cli.ts';
import { qwenCode } from '../transcripts/formats/qwen-code.ts';
import type { News } from './take-signal.ts';

const FORMATS: readonly Format[] = [claudeCode, codex, copilotCli, geminiCli, qwenCode];

/** The calls of a piece of a transcript, whole lines of it, that have ended there. */
export function missedCalls(name: string, text: string): News['endings'] {
  const format = FORMATS.find((candidate) => candidate.name === name);
  const events: AgentEvent[] = [];
  const reader = format?.open({ event: (event) => events.push(event), facts() {}, problem() {} });
  for (const [index, line] of text.split('\n').entries()) {
    const value = parsed(line);
    if (value !== undefined) reader?.read({ line: index + 1, key: '', value });
  }
  reader?.flush();
  return endingsIn(events);
}

function endingsIn(events: readonly AgentEvent[]): News['endings'] {
  const calls = new Map<string, Extract<AgentEvent, { readonly type: 'tool-call' }> & { opens: boolean }>();
  const endings: News['endings'][number][] = [];
  let opens = true;
  for (const event of events) {
    if (event.type === 'turn') opens = true;
    else if (event.type === 'tool-call' && event.id !== undefined && event.agent === undefined) {
      calls.set(event.id, { ...event, opens });
      opens = false;
    } else if (event.type === 'tool-result' && event.id !== undefined && event.agent === undefined) {
      const { id, status, output } = event;
      const call = calls.get(id);
      const [tool, args] = [call?.tool ?? event.tool ?? '', call?.args ?? null];
      endings.push({ id, tool, args, status, output, opens: call?.opens ?? true });
    }
  }
  return endings;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
