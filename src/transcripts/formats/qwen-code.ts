import { fieldsOf, isFields } from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { openQwenSession } from './qwen-code-session.ts';
import { isQwenStream, openQwenStream } from './qwen-code-stream.ts';

/** One record a line, those of a sub-agent in a file of their own; the note beside that file; or what it writes to stdout. */
export const qwenCode: Format = {
  name: 'qwen-code',
  title: 'Qwen Code',
  recognises({ shape, records }: Sample): boolean {
    if (shape === 'document') {
      const keys = new Set(records.map(({ key }) => key));
      return keys.has('agentId') && keys.has('agentType') && keys.has('parentSessionId');
    }
    return records.some(({ value }) => isRecord(value) || isQwenStream(value));
  },
  open(sink: Sink): Reader {
    let reader: Reader | null = null;
    return {
      read(record) {
        reader ??= isQwenStream(record.value) ? openQwenStream(sink) : openQwenSession(sink);
        reader.read(record);
      },
      flush() {
        reader?.flush();
      },
    };
  },
};

/** Claude Code's records have the same frame, but neither parts nor a payload. */
function isRecord(value: unknown): boolean {
  const { uuid, sessionId, type, subtype, message, systemPayload } = fieldsOf(value);
  if (typeof uuid !== 'string' || typeof sessionId !== 'string') return false;
  if (type === 'system') return typeof subtype === 'string' && isFields(systemPayload);
  return Array.isArray(fieldsOf(message)['parts']);
}
