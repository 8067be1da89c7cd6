import { countOf, type Fields, fieldsOf, isFields, nameOf, usageOf } from '../fields.ts';
import type { Format, Reader, Sample, Sink, TranscriptRecord } from '../format.ts';
import { openPiSession } from './pi-session.ts';

/**
 * Pi's entries with OpenClaw's marks: files of older versions, rows of the table `transcript_events` since, as they
 * are or as their events; or the document of `openclaw agent --json`, which tells of nothing but the whole run.
 */
export const openclaw: Format = {
  name: 'openclaw',
  title: 'OpenClaw',
  recognises({ records }: Sample): boolean {
    return records.some((record) => isMarked(eventOf(record.value)) || agentMetaOf(record) !== undefined);
  },
  open(sink: Sink): Reader {
    const session = openPiSession(sink);
    return {
      read(record) {
        const meta = agentMetaOf(record);
        if (meta !== undefined) readRun(meta, record, sink);
        else if (record.key === '') {
          const value = eventOf(record.value);
          if (value === undefined) sink.problem(record.line, 'an event that cannot be read');
          else session.read({ line: record.line, key: '', value });
        }
      },
      flush: session.flush,
    };
  },
};

/** The event of a row; anything else is the event itself. Undefined = it is still compressed, or not JSON. */
function eventOf(value: unknown): unknown {
  const { event_json, event_zstd } = fieldsOf(value);
  if (typeof event_json !== 'string') return event_zstd == null ? value : undefined;
  try {
    return JSON.parse(event_json);
  } catch {
    return undefined;
  }
}

function isMarked(event: unknown): boolean {
  const { type, customType, message } = fieldsOf(event);
  if (type === 'message') return isFields(fieldsOf(message)['__openclaw']);
  if (type !== 'custom' || typeof customType !== 'string') return false;
  return customType === 'model-snapshot' || customType.startsWith('openclaw');
}

/** What the document says of the run, whether it comes whole or member by member. */
function agentMetaOf({ key, value }: TranscriptRecord): Fields | undefined {
  const meta = key === '' ? fieldsOf(value)['meta'] : key === 'meta' ? value : undefined;
  const { agentMeta } = fieldsOf(meta);
  return isFields(agentMeta) ? agentMeta : undefined;
}

function readRun({ sessionId, model, usage }: Fields, { key, value }: TranscriptRecord, sink: Sink): void {
  const meta = fieldsOf(key === '' ? fieldsOf(value)['meta'] : value);
  const { input, output, cacheRead, cacheWrite } = fieldsOf(usage);
  const sent = countOf(input);
  sink.facts({
    session: nameOf(sessionId),
    model: nameOf(model),
    project: nameOf(fieldsOf(meta['systemPromptReport'])['workspaceDir']),
    usage: usageOf(sent === undefined ? undefined : sent + (countOf(cacheWrite) ?? 0), output, cacheRead),
  });
}
