import type { Watching } from './shell-command.ts';
import { isNotUp, progressOf } from './status-reading.ts';
import type { LooksAt } from './tool-kinds.ts';
import type { Sign, ToolKind } from './types.ts';

/** Shorter results tell little beside a status; what is told of a job with its status may be more. */
const SHORT = 200;
const SHORT_OF_JOB = 4000;
/** What comes of a wait behind which nothing is looked at. */
const ONLY_WAITED =
  /^\W{0,9}(?:(?:wait(?:ed|ing)|slept|sleeping|awake|done|ok(?:ay)?)\b[^\n]{0,40})?\W{0,9}$/i;
const MOST_OF_WAIT = 80;

/** What is known of a call that may be a look at something. */
export type Asked = { readonly kind: ToolKind; readonly watches: Watching; readonly looksAt: LooksAt };
/** What its result makes of it. `pending` = what looked like a failure only shows that something is not there yet. */
export type Looked = { readonly kind: ToolKind; readonly pending: boolean; readonly sign: Sign };

/** Who is shown that something goes on waits for it, whatever the tool is called; who is shown that it is over does not. */
export function readLook(text: string, failed: boolean, { kind, watches, looksAt }: Asked): Looked {
  if (kind === 'poll' || kind === 'wait') return readWait(text, failed, kind);
  const isMissing = watches !== 'nothing' && text.length < SHORT && isNotUp(text);
  if (isMissing || (watches === 'now' && !failed))
    return { kind: 'poll', pending: isMissing, sign: 'guessed' };
  const looks = kind === 'read' || kind === 'shell' || (kind === 'other' && looksAt !== 'nothing');
  const most = looksAt === 'job' ? SHORT_OF_JOB : SHORT;
  if (looks && !failed && text.length < most && progressOf(text) === 'open')
    return { kind: 'poll', pending: false, sign: 'guessed' };
  return { kind, pending: false, sign: 'plain' };
}

function readWait(text: string, failed: boolean, kind: 'poll' | 'wait'): Looked {
  if (failed) {
    const isMissing = isNotUp(text);
    const pending = isMissing || progressOf(text) === 'open';
    return { kind, pending, sign: isMissing ? 'guessed' : 'plain' };
  }
  if (kind === 'wait') {
    const bare = text.length < MOST_OF_WAIT && ONLY_WAITED.test(text);
    return { kind, pending: false, sign: bare ? 'bare' : 'plain' };
  }
  return { kind, pending: false, sign: progressOf(text) === 'over' ? 'over' : 'plain' };
}
