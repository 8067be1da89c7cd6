import { dollars, tokens } from '../../report/figures.ts';
import type { LoggedProblem } from '../hook/log-file.ts';
import type { Terminal } from '../terminal.ts';
import { counted, printable, shortened } from '../text.ts';
import type { Cost, Savings } from './savings.ts';
import { isDone, type LoggedAnswer, type SessionLog } from './session-log.ts';

const WIDEST = { action: 6, detector: 16 };
/** So many are shown of a session: its first ones and its last. */
const MAX_SHOWN = 12;

export function sessionText(log: SessionLog, savings: Savings, { outColors, width }: Terminal): string {
  const { host, session, from, to, answers } = log;
  const head = `${outColors.bold(host)} ${printable(session)}  ${day(from)} to ${time(to)} UTC`;
  const lines = answers.map((answer) => answerText(answer, width));
  const left = lines.length - MAX_SHOWN;
  const shown =
    left <= 0
      ? lines
      : [...lines.slice(0, MAX_SHOWN / 2), `  ... ${left} more ...`, ...lines.slice(-MAX_SHOWN / 2)];
  return `${head}\n${shown.join('\n')}\n${outColors.green(`  ${savedText(log, savings)}`)}\n`;
}

export function problemText({ at, host, session, message }: LoggedProblem): string {
  const about = session === undefined ? host : `${host} ${session}`;
  return `${day(at)} UTC ${printable(about)}: ${printable(message)}\n`;
}

function answerText(answer: LoggedAnswer, width: number): string {
  const { call, message } = answer;
  const [action, detector] = answer.type === 'refusal' ? [answer.did, ''] : [answer.action, answer.detector];
  const shadow = isDone(answer) ? '' : '(shadow) ';
  const head = `  call ${String(call).padStart(3)}  ${action.padEnd(WIDEST.action)} ${detector.padEnd(WIDEST.detector)} ${shadow}`;
  return head + shortened(printable(message), Math.max(20, width - head.length));
}

function savedText({ refused, spared, halted }: SessionLog, { response, shadow }: Savings): string {
  const parts: string[] = [];
  if (refused > 0) parts.push(`${counted(refused, 'call')} not run`);
  if (halted) parts.push('the run was to end');
  if (response !== null) parts.push(`a response cost ${costText(response)} by then`);
  if (spared > 0) {
    const spent = shadow === null ? '' : ` (${costText(shadow)})`;
    parts.push(`in shadow: ${counted(spared, 'call')} would not have run${spent}`);
  }
  return parts.length === 0 ? 'the model was told, and no call was refused' : parts.join('; ');
}

function costText({ input, output, cachedInput, usd }: Cost): string {
  const all = `${tokens(input + output + cachedInput)} tokens`;
  return usd === null ? all : `${all}, ${dollars(usd)}`;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

function time(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}
