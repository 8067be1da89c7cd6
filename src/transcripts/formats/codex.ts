import { fieldsOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { isCodexRollout, openCodexRollout } from './codex-rollout.ts';
import { isCodexStream, openCodexStream } from './codex-stream.ts';

const STREAMED = /^(?:thread|turn|item)\./;

/** Rollouts in `~/.codex/sessions`, from the first ones on, and what `codex exec --json` prints. */
export const codex: Format = {
  name: 'codex',
  title: 'Codex CLI',
  recognises({ shape, records }: Sample): boolean {
    if (shape !== 'lines') return false;
    return records.some(({ value }) => isCodexRollout(fieldsOf(value)) || isCodexStream(fieldsOf(value)));
  },
  open(sink: Sink): Reader {
    const [rollout, stream] = [openCodexRollout(sink), openCodexStream(sink)];
    return {
      read(record) {
        const { type } = fieldsOf(record.value);
        const reader = typeof type === 'string' && STREAMED.test(type) ? stream : rollout;
        reader.read(record);
      },
      flush() {
        rollout.flush();
        stream.flush();
      },
    };
  },
};
