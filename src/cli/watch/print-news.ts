import { basename } from 'node:path';
import { colorOf } from '../replay/print-table.ts';
import type { Terminal } from '../terminal.ts';
import { counted, printable, shortened } from '../text.ts';
import type { News } from './live-session.ts';

const SAYS: { readonly [Type in News['type']]: string } = { loop: 'loops', escalation: 'goes on' };

/** One line for people. */
export function newsText(news: News, at: Date, { width, outColors }: Terminal): string {
  const { agent, action, call, count, detector, message, type } = news;
  const time = at.toTimeString().slice(0, 8);
  const told = `${whereOf(news)} ${SAYS[type]}: ${whatOf(news)}; `;
  const would = `${action} at call ${call}`;
  const why = ` (${detector}, ${count}): ${message}`;
  const room = width - `${time} ${agent}  `.length;
  const line = shortened(`${told}${would}${why}`, room);
  const colored = line.includes(would) ? line.replace(would, () => colorOf(action, outColors)(would)) : line;
  return `${time} ${outColors.bold(printable(agent))}  ${colored}\n`;
}

/** The same for scripts. */
export function newsLine(news: News, at: Date): string {
  const { type, file, agent, session, project, tool, label } = news;
  const { call, action, level, detector, subject, count, evidence, message } = news;
  const where = { at: at.toISOString(), type, file, agent, session, project };
  return `${JSON.stringify({ ...where, call, tool, label, action, level, detector, subject, count, evidence, message })}\n`;
}

/** For a notification: who, and what. */
export function notificationOf(news: News): readonly [title: string, text: string] {
  const title = `${news.agent} ${SAYS[news.type]} in ${whereOf(news)}`;
  return [
    printable(title),
    printable(`${whatOf(news)}: ${news.action} at call ${news.call}. ${news.message}`),
  ];
}

export function summaryText(sessions: number, looped: number, ms: number): string {
  const minutes = ms / 60_000;
  const time = minutes < 1 ? `${Math.round(ms / 1000)} s` : `${Math.round(minutes)} min`;
  const loops = looped === 0 ? 'none went round in circles' : `${looped} went round in circles`;
  return `${counted(sessions, 'session')} written to in ${time}; ${loops}.\n`;
}

function whereOf({ project, file }: News): string {
  return basename(project ?? '') || basename(file);
}

function whatOf({ tool, label }: News): string {
  return [tool, label].filter(Boolean).join(' ') || 'its answers';
}
