import { fieldsOf, parsedArgs } from './arguments.ts';
import { digestShort, finish, startDigest } from './digest.ts';
import type { DigestText } from './digest-text.ts';
import { emptinessOf, isSilent, PLAINLY } from './emptiness.ts';
import { digestNormalised } from './normalise.ts';
import type { AskedAbout } from './tool-kinds.ts';
import type { Status, ToolKind } from './types.ts';

/** What a failure says is said at its beginning, or in its last lines. */
const HEAD = 1200;
const TAIL = 400;
const MAX_LINE = 160;

const CANCELLED =
  /sibling tool call errored|interrupted by (?:the )?user|request interrupted|(?:call|use|request|operation|execution|command) (?:was|has been) cancell?ed|aborted by (?:the )?user/i;
const DENIED =
  /user (?:doesn't|does not|didn't|did not) want|(?:rejected|declined|denied) by (?:the )?user|user (?:has )?(?:rejected|declined|denied)/i;
const UNKNOWN_TOOL =
  /no such tool|unknown tool|not a valid tool|tool .{0,60}(?:not found|does not exist|is not available)/i;
const INVALID =
  /unexpected keyword argument|missing \d{0,3} ?required|required (?:positional )?(?:argument|parameter|property)|inputvalidationerror|invalid (?:argument|parameter|params|tool input)|validation (?:error|failed)|does not match the schema/i;
/** How a host refuses the call of a shell; what a program prints in there is its own business. */
const REFUSED =
  /^\s{0,9}(?:<tool_use_error>|error: ?)?\s{0,9}(?:inputvalidationerror|no such tool|unknown tool)/i;
const LIMITED =
  /(?:http|status|code|error)\W{1,3}429\b|rate.?limit(?:ed|_| exceeded| reached| hit)|too many requests|overloaded(?! (?:function|method|operator|member))|quota exceeded/i;
const OUTAGE =
  /(?:http|status|code|error)\W{1,3}50[0234]\b|internal server error|bad gateway|service unavailable|gateway time-?out|temporarily unavailable|econnreset|etimedout|connection (?:reset|timed out)|network is unreachable/i;
const TELLING =
  /error|exception|fail|not found|cannot|can't|could not|denied|refused|invalid|unknown|no such|unexpected|unable|missing|not available|forbidden/i;

/** What Codex and Gemini CLI write around the output of a command. */
const HOST_LINE = /^(?:chunk id|wall time|process (?:exited|group)|original token count|output):?/i;

/** How tools that do not throw say that they have failed: in their words, or by the name of what was thrown. */
const SAYS_ERROR =
  /^\s{0,9}(?:[a-z]{1,20} ){0,2}[a-z.]{0,40}(?:error|exception|failure|failed|fatal)\s{0,3}[:!](?!\s{0,3}(?:0\b|none\b|null\b|false\b|\[\s{0,3}\]))/i;
