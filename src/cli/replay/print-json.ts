import type { Summary } from './replay-file.ts';
import type { ReplayDecision } from './simulation.ts';

/** One decision a line; names and order of the fields are a contract. */
export function decisionLine(file: string, decision: ReplayDecision): string {
  const { event, call, action, level, detector, subject, count, evidence, message } = decision;
  return line({ file, event, call, action, level, detector, subject, count, evidence, message });
}

export function summaryLine(file: string, summary: Summary): string {
  const { calls, decisions, firstAction, firstCall, halted } = summary;
  return line({ file, type: 'summary', calls, decisions, firstAction, firstCall, halted });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
