// What all sources share: how a run becomes a trace file.
import { createHash } from 'node:crypto';

const LONGEST_ARGS = 10_000;
const LONGEST_ARGUMENT = 4000;
const MARK_DIGITS = 12;

/**
 * A recorded run; its events are those of docs/trace.md.
 * @typedef {{ name: string, session: object, events: object[] }} Run
 */

/** The lines of a trace file. */
export function traceLines(source, { session, events }) {
  return [{ type: 'session', source, ...session }, ...events]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');
}

/** How many tool calls a run holds. */
export function callCount({ events }) {
  return events.filter(({ type }) => type === 'tool-call').length;
}

/** Numbers the ids that a recording gave to several calls. */
export function distinctIds(events) {
  const times = new Map();
  return events.map((event) => {
    if (event.type === 'tool-call') times.set(event.id, (times.get(event.id) ?? 0) + 1);
    const time = event.type.startsWith('tool-') ? times.get(event.id) : 1;
    return time > 1 ? { ...event, id: `${event.id}~${time}` } : event;
  });
}

/** Cuts what is long; a mark of the whole, as it was recorded, keeps two long texts apart that begin alike. */
export function cut(event, longest, recorded = event) {
  if (event.type === 'tool-call') return { ...event, args: cutArgs(event.args, recorded.args) };
  if (event.type !== 'tool-result')
    return event.text ? { ...event, text: clipped(event.text, longest) } : event;
  const kept = clipped(event.output, longest);
  if (kept === event.output) return event;
  const output = `${kept}\n[cut ${mark(recorded.output)}]`;
  return { ...event, output, outputLength: Array.from(recorded.output).length };
}

function cutArgs(args, recorded) {
  if (JSON.stringify(args).length <= LONGEST_ARGS) return args;
  const kept = clippedDeep(args);
  const hash = mark(JSON.stringify(recorded));
  return typeof kept === 'string' ? `${kept}\n[cut ${hash}]` : { ...kept, __cut: hash };
}

function clippedDeep(value) {
  if (typeof value === 'string') return clipped(value, LONGEST_ARGUMENT);
  if (Array.isArray(value)) return value.map(clippedDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clippedDeep(item)]));
}

/** The first `longest` characters, never half of one. */
function clipped(text, longest) {
  return text.length <= longest ? text : Array.from(text).slice(0, longest).join('');
}

function mark(text) {
  return createHash('sha1').update(text).digest('hex').slice(0, MARK_DIGITS);
}
