import { LONGEST, STRUCTURE, saysNo } from './confirmation.ts';

/** How far a result says that there is nothing: not at all, by some no in it (which may be about something), or plainly. */
export type Emptiness = 0 | 1 | 2;
export const NOT: Emptiness = 0;
export const SAYS_NO: Emptiness = 1;
export const PLAINLY: Emptiness = 2;

/** How those begin who have found nothing. */
const NOTHING_FIRST = /^\W{0,3}(?:no|none|nothing|empty|null|zero)\b/i;
/** How others say it. */
const FOUND_NOTHING =
  /\b(?:found|finds|is|are|was|were|has|have|returned|matched|with) (?:no|none|nothing|zero|0(?!\.\d))\b|\bnot (?:found|find|exist)\b|n't (?:find|exist)\b|\b0 (?:rows|results|matches|hits|records|documents|messages|files|items)\b/i;
/** JSON around nothing, and a search in it that found none, whatever else it tells. */
const AROUND_NOTHING =
  /\[\s{0,9}\]|\{\s{0,9}\}|^\s{0,9}null|"(?:total|count|found|exists|match)\w{0,20}"\s{0,9}:\s{0,9}(?:0\b(?!\.\d)|null|false)/i;
const FOUND_NONE = /"(?:results?|hits|matches|documents|records|rows|data)"\s{0,9}:\s{0,9}\[\s{0,9}\]/i;
/** Values in JSON that name no thing. */
const NO_THING = /\b(?:text|ok|success|true|false|null)\b|[\d._]/gi;
/** How a shell tells that a command ended with a code. */
const EXIT =
  /[([]?(?:error: ?)?(?:process |command )?exit(?:ed)?(?: with)?(?: code| status)?:? ?\d{1,3}[.)\]]?/i;
const LONGEST_EXIT = 40;
/** What hosts say of a command that has printed nothing. */
const NO_OUTPUT = /^.{0,40}\b(?:no|without) (?:any )?output\b/i;

export function emptinessOf(text: string): Emptiness {
  if (text.length >= LONGEST) return NOT;
  if (text.trim() === '' || saysNothing(text)) return PLAINLY;
  const first = text.charCodeAt(0);
  if ((first === 123 || first === 91) && isAroundNothing(text)) return PLAINLY;
  return saysNo(text) ? SAYS_NO : NOT;
}

function isAroundNothing(text: string): boolean {
  if (FOUND_NONE.test(text)) return true;
  const said = text.replace(STRUCTURE, ' ').replace(NO_THING, ' ').trim();
  return said === '' ? AROUND_NOTHING.test(text) : saysNothing(said);
}

function saysNothing(text: string): boolean {
  return NOTHING_FIRST.test(text) || FOUND_NOTHING.test(text);
}

/** Whether a shell shows nothing but the code with which a command ended. */
export function isSilent(text: string): boolean {
  return text.length < LONGEST_EXIT && text.replace(EXIT, '').trim() === '';
}

/** Whether a search in a shell has found nothing. */
export function hasNoOutput(text: string): boolean {
  return isSilent(text) || (text.length < LONGEST && NO_OUTPUT.test(text));
}
