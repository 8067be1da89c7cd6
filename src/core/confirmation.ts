/** Longer ones have something to say. */
const LONGEST = 200;
const POSITIVE =
  /\b(?:success(?:ful(?:ly)?)?|succeeded|completed?|done|ok(?:ay)?|true|accepted|acknowledged|confirmed|approved|passed|valid|available|created|updated|changed|added|saved|stored|recorded|logged|sent|delivered|submitted|assigned|applied|scheduled|queued|deleted|removed|inserted|placed|drawn|moved|clicked|tapped|typed|entered|filled|selected|pressed|tagged|labell?ed)\b/i;
const NEGATIVE =
  /\b(?:no|not|none|never|nothing|empty|unable|cannot|already|unchanged|invalid|unknown|missing|null|false|fail(?:ed|s|ure)?|errors?|denied|refused|0|zero)\b|n't\b|\[\s*\]|\{\s*\}/i;

/** Whether a result says only that all went well: for other arguments it may well say the same. */
export function isConfirmation(text: string): boolean {
  return text.length < LONGEST && POSITIVE.test(text) && !NEGATIVE.test(text);
}
