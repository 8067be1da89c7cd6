import type { Preset } from '../../core/preset.ts';
import type { Action } from '../../core/types.ts';
import { detectorKinds } from '../../presets/registry.ts';
import type { Terminal } from '../terminal.ts';
import { counted, shortened } from '../text.ts';
import { type Suggestion, suggestionFor } from './suggestion.ts';
import { type DetectorTuning, firstAt, type Reach, type Tuning } from './tuning.ts';

const MARKS: { readonly [Name in Action]: string } = {
  observe: 'o',
  nudge: 'n',
  block: 'b',
  ask: 'a',
  halt: 'h',
};
const LEGEND = `Numbers are sessions; a letter is a rung: ${Object.entries(MARKS)
  .map(([action, mark]) => `${mark} ${action}`)
  .join(', ')}. Rungs may ask for more than a count.`;
const CELL = 6;

type Out = Pick<Terminal, 'width' | 'outColors'>;

/** All detectors, one a line: in how many sessions each counts how far. */
export function tuningText(tuning: Tuning, preset: Preset, { width, outColors }: Out): string {
  const { bold, dim, yellow } = outColors;
  const heard = tuning.detectors.filter(({ most }) => most.length > 0);
  const silent = tuning.detectors.filter((detector) => !heard.includes(detector));
  const first = Math.max(10, ...heard.map(({ name }) => name.length)) + 2;
  const counts = countsOf(heard).slice(0, Math.max(1, Math.floor((width - first) / CELL)));
  const head = bold(
    `${'detector'.padEnd(first)}${counts.map((count) => String(count).padStart(CELL)).join('')}`,
  );
  const rows = heard.map((detector) => {
    const cells = counts.map((count) => {
      const reach = detector.reaches.find((each) => each.count === count);
      const mark = marksAt(detector, count);
      const text = `${reach === undefined ? '' : reach.sessions || '-'}${mark}`.padStart(CELL);
      return mark === '' ? text : yellow(text);
    });
    return `${detector.name.padEnd(first)}${cells.join('')}`.trimEnd();
  });
  const quiet =
    silent.length === 0
      ? []
      : [dim(wrapped(`Never came again: ${silent.map(({ name }) => name).join(', ')}.`, width))];
  return [
    `${counted(tuning.sessions, 'session')}, ${counted(tuning.calls, 'call')}, under ${tuning.preset}: in how many each detector counts so far, or further.`,
    '',
    ...(heard.length === 0 ? [] : [head, ...rows, '']),
    ...quiet,
    ...(heard.length === 0 ? [] : [dim(wrapped(LEGEND, width))]),
    ...hint(heard, preset),
    '',
  ].join('\n');
}

/** One detector: how far it counts, where the farthest are, and how to move its rungs. */
export function detectorText(tuning: Tuning, detector: DetectorTuning, preset: Preset, out: Out): string {
  const { bold, dim, yellow } = out.outColors;
  const { name, kind, reaches, most } = detector;
  const about = detectorKinds.find((known) => known.kind === kind)?.about ?? '';
  const last = reaches.findLastIndex((reach) => reach.loops > 0 || actsAt(detector, reach.count) !== '');
  const rows = reaches.slice(0, last + 1).map((reach) => {
    const acts = actsAt(detector, reach.count);
    const line = `${cellsOf(reach)}${acts === '' ? '' : `  ${acts}`}`;
    return acts === '' ? line : yellow(line);
  });
  const farthest = most.map(({ file, agent, count, call, tool, label }) =>
    shortened(
      `${String(count).padStart(CELL)}  call ${String(call).padEnd(CELL)}${agent}  ${file}  ${[tool, label].filter(Boolean).join(' ')}`,
      out.width,
    ),
  );
  return [
    `${bold(name)} (${kind}): ${about}`,
    dim(`${counted(tuning.sessions, 'session')}, ${counted(tuning.calls, 'call')}, under ${tuning.preset}`),
    '',
    bold(`${'count'.padStart(CELL)}  sessions  loops  acts today`),
    ...rows,
    '',
    ...(farthest.length === 0 ? [] : [bold('The farthest'), ...farthest, '']),
    ...change(detector, suggestionFor(detector, preset)),
    '',
  ].join('\n');
}

function hint(heard: readonly DetectorTuning[], preset: Preset): readonly string[] {
  const speaking = (detector: DetectorTuning) =>
    detector.reaches.find(({ count }) => count >= firstAt(detector))?.sessions ?? 0;
  const loudest = [...heard].sort((one, other) => speaking(other) - speaking(one))[0];
  if (loudest === undefined) return [];
  return [
    '',
    ...change(loudest, suggestionFor(loudest, preset)),
    `More about one of them: deloop tune --detector ${loudest.name}`,
  ];
}

function change({ name }: DetectorTuning, suggestion: Suggestion | null): readonly string[] {
  if (suggestion === null)
    return [`To leave it out, in deloop.config.json: ${JSON.stringify({ detectors: { [name]: 'off' } })}`];
  const { at, config, now, later } = suggestion;
  return [
    `To let ${name} speak up from ${at} on, in ${counted(later, 'session')} instead of ${now}, put into deloop.config.json:`,
    `  ${JSON.stringify(config)}`,
  ];
}

/** Those at which anything is to be seen. */
function countsOf(detectors: readonly DetectorTuning[]): readonly number[] {
  const counts = new Set<number>();
  for (const detector of detectors)
    for (const { count, sessions } of detector.reaches)
      if (sessions > 0 || marksAt(detector, count) !== '') counts.add(count);
  return [...counts].sort((one, other) => one - other);
}

function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}

function cellsOf({ count, sessions, loops }: Reach): string {
  return `${String(count).padStart(CELL)}  ${String(sessions).padStart(8)}  ${String(loops).padStart(5)}`;
}

function marksAt({ rungs }: DetectorTuning, count: number): string {
  return [...new Set(rungs.filter(({ at }) => at === count).map(({ action }) => MARKS[action]))].join('');
}

function actsAt({ rungs }: DetectorTuning, count: number): string {
  return rungs
    .filter(({ at }) => at === count)
    .map(({ action, strikes, below, where = {} }) => {
      const also = [
        ...Object.entries(where).map(([fact, value]) => `${fact}: ${value}`),
        ...(strikes === undefined ? [] : [`after ${strikes} delivered`]),
        ...(below === undefined ? [] : [`below ${below} delivered`]),
      ];
      return also.length === 0 ? action : `${action} (${also.join(', ')})`;
    })
    .join(', ');
}
