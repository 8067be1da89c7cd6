import { fieldsOf, nameOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink } from '../format.ts';
import { traceLine } from '../trace.ts';

/** Our own: one event a line. */
export const deloop: Format = {
  name: 'deloop',
  title: 'deloop trace',
  recognises({ shape, records }: Sample): boolean {
    return shape === 'lines' && records.some(({ value }) => isOurs(value));
  },
  open(sink: Sink): Reader {
    return {
      read({ line, value }) {
        const item = traceLine(line, value);
        if ('event' in item) sink.event(item.event, line);
        else if ('error' in item) sink.problem(line, item.error);
        else if (item.record['type'] === 'session') {
          const { session, model, project } = item.record;
          sink.facts({ session: nameOf(session), model: nameOf(model), project: nameOf(project) });
        }
      },
      flush() {},
    };
  },
};

function isOurs(value: unknown): boolean {
  const { type, tool, output, text, usage, reasoning } = fieldsOf(value);
  if (type === 'tool-call') return typeof tool === 'string';
  if (type === 'tool-result') return output !== undefined;
  return type === 'turn' && (text !== undefined || usage !== undefined || reasoning !== undefined);
}
