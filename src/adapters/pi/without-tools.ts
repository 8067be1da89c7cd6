import type { Block, Context, Message } from './shapes.ts';

/**
 * The same conversation for a model that may not call tools: calls and results are told in words, because some providers refuse
 * them where no tools are given.
 */
export function withoutTools(context: Context): Context {
  return { ...context, tools: [], messages: context.messages.map(plain) };
}

function plain(message: Message): Message {
  const { role, content } = message;
  if (role === 'system') {
    const { toolsAdded: _, toolsRemoved: __, ...rest } = message as Message & { [name: string]: unknown };
    return rest;
  }
  if (typeof content === 'string') return message;
  if (role === 'assistant')
    return {
      ...message,
      stopReason: 'stop',
      content: content.flatMap((block) => (block.type === 'thinking' ? [] : [spoken(block)])),
    };
  if (role !== 'toolResult') return message;
  const { toolName, timestamp } = message as Message & { toolName?: string; timestamp?: number };
  const said = { role: 'user', content: [textOf(`Result of ${toolName}:`), ...content], timestamp };
  return said;
}

/** A text keeps no signature: OpenAI refuses a message that it knows without the thoughts that led to it. */
function spoken(block: Block): Block {
  if (block.type === 'toolCall') return textOf(`Call of ${block.name}: ${JSON.stringify(block.arguments)}`);
  return block.type === 'text' ? textOf(block.text ?? '') : block;
}

function textOf(text: string): Block {
  return { type: 'text', text };
}
