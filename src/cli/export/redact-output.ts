import { FAILURES } from '../../core/endings.ts';
import { readFailure } from '../../core/failure-reading.ts';
import { SAYS_NOTHING } from '../../core/ledger-reading.ts';
import { normalised } from '../../core/normalise.ts';
import { outputText } from '../../core/output-text.ts';
import type { Json, Status, ToolKind } from '../../core/types.ts';
import { NOTHING_FOUND } from '../../detectors/restated-plan.ts';
import { fastDigestText } from '../../platform/digest-text.ts';
import type { Digests } from './digests.ts';

/** What came of a call, and what the guard must know of the call to read it. */
type Outcome = { readonly status: Status; readonly kind: ToolKind; readonly tool: string };

/** Stands in for an output: no text of it is told, and the guard sees in it what it saw in the output. */
export type HideOutput = (output: Json, outcome: Outcome) => Json;

/** Lengths from which on the guard takes a result for more than an acknowledgement, and an error for telling. */
const LONG = 200;
const TELLING_RESULT = 30;
const TELLING_ERROR = 16;
const SHORT_IMAGE = 48;
const SHORT_NOTHING = 60;
/** A page of fewer lines is not judged, lines of fewer letters are none, and more lines are not looked at. */
const PAGE_LINES = 5;
const FEW_LETTERS = 3;
const MAX_LINES = 400;

/** What a failure must say so that the guard reads the same ending in it. */
const ENDINGS: { readonly [Ending in Status]?: string } = {
  cancelled: 'request interrupted',
  denied: 'denied by user',
  'unknown-tool': 'unknown tool',
  invalid: 'inputvalidationerror',
};
const OUTAGE = 'too many requests';

export function hideOutput({ letters, id }: Digests): HideOutput {
  /**
   * The kind of error, where two failures are not looked for to be the same, and in quotes the whole, where the kind is
   * not looked for.
   */
  function failure(text: string, { status, kind, tool }: Outcome): string {
    const read = readFailure(text, status, kind, tool, fastDigestText);
    // Nothing but the code that the command ended with.
    if (read.status === 'unknown') return text;
    const same = normalised(text, fastDigestText);
    const told = read.outage ? OUTAGE : status === 'error' ? ENDINGS[read.status] : undefined;
    const words = `${id(`family ${read.family}`)}"${letters(same, same.length < TELLING_ERROR ? 10 : 16)}"`;
    return filled(told === undefined ? words : `${told} ${words}`, 0, 0, text.length);
  }

  function success(text: string, { status, kind }: Outcome): string {
    const same = normalised(text, fastDigestText);
    if (text.length < SHORT_IMAGE && SAYS_NOTHING.test(text)) return `[image ${letters(same, 8)}]`;
    if (text.length <= SHORT_NOTHING && NOTHING_FOUND.test(text))
      return text.trim().length < 6 ? text : `no ${letters(same, same.length < TELLING_RESULT ? 12 : 28)}`;
    const lines = kind === 'read' && status === 'ok' ? linesOf(text) : [];
    if (lines.length < PAGE_LINES) return filled(letters(same, 12), 12, same.length, text.length);
    // In lines too short to count, so that a page of lines that are all known stays one.
    const whole = letters(same, 12).replace(/...(?=.)/g, '$&\n');
    const page = `${whole}\n${lines.map((line) => id(line)).join('\n')}`;
    // Of an id the guard leaves one character.
    return filled(page, whole.length + 2 * lines.length, same.length, text.length);
  }

  return (output, outcome) => {
    const text = outputText(output);
    if (text.trim() === '') return text;
    if (FAILURES.includes(outcome.status)) return failure(text, outcome);
    if (typeof output === 'string') return success(text, outcome);
    const same = normalised(text, fastDigestText);
    return { digest: filled(letters(same, 12), 12, same.length, text.length) };
  };
}

/** With so much white space behind it that it counts for as much as the output; `own` = what the guard sees of it. */
function filled(text: string, own: number, seen: number, length: number): string {
  const short = seen >= TELLING_RESULT ? TELLING_RESULT - own : 0;
  const missing = Math.max(short, length >= LONG ? LONG - text.length : 0);
  return missing > 0 ? `${text}\n${' '.repeat(missing)}` : text;
}

/** The lines that say anything, as many as the guard looks at. */
function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line.replace(/[\0-\x20]/g, '').length > FEW_LETTERS) lines.push(line);
    if (lines.length === MAX_LINES) break;
  }
  return lines;
}
