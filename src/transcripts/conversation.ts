import type { Usage } from '../core/types.ts';
import { type Fields, instantOf, nameOf } from './fields.ts';
import type { Sink } from './format.ts';
import { createTurns, type Turns } from './turns.ts';
import { usageIn } from './usage.ts';

/** The responses of a list of messages, and what a document says beside that list. */
export type Conversation = Turns & {
  /** A member of the document, or of a request, that is no message. */
  beside(name: string, value: unknown): void;
  /** The transcript pauses or is over. */
  flush(): void;
};

const SESSION_NAMES: readonly string[] = [
  'id',
  'session_id',
  'sessionId',
  'conversation_id',
  'conversationId',
  'thread_id',
  'threadId',
  'chat_id',
  'chatId',
];
const START_NAMES: readonly string[] = ['created', 'created_at', 'createdAt', 'started_at', 'startedAt'];
const MODEL_NAMES: readonly string[] = ['model', 'model_id', 'modelId', 'model_name', 'modelName'];

export function createConversation(sink: Sink): Conversation {
  const turns = createTurns(sink);
  let counted = false;
  let total: Usage | undefined;
  return {
    ...turns,
    spend(usage) {
      counted ||= usage !== undefined;
      turns.spend(usage);
    },
    beside(name, value) {
      if (name === 'usage' || name === 'totalUsage') total = usageIn(value) ?? total;
      else if (MODEL_NAMES.includes(name)) sink.facts({ model: nameOf(value) });
      else if (SESSION_NAMES.includes(name)) sink.facts({ session: nameOf(value) });
      else if (START_NAMES.includes(name)) sink.facts({ startedAt: instantOf(value) });
    },
    flush() {
      turns.close();
      if (!counted && total !== undefined) sink.facts({ usage: total });
    },
  };
}

/** When a message was written, under any of the names that programs give it. */
export function timeOf({ timestamp, created_at, createdAt, created, time, ts }: Fields): number | undefined {
  return instantOf(timestamp ?? created_at ?? createdAt ?? created ?? time ?? ts);
}
