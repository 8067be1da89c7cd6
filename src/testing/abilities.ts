import { refuseUnknown, wrong } from '../core/options.ts';

const ABILITIES = [
  'nudge',
  /** Nudges stay in the conversation. */
  'lasting-nudge',
  'last-turn',
  /** A person can be asked after a result, before the model is called again. */
  'ask-between',
  'hold',
  'usage',
  /** What the model says beside its calls reaches the adapter. */
  'text',
  /** What it thinks before does, too. */
  'reasoning',
  'unknown-tool',
  /** A response may have the ids of the one before, as some providers number the calls of each. */
  'same-ids',
  'tool-errors',
  'own-hooks',
  'parallel',
] as const;

/** What a host may be unable to do; say why. */
export type Ability = (typeof ABILITIES)[number];
export type Inabilities = { readonly [ability in Ability]?: string };

/** Refuses a name that switches nothing off, and an inability without a reason. */
export function checkInabilities(cannot: Inabilities): void {
  refuseUnknown(cannot, ABILITIES, 'cannot');
  for (const [ability, why] of Object.entries(cannot))
    if (why !== undefined && (typeof why !== 'string' || why.trim() === ''))
      throw wrong(`cannot[${JSON.stringify(ability)}]`, why, 'the reason why the host cannot do it');
}
