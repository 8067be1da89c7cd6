import type { Usage } from '../core/types.ts';
import { argumentsOf, type Fields, fieldsOf, isFields, nameOf, numberOf } from '../transcripts/fields.ts';
import { spent as spentOfClaude } from '../transcripts/formats/claude-code.ts';
import { usageIn as usageOfCodex } from '../transcripts/formats/codex-items.ts';
import { usageOfCopilot } from '../transcripts/formats/copilot-cli.ts';
import { usageOfTokens } from '../transcripts/formats/gemini-cli-session.ts';
import { usageOfMetadata } from '../transcripts/formats/qwen-code-session.ts';
import type { Spent } from './host.ts';

type Told = { readonly id: unknown; readonly usage: Usage | undefined };
type Counting = {
  /** Without it a line counts nothing, and nobody need parse it. */
  readonly marker: string;
  /** What a record counts; null = nothing of the main agent's. */
  read(record: Fields): Told | null;
};

const COUNTING: { readonly [format: string]: Counting } = {
  'claude-code': {
    marker: '"usage"',
    read({ type, message, isSidechain, isApiErrorMessage, forkedFrom }) {
      const { id, model, usage } = fieldsOf(message);
      const other = isSidechain === true || isApiErrorMessage === true || isFields(forkedFrom);
      if (type !== 'assistant' || other || model === '<synthetic>') return null;
      return { id, usage: spentOfClaude(usage) };
    },
  },
  codex: {
    marker: 'token_usage',
    read({ type, payload }) {
      const told = fieldsOf(payload);
      // Newer versions count each response in a record of its own and repeat it in an event; both say what it comes to in all.
      if (type === 'token_usage_record')
        return {
          id: totalOf(told['thread_token_usage']) ?? told['response_id'],
          usage: usageOfCodex(told['usage']),
        };
      if (type !== 'event_msg' || told['type'] !== 'token_count') return null;
      const { total_token_usage, last_token_usage } = fieldsOf(told['info']);
      return { id: totalOf(total_token_usage), usage: usageOfCodex(last_token_usage) };
    },
  },
  'gemini-cli': {
    marker: '"tokens"',
    read: ({ type, id, tokens }) =>
      type === 'gemini' ? { id, usage: usageOfTokens(fieldsOf(tokens)) } : null,
  },
  'qwen-code': {
    marker: '"usageMetadata"',
    read({ type, uuid, usageMetadata, isSidechain, forkedFrom }) {
      if (type !== 'assistant' || isSidechain === true || isFields(forkedFrom)) return null;
      return { id: uuid, usage: usageOfMetadata(fieldsOf(usageMetadata)) };
    },
  },
  'copilot-cli': {
    marker: '"inputTokens"',
    read({ type, data, agentId, id }) {
      const given = fieldsOf(data);
      if (agentId !== undefined || given['parentToolCallId'] !== undefined) return null;
      if (type !== 'assistant.usage' && type !== 'session.usage_record') return null;
      const counted = fieldsOf(type === 'assistant.usage' ? given : given['usage']);
      return { id: counted['apiCallId'] ?? id, usage: usageOfCopilot(counted) };
    },
  },
};

/** The tokens of a piece of a transcript, whole lines of it: those of the main agent. */
export function spentTokens(format: string, text: string): readonly Spent[] {
  const counting = COUNTING[format];
  if (counting === undefined) return [];
  const { marker, read } = counting;
  return text.split('\n').flatMap((line) => {
    const told = line.includes(marker) ? read(fieldsOf(argumentsOf(line))) : null;
    const id = nameOf(told?.id);
    return id === undefined || told?.usage === undefined ? [] : [{ id, usage: told.usage }];
  });
}

/** What a session has come to tells its responses apart, too. */
function totalOf(value: unknown): string | undefined {
  const { input_tokens, output_tokens } = fieldsOf(value);
  const [input, output] = [numberOf(input_tokens), numberOf(output_tokens)];
  return input === undefined || output === undefined ? undefined : `${input} ${output}`;
}
