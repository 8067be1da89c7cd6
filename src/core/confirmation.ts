/** Longer ones have something to say. */
export const LONGEST = 200;
const POSITIVE =
  /\b(?:success(?:ful(?:ly)?)?|succeeded|completed?|done|ok(?:ay)?|true|accepted|acknowledged|confirmed|approved|passed|valid|available|created|updated|changed|added|saved|stored|recorded|logged|sent|delivered|submitted|assigned|applied|scheduled|queued|deleted|removed|inserted|placed|drawn|moved|clicked|tapped|typed|entered|filled|selected|pressed|tagged|labell?ed)\b/i;
/** A digit of a longer number is no zero. */
const NEGATIVE =
  /\b(?:no|not|none|never|nothing|empty|unable|cannot|already|unchanged|invalid|unknown|missing|null|false|fail(?:ed|s|ure)?|errors?|denied|refused|(?<!\d\.)0(?!\.\d)|zero)\b|n't\b|\[\s*\]|\{\s*\}/i;

/** Whether a short result says that something is not so. */
export function saysNo(text: string): boolean {
  return text.length < LONGEST && NEGATIVE.test(text);
}

/** Whether a short result says only that all went well. */
export function saysWell(text: string): boolean {
  return text.length < LONGEST && POSITIVE.test(text) && !NEGATIVE.test(text);
}

/** The names of fields, and what JSON puts around values. */
export const STRUCTURE: RegExp = /"[^"]{0,60}"\s{0,9}:|[\s{}[\],:"]/g;
/** Less than this is the same for many reasons, as it is in plain words. */
const FEW = 30;

/** Whether a result says only that all went well, or hardly a word beside its structure: for other arguments it may well say the same. */
export function saysLittle(text: string): boolean {
  if (text.length >= LONGEST) return false;
  if (saysWell(text)) return true;
  const first = text.charCodeAt(0);
  return (first === 123 || first === 91) && text.replace(STRUCTURE, '').length < FEW;
}

const ALREADY =
  /\balready (?:exists?|a member|registered|subscribed|enrolled|invited|added|in the (?:list|group))\b|\bduplicate (?:key|entry|record|contact|email)\b/i;

/** Whether a short result says that what was to be made is there. */
export function saysAlready(text: string): boolean {
  return text.length < LONGEST && ALREADY.test(text);
}

/** Where a check says what it found. */
const SUMMARY = 400;
const PASSED = /\bpass(?:ed|es|ing)?\b|\bok\b|\bsuccess/i;
const NOT_PASSED = /\b[1-9]\d{0,6} (?:failed|failing|failures?|errors?)\b|\bFAIL/;

/** Whether a check says at its end that all is well. */
export function saysPassed(text: string): boolean {
  const end = text.slice(-SUMMARY);
  return PASSED.test(end) && !NOT_PASSED.test(end);
}
