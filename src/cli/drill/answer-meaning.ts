import { fieldsOf, nameOf } from '../../transcripts/fields.ts';

/** What an answer makes its host do. */
export type Meaning = {
  readonly word: 'nothing' | 'told' | 'refused' | 'asked' | 'stopped' | 'unreadable';
  /** What the model, or a person, is told; empty = nothing. */
  readonly message: string;
};

const REFUSALS = ['deny', 'block'];

/** What the answer of a hook makes its host do, whichever host it is. */
export function meaningOf(stdout: string): Meaning {
  if (stdout.trim() === '') return { word: 'nothing', message: '' };
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return { word: 'unreadable', message: stdout.slice(0, 200) };
  }
  const answer = { ...fieldsOf(value), ...fieldsOf(fieldsOf(value)['hookSpecificOutput']) };
  const {
    continue: goOn,
    cancel,
    behavior,
    decision,
    permission,
    permissionDecision,
    hookEventName,
  } = answer;
  const message = MESSAGES.map((name) => nameOf(answer[name])).find((text) => text !== undefined) ?? '';
  // Where the model is about to be asked, to block ends the run.
  const ends = decision === 'block' && hookEventName === undefined;
  if (goOn === false || cancel === true || behavior === 'deny' || ends) return { word: 'stopped', message };
  const verdict = nameOf(permissionDecision ?? permission ?? decision);
  if (verdict === 'ask') return { word: 'asked', message };
  if (verdict !== undefined && REFUSALS.includes(verdict)) return { word: 'refused', message };
  return { word: message === '' ? 'nothing' : 'told', message };
}

const MESSAGES = [
  'stopReason',
  'permissionDecisionReason',
  'agent_message',
  'reason',
  'errorMessage',
  'additionalContext',
  'contextModification',
  'additional_context',
  'message',
];
