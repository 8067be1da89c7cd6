import { type Fields, fieldsOf, isFields } from '../fields.ts';

/** Whether a record is one of Claude Code's: of a session on disk, or of the stream that it prints. */
export function isClaudeCode(value: unknown): boolean {
  const record = fieldsOf(value);
  return isOfSession(record) || isOfStream(record);
}

function isOfSession(record: Fields): boolean {
  const { type, isSidechain, sessionId, userType, message, leafUuid, snapshot, operation } = record;
  if (type === 'summary') return typeof leafUuid === 'string';
  if (type === 'file-history-snapshot') return isFields(snapshot);
  if (typeof sessionId !== 'string') return false;
  if (type === 'queue-operation') return typeof operation === 'string';
  if (typeof isSidechain !== 'boolean') return false;
  const { content } = fieldsOf(message);
  if (type === 'user' || type === 'assistant') return typeof content === 'string' || Array.isArray(content);
  return typeof userType === 'string';
}

/** Others print a stream of this shape too; only this one has its permission mode and its tools side by side. */
function isOfStream({ type, subtype, session_id, permissionMode, tools, message }: Fields): boolean {
  if (typeof session_id !== 'string') return false;
  if (type === 'system' && subtype === 'init') {
    return typeof permissionMode === 'string' && Array.isArray(tools);
  }
  const { model, content } = fieldsOf(message);
  return (
    type === 'assistant' && Array.isArray(content) && typeof model === 'string' && model.startsWith('claude')
  );
}
