import { whose } from '../install/placements.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';
import type { Drill, DrillStep } from './drill.ts';

const WORDS: { readonly [word in DrillStep['word']]: string } = {
  nothing: '-',
  told: 'the model is told',
  refused: 'refused',
  asked: 'a person is asked',
  stopped: 'the run is ended',
  unreadable: 'not understood',
};
const SHOWN = 110;

/** Every answer of a drill, and what it comes to. */
export function drillText(result: Drill, { outColors }: Terminal): string {
  const { title, scope, steps, shadow, decisions, problems, works } = result;
  const wide = Math.max(...steps.map(({ event }) => event.length));
  const shown = steps.filter(({ call, word }) => call > 0 && (!shadow || word !== 'nothing'));
  const lines = shown.map(({ call, event, word, message }) => {
    const line = `  call ${String(call).padStart(2)}  ${event.padEnd(wide)}  ${WORDS[word]}`;
    return message === '' ? line : `${line}: ${short(message)}`;
  });
  const would = shadow
    ? decisions.map(({ call, action, message }) => `  call ${call}: would ${action}: ${short(message)}`)
    : [];
  const verdict = works ? outColors.green(worksText(result)) : outColors.red('It does not work.');
  const faults = problems.map((problem) => outColors.red(`! ${printable(problem)}`));
  const head = `${outColors.bold(title)} ${whose(scope)}: one command, again and again, through what is installed`;
  return `${[head, ...lines, ...would, verdict, ...faults].join('\n')}\n`;
}

function worksText({ steps, shadow, decisions }: Drill): string {
  if (shadow) return `It works, in shadow: ${decisions.length} decisions were logged, and nothing was done.`;
  const first = (word: DrillStep['word']) => steps.find((step) => step.word === word)?.call;
  const parts = (['told', 'refused', 'asked', 'stopped'] as const).flatMap((word) => {
    const call = first(word);
    return call === undefined ? [] : [`${WORDS[word]} at call ${call}`];
  });
  return `It works: ${parts.join(', ')}.`;
}

function short(message: string): string {
  const line = printable(message.replaceAll(/\s+/g, ' '));
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line;
}
