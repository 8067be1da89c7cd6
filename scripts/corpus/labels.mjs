// A file to write labels into: some runs of each source, all `unsure`, which `deloop eval` leaves out.
import { createHash } from 'node:crypto';

/** As many names as asked for; the same ones each time, and no matter in which order they come. */
export function sampled(names, count) {
  const order = new Map(names.map((name) => [name, createHash('sha1').update(name).digest('hex')]));
  return [...order.keys()].sort((a, b) => (order.get(a) < order.get(b) ? -1 : 1)).slice(0, count);
}

/** The line of a run that nobody has judged yet. */
export function blankLabel(source, trace) {
  const label = {
    trace,
    source,
    verdict: 'unsure',
    severity: null,
    kind: '',
    onset: null,
    end: null,
    why: '',
  };
  return `${JSON.stringify(label)}\n`;
}
