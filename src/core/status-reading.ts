/** What a result says of something that takes its time: it goes on, it is over, or nothing. */
export type Progress = 'open' | 'over' | 'none';

/** How far into a result its status stands. */
const HEAD = 1000;

const OPEN =
  '(?:queued|pending|running|in[ _-]?progress|processing|starting|waiting|working|building|deploying|provisioning|creating|initiali[sz]ing|preparing|scheduled|submitted|not[ _-]started|[a-z]{1,20}_in_progress)';
/** No `success` and no `ok`: many answers have these around whatever they say. */
const OVER =
  '(?:failed|failure|error|errored|cancell?ed|completed?|succeeded|done|finished|terminated|killed|aborted|timed[ _-]?out|exited|[a-z]{1,20}_(?:complete|failed))';
const FIELD = '(?:status|state|phase)["\']?\\s{0,3}[:=>]\\s{0,3}["\']?';

const IS_OPEN: readonly RegExp[] = [
  /* @__PURE__ */ new RegExp(`${FIELD}${OPEN}(?![\\w-])`, 'i'),
  /* @__PURE__ */ new RegExp(`^\\W{0,3}${OPEN}\\W{0,3}$`, 'i'),
];
/** What is said only of something unfinished, by the sentence or by the name. */
const GOES_ON =
  /\bstill (?:pending|running|processing|waiting|building|queued|starting|being|in progress|working|loading|creating|deploying|rendering|uploading)\b|\bnot (?:ready|finished|done|complete|available) yet\b|\bContainerCreating\b|\bPodInitializing\b|\bhealth: starting\b|\b\d{1,3}\/\d{1,3} {1,9}Pending\b|\t(?:pending|queued|in_progress)\t/;
const IS_OVER: readonly RegExp[] = [
  /* @__PURE__ */ new RegExp(`${FIELD}${OVER}(?![\\w-])`, 'i'),
  /* @__PURE__ */ new RegExp(`^\\W{0,3}${OVER}\\W{0,3}$`, 'i'),
];
/** Nobody listens there, or not yet: what is asked has not come up. */
const NOT_UP =
  /connection refused|econnrefused|(?:failed|unable) to connect|could(?:n't| not) connect|empty reply from server| - no response\b|(?:not (?:yet )?accepting|rejecting) connections|database system is starting up|timed out waiting for the condition|^\W{0,3}(?:error: ?)?exit(?:ed)?(?: with)?(?: code| status)?:? ?(?:7|52|56)\W{0,3}$/i;

/** By a field that tells a status, by a status that is the whole answer, or by words that are used for nothing else. What goes on beside something that is over goes on. */
export function progressOf(text: string): Progress {
  const head = text.length > HEAD ? text.slice(0, HEAD) : text;
  if (GOES_ON.test(head) || IS_OPEN.some((sign) => sign.test(head))) return 'open';
  return IS_OVER.some((sign) => sign.test(head)) ? 'over' : 'none';
}

/** Whether a look that failed only shows that something is not there yet. */
export function isNotUp(text: string): boolean {
  return NOT_UP.test(text.length > HEAD ? text.slice(0, HEAD) : text);
}
