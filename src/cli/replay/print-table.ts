import type { Colors } from '../terminal.ts';
import { counted, shortened } from '../text.ts';
import type { Summary } from './replay-file.ts';
import type { ReplayDecision } from './simulation.ts';

/** The columns before the message, each with its width. */
const COLUMNS = [
  ['call', 6],
  ['action', 6],
  ['level', 8],
  ['detector', 16],
  ['subject', 24],
  ['count', 5],
] as const;
const BEFORE_MESSAGE: number = COLUMNS.reduce((sum, [, width]) => sum + width + 2, 0);

export function tableHead({ bold }: Colors): string {
  const names = COLUMNS.map(([name, width]) => cell(name, width, isNumber(name)));
  return `${bold([...names, 'message'].join('  '))}\n`;
}

export function tableRow(decision: ReplayDecision, width: number, colors: Colors): string {
  const cells = COLUMNS.map(([name, columns]) => {
    const text = cell(String(decision[name] ?? '-'), columns, isNumber(name));
    return name === 'action' ? colorOf(decision.action, colors)(text) : text;
  });
  return `${[...cells, shortened(decision.message, width - BEFORE_MESSAGE)].join('  ')}\n`;
}

/** What came of a recording, in a sentence or two. */
export function summaryText(summary: Summary, stopped: boolean): string {
  const { calls, decisions, firstAction, firstCall, halted } = summary;
  if (firstAction === null) return `${counted(calls, 'call')}: the guard had nothing to say.\n`;
  const first = `${counted(calls, 'call')}: the guard stepped in ${times(decisions)}, first at call ${firstCall} (${firstAction}).`;
  return `${first}${stopped && halted ? ' It halted the run; the replay stops there.' : ''}\n`;
}

export function colorOf(action: ReplayDecision['action'], colors: Colors): (text: string) => string {
  const { yellow, magenta, cyan, red } = colors;
  return { nudge: yellow, block: magenta, ask: cyan, halt: red }[action];
}

function cell(text: string, width: number, right: boolean): string {
  const short = shortened(text, width);
  return right ? short.padStart(width) : short.padEnd(width);
}

function isNumber(name: string): boolean {
  return name === 'call' || name === 'count';
}

function times(number: number): string {
  return number === 1 ? 'once' : `${number.toLocaleString('en-US')} times`;
}