const CANNOT = "could not|couldn't|cannot|can't";
const UNABLE: string = `(?:(?:failed|unable) to|${CANNOT})`;
/** At the beginning, or as the message of JSON. */
const begins = (fields: string): string => `^(?:\\{\\s{0,9}"(?:${fields})"\\s{0,9}:\\s{0,9}")?`;
/** The same of what they were to do. Who could not find or tell something has answered. */
const SAYS_UNABLE: RegExp = /* @__PURE__ */ new RegExp(
  `${begins('message|detail|reason|result')}\\W{0,9}${UNABLE} (?:access|apply|authenticate|complete|connect|create|delete|download|establish|execute|fetch|load|open|parse|perform|process|reach|read|retrieve|run|save|send|start|submit|update|upload|write)\\b`,
  'i',
);
/** Not of how many among others: those were done. */
const SAYS_UNDONE: RegExp = /* @__PURE__ */ new RegExp(
  `${begins('message|detail|reason|result')}(?!\\W{0,9}\\d)(?:(?!\\b(?:and|but|while) )[^\\n.:,;]){0,80}\\b(?:${CANNOT}) be (?:accessed|applied|authenticated|booked|completed|created|deleted|established|executed|fulfilled|loaded|opened|performed|placed|processed|reached|run|saved|sent|started|submitted|updated|uploaded|written)\\b`,
  'i',
);
const TRACEBACK = /^\s{0,9}Traceback \(most recent call last\)/;
/** Fields beside which nothing was looked up. */
const AROUND_ERROR: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'error errors message detail details reason hint code status statusCode status_code type success ok isError is_error content path timestamp request_id requestId'.split(
    ' ',
  ),
);
/** All that a lookup says. A file, a log or a status may well begin with an error of its own. */
const ONLY_ERROR =
  /^\s{0,9}[a-z.]{0,40}error(?: [a-z]{1,20}){0,3}: [^\n]{0,160}\b(?:not found|no such|(?:does not|doesn't) exist|denied|invalid|cannot|could not|unable to|enoent|eacces|not allowed|forbidden|unauthori[sz]ed|(?:client|server) error)\b[^\n]{0,160}\s{0,9}$/i;
const ONLY_UNABLE: RegExp = /* @__PURE__ */ new RegExp(
  `${begins('message|detail|reason')}${UNABLE} (?:access|connect|download|execute|fetch|load|open|perform|reach|read|retrieve)\\b[^\\n]{0,300}$`,
  'i',
);
const BEGINS_WITH_ERROR = /^\{\s{0,9}"error"/i;
const SHOWS_ERROR =
  /^\{\s{0,9}"error"\s{0,9}:\s{0,9}(?!null|false|""|\[\s{0,9}\]|\{\s{0,9}\}|0\b)|"is_?error"\s{0,9}:\s{0,9}true|"(?:success|ok)"\s{0,9}:\s{0,9}false/i;
/** Before anything but the message, however its fields are ordered: what a thing that was looked up is like stands among its other fields. */
const SHOWS_STATUS =
  /^\{\s{0,9}(?:"(?:error_?)?(?:message|detail|reason)"\s{0,9}:\s{0,9}"[^"]{0,300}"\s{0,9},\s{0,9})?"status"\s{0,9}:\s{0,9}"error"/i;
/** What a server refuses. That something is not there, or is gone, is an answer. */
const STATUS_CODE = /^status_?code$/i;
const SHOWS_REFUSAL = /"status_?code"\s{0,9}:\s{0,9}(?:4(?!04|10)|5)\d\d\b/i;
/** All that a lookup says, by the name of the status where nothing else tells what the number is: `450 ppm` is a measure. */
const ONLY_REFUSAL =
  /^\s{0,9}(?:(?:http(?:\/\d(?:\.\d)?)? (?:error:? |status:? ){0,2}|(?:status:? )?error:? (?:status:? )?)(?:4(?!04|10)|5)\d\d[: -]{1,3}[a-z ]{3,40}|(?:status:? )?(?:4(?!04|10)|5)\d\d[: -]{1,3}(?:(?:client|server) error: [^\n]{1,200}|access denied|bad (?:gateway|request)|conflict|forbidden|gateway time-?out|internal server error|locked|method not allowed|not (?:acceptable|implemented)|payment required|precondition failed|proxy authentication required|request time-?out|service (?:temporarily )?unavailable|too many requests|unauthori[sz]ed|unavailable for legal reasons|unprocessable (?:content|entity)|unsupported media type))[.!]?\s{0,9}$/i;
const SHOWS_CODE = /^\{.{0,99}"exit_?code"\s{0,9}:\s{0,9}-?[1-9]/i;
const ENDED_BADLY =
  /\bexit(?:ed)?(?: with)? (?:code|status):? ?-?[1-9]\d{0,4}\W{0,3}$|: command not found\s{0,9}$/i;
/** What Node puts before what a command that failed has said, as `execa` does. */
const COMMAND_FAILED =
  /^\s{0,9}(?:error: )?command failed(?: with exit code \d{1,5})?: [^\n]{1,4000}(?:\n|$)/i;
/** How far into a result, and before its end, such signs stand. */
const BEGINNING = 400;
const ENDING = 60;
/** Who has more to say was let in. */
const LONGEST_REFUSAL = 16_384;
const OPEN = 123;

/** Whether a result that nobody calls a failure is one all the same. What is read may well speak of errors. Who was asked about something tells what it is like: it may not be possible, or an address may be locked. */
export function saysFailed(
  output: string,
  status: Status,
  kind: ToolKind,
  about: AskedAbout = 'nothing',
): boolean {
  if (status !== 'unknown' && status !== 'ok') return false;
  if (kind === 'shell')
    return isJson(output)
      ? SHOWS_CODE.test(output.slice(0, BEGINNING))
      : ENDED_BADLY.test(output.slice(-ENDING)) ||
          (COMMAND_FAILED.test(output) && saidBy(output, kind).trim() !== '');
  if (kind === 'read')
    return isJson(output) ? isOnlyError(output) : isOnlyErrorLine(output.slice(0, BEGINNING));
  if (kind !== 'other' && kind !== 'act' && kind !== 'write') return false;
  const beginning = output.slice(0, BEGINNING);
  if (SAYS_UNABLE.test(beginning) || (about !== 'something' && saysUndone(beginning))) return true;
  if (!isJson(output)) return SAYS_ERROR.test(beginning) || TRACEBACK.test(beginning);
  if (SHOWS_STATUS.test(beginning) || (SHOWS_ERROR.test(beginning) && isOfAll(output))) return true;
  return about !== 'address' && SHOWS_REFUSAL.test(beginning) && isRefused(output);
}

/** What a command has said itself: the command is not among it, so that the same failure of another one is the same. */
export function saidBy(output: string, kind: ToolKind): string {
  return kind === 'shell' || kind === 'wait' || kind === 'poll' ? output.replace(COMMAND_FAILED, '') : output;
}

/** The pattern looks at every letter: what is in all of its words is looked for first. */
function saysUndone(text: string): boolean {
  return text.includes('t be ') && SAYS_UNDONE.test(text);
}

/** Whether that it went wrong is said of all, and not of one among others. */
function isOfAll(output: string): boolean {
  if (output.length > LONGEST_REFUSAL || BEGINS_WITH_ERROR.test(output)) return true;
  const { value, raw } = parsedArgs(output);
  return raw || SHOWS_ERROR.test(JSON.stringify(value, (_, part) => (Array.isArray(part) ? null : part)));
}

/** Whether it is the answer itself that has the status, and not one of the things it tells of. */
function isRefused(output: string): boolean {
  if (output.length > LONGEST_REFUSAL) return false;
  const fields = fieldsOf(parsedArgs(output).value);
  return Object.keys(fields).some(
    (name) => STATUS_CODE.test(name) && typeof fields[name] === 'number' && fields[name] >= 400,
  );
}

function isOnlyErrorLine(output: string): boolean {
  return ONLY_ERROR.test(output) || ONLY_REFUSAL.test(output) || ONLY_UNABLE.test(output.trim());
}

/** Whether JSON tells of an error and of nothing else; that something is not there, or not so, is an answer. */
function isOnlyError(output: string): boolean {
  if (output.length >= BEGINNING) return false;
  const shows = SHOWS_ERROR.test(output);
  const unable = ONLY_UNABLE.test(output);
  if (!(shows || unable || SHOWS_REFUSAL.test(output)) || emptinessOf(output) === PLAINLY) return false;
  const fields = fieldsOf(parsedArgs(output).value);
  if (!Object.keys(fields).every((name) => AROUND_ERROR.has(name))) return false;
  if (shows) return 'error' in fields || 'isError' in fields || 'is_error' in fields;
  return unable || ('message' in fields && isRefused(output));
}

function isJson(output: string): boolean {
  return output.charCodeAt(0) === OPEN;
}

export type Failure = {
  readonly status: Status;
  /** The service failed, not the agent. */
  readonly outage: boolean;
  /** Digest of the kind of error. */
  readonly family: number;
  /** The line in a file where it stands; 0 = it does not say. */
  readonly place: number;
};

/** What a failed call died of. What the host says wins over what the text says. */
export function readFailure(
  output: string,
  status: Status,
  kind: ToolKind,
  tool: string,
  digestText: DigestText,
): Failure {
  const head = output.slice(0, HEAD);
  // A shell that prints nothing and ends with a code found nothing: `grep`, `test`, `diff`, or what is waited for.
  if ((kind === 'shell' || kind === 'wait' || kind === 'poll') && isSilent(head))
    return { status: 'unknown', outage: false, family: 0, place: 0 };
  const told = status === 'error' ? statusOf(head.slice(0, MAX_LINE * 3), kind) : status;
  const lines = linesOf(output);
  const line = toldIn(lines);
  // A server under test may well answer 500; a limit is a limit wherever it shows.
  const outage =
    told === 'error' && kind !== 'write' && (LIMITED.test(line) || (kind !== 'shell' && OUTAGE.test(line)));
  return {
    status: told,
    outage,
    family: digestText(`${tool}\n${told}\n${familyOf(line)}`),
    place: placeOf(lines, line),
  };
}

function statusOf(head: string, kind: ToolKind): Status {
  if (CANCELLED.test(head)) return 'cancelled';
  if (DENIED.test(head)) return 'denied';
  if (kind === 'shell' && !REFUSED.test(head)) return 'error';
  if (UNKNOWN_TOOL.test(head)) return 'unknown-tool';
  return INVALID.test(head) ? 'invalid' : 'error';
}

/** The lines of a failure that may tell what is wrong; its middle is left out. */
function linesOf(output: string): readonly string[] {
  const text = output.length <= HEAD + TAIL ? output : `${output.slice(0, HEAD)}\n${output.slice(-TAIL)}`;
  return text.split(/\n|(?<=[.!?]) /).filter((line) => line.trim() !== '');
}

/** The line that tells what is wrong. */
export function tellingLine(output: string): string {
  return toldIn(linesOf(output));
}

function toldIn(lines: readonly string[]): string {
  const told =
    lines.find((candidate) => TELLING.test(candidate)) ??
    lines.find((candidate) => !HOST_LINE.test(candidate)) ??
    lines[0];
  return (told ?? '').slice(0, MAX_LINE);
}

/** More is not looked at. */
const MOST = 64_000;
/** A line that only points at the place of the one before. */
const POINTER = /^\s{0,9}--> /;

/**
 * Digest of all lines that tell what is wrong, at this place. Names in a line that says where it is wrong do not count: another one in the
 * same place is another guess, in another place another mistake.
 */
export function gistOf(output: string, place: number, digestText: DigestText): number {
  const digest = startDigest(digestText);
  const lines = output.slice(0, MOST).split('\n');
  const telling = lines.filter((line) => TELLING.test(line) || POINTER.test(line));
  let isMasked = false;
  const text = (telling.length === 0 ? lines : telling).map((line) => {
    const masked = PLACE.test(line) ? line.replace(QUOTED, '?') : line;
    isMasked ||= masked !== line;
    return masked;
  });
  digestNormalised(digest, text.join('\n'));
  if (isMasked) digestShort(digest, String(place));
  return finish(digest) >>> 0;
}

/** `a.c:12`, `a.ts(12,3)`, `File "a.py", line 12`; not the frame of a trace, which moves with every line above it. */
const PLACE = /\.[a-z]\w{0,7}(?:", line |[:(])(\d{1,7})(?!\d|, in )/i;
/** Where, beside the line that tells what is wrong, its place may stand. */
const BESIDE = [0, -1, -2, -3, 1];

function placeOf(lines: readonly string[], telling: string): number {
  const index = lines.findIndex((line) => line.startsWith(telling));
  for (const by of index < 0 ? [] : BESIDE) {
    const line = lines[index + by];
    const place = by < 1 || POINTER.test(line ?? '') ? PLACE.exec((line ?? '').slice(0, MAX_LINE)) : null;
    if (place !== null) return Number(place[1]);
  }
  return 0;
}

const QUOTED = /"[^"]{1,120}"|'[^']{1,120}'|`[^`]{1,120}`|\[[^\]]{1,120}\]/g;

/** What is wrong, without what it is about: names in quotes, numbers, paths. */
function familyOf(line: string): string {
  return line
    .replace(QUOTED, '?')
    .replace(/(?:\b[A-Za-z]:)?[^\s:]*[/\\][^\s:]*/g, '/')
    .replace(/\d+/g, '0');
}
