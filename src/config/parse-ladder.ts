import { checkRung, NAME_PATTERN } from '../core/check-preset.ts';
import { wrong } from '../core/options.ts';
import type { Rung } from '../core/types.ts';
import { fieldsAt } from './checks.ts';

/** Each rung by itself; whether it can ever fire depends on the preset it joins. */
export function checkLadder(value: unknown, where: string): void {
  if (!Array.isArray(value)) throw wrong(where, value, 'a list of rungs');
  for (const [index, rung] of value.entries()) {
    const at = `${where}[${index}]`;
    checkRung(rung as Rung, at);
    const { on, where: facts } = fieldsAt(rung, at, 'an object');
    if (typeof on !== 'string' || !NAME_PATTERN.test(on))
      throw wrong(`${at}.on`, on, 'the name of a detector');
    if (facts === undefined) continue;
    for (const [fact, expected] of Object.entries(fieldsAt(facts, `${at}.where`, 'an object of facts'))) {
      if (!['string', 'number', 'boolean'].includes(typeof expected))
        throw wrong(`${at}.where.${fact}`, expected, 'a text, a number, true or false');
    }
  }
}
