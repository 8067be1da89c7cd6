import { fieldsOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { openGeminiSession } from './gemini-cli-session.ts';
import { isGeminiStream, openGeminiStream } from './gemini-cli-stream.ts';

/** One message a line, with later lines in place of earlier ones; older: one document; or what it writes to stdout. */
export const geminiCli: Format = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  recognises({ shape, records }: Sample): boolean {
    if (shape === 'document') {
      const keys = new Set(records.map(({ key }) => key));
      return keys.has('sessionId') && keys.has('projectHash');
    }
    return records.some(({ value }) => isHeader(value) || isGeminiStream(value));
  },
  open(sink: Sink): Reader {
    let reader: Reader | null = null;
    return {
      read(record) {
        reader ??= isGeminiStream(record.value) ? openGeminiStream(sink) : openGeminiSession(sink);
        reader.read(record);
      },
      flush() {
        reader?.flush();
      },
    };
  },
};

function isHeader(value: unknown): boolean {
  const { sessionId, projectHash } = fieldsOf(value);
  return typeof sessionId === 'string' && typeof projectHash === 'string';
}
