import type { RulesFor } from './plan.ts';
import type { Action, Answer, Decision, Finding, Rung } from './types.ts';

/** Every action, the strongest last. */
export const ACTIONS: readonly Action[] = ['observe', 'nudge', 'block', 'ask', 'halt'];

/** The first rung, before `limit`, that fits one of the findings. */
export function choose(
  ladder: readonly Rung[],
  findings: readonly Finding[],
  limit: number,
  strikesOf: (rung: Rung, finding: Finding) => number,
  rulesFor: RulesFor,
): Answer | null {
  for (let index = 0; index < limit; index++) {
    const rung = ladder[index] as Rung;
    for (const finding of findings) {
      if (finding.detector !== rung.on || !fits(rung, finding, rulesFor)) continue;
      const strikes = strikesOf(rung, finding);
      if (strikes >= (rung.strikes ?? 0) && strikes < (rung.below ?? Infinity))
        return { rung: index, finding };
    }
  }
  return null;
}

function fits(rung: Rung, finding: Finding, rulesFor: RulesFor): boolean {
  const tool = finding.facts?.['tool'];
  const own: { readonly [action: string]: number } | undefined =
    tool === undefined ? undefined : rulesFor(String(tool))?.at;
  const past = finding.count - (own?.[rung.action] ?? rung.at);
  if (past < 0) return false;
  if (rung.exactly === true && past !== 0) return false;
  if (rung.every !== undefined && past % rung.every !== 0) return false;
  if (rung.where === undefined) return true;
  return Object.entries(rung.where).every(([fact, value]) => finding.facts?.[fact] === value);
}

/** A rung's template with the finding's own words in place of `{tool}`, `{count}`, `{subject}` and its facts. */
export function render(template: string, finding: Finding): string {
  return template.replace(/\{(\w{1,32})\}/g, (placeholder, name: string) => {
    const value =
      name === 'count' ? finding.count : name === 'subject' ? finding.subject : finding.facts?.[name];
    if (value === undefined) return placeholder;
    return Array.isArray(value) ? value.join(', ') : String(value);
  });
}

/** The stronger of two answers; allow is no action, and so the weakest. */
export function stronger(first: Decision, second: Decision): Decision {
  const rank = ({ action }: Decision) => ACTIONS.indexOf(action as Action);
  return rank(second) > rank(first) ? second : first;
}
