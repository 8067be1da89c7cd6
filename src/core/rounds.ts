import { choose, render } from './ladder.ts';
import type { Plan, ToolRules } from './plan.ts';
import { ANY, ANYTHING } from './topics.ts';
import type {
  AgentEvent,
  AgentState,
  Allow,
  Answer,
  Decision,
  Detector,
  Entry,
  EventType,
  Finding,
  Json,
  OpenCall,
  Rung,
  Status,
  ToolCallEvent,
} from './types.ts';
import { type Draft, SILENT } from './world.ts';

type Observing = Detector & { readonly observe: NonNullable<Detector['observe']> };

export const MAX_STRIKES = 8;
const NOBODY: readonly number[] = [];

export const NOTHING: readonly Finding[] = [];
export const ALLOW: Allow = { action: 'allow' };

/** What is remembered of an event; one that is about no call has no tool. */
export function entryOf(
  event: EventType,
  agent: string,
  round: number,
  call: number,
  tool = '',
  exact = 0,
  outcome = 0,
  status: Status = 'unknown',
  rules?: ToolRules,
): Entry {
  return {
    event,
    call,
    round,
    main: agent === '',
    tool,
    exact,
    outcome,
    status,
    effect: rules?.effect,
    poll: rules?.unique === true || rules?.poll,
    kind: null,
    sight: null,
    at: 0,
    topics: ANYTHING,
  };
}

/** The facts that listening detectors need from a payload, in their order; read before anything is changed. */
export function factsOf(
  plan: Plan,
  entry: Entry,
  event: AgentEvent,
  noted: OpenCall['noted'],
): readonly Json[] | null {
  let facts: Json[] | null = null;
  for (const index of plan.observers[entry.event] ?? NOBODY) {
    const fact = (plan.detectors[index] as Observing).observe(event, noted?.[index] ?? null, entry);
    if (fact === null) continue;
    facts ??= new Array<Json>(index + 1);
    facts[index] = fact;
  }
  return facts;
}

/** Tells every detector that listens. */
export function dispatch(
  plan: Plan,
  agent: Draft,
  entry: Entry,
  facts: readonly Json[] | null,
  listeners: readonly number[] | undefined = plan.listeners[entry.event],
): readonly Finding[] {
  let findings: Finding[] | null = null;
  const { wakes, initial } = plan;
  for (const index of listeners ?? NOBODY) {
    const own = agent.detectors[index] as Json;
    // Most sleep: these two lists are all that is looked at for them.
    if (((wakes[index] as number) & entry.topics) === 0 && own === initial[index]) continue;
    const detector = plan.detectors[index] as Detector;
    const result = detector.reduce(own, entry, facts?.[index] ?? null);
    if (result === null) continue;
    agent.detectors[index] = result[0];
    const finding = result[1];
    if (finding !== null) {
      findings ??= [];
      findings.push(finding);
    }
  }
  return findings ?? NOTHING;
}

/** What detectors want to know of a call when its result comes. */
export function notesOn(plan: Plan, call: ToolCallEvent): OpenCall['noted'] {
  let notes: Json[] | null = null;
  for (const index of plan.noters) {
    const note = plan.detectors[index]?.note?.(call) ?? null;
    if (note === null) continue;
    notes ??= [];
    while (notes.length < index) notes.push(null);
    if (notes.length === 0) notes = [note];
    else notes.push(note);
  }
  return notes;
}

export function openRound(agent: Draft): void {
  agent.open = true;
  agent.rounds += 1;
  agent.spoke = SILENT;
}

/** Closes the open round, if there is one: what was held, and what detectors that count rounds say. */
export function endRound(plan: Plan, agent: Draft, call: number): readonly Finding[] {
  if (!agent.open) return NOTHING;
  const { held } = agent;
  agent.open = false;
  agent.held = NOTHING;
  if (plan.listeners['round-done'] === undefined) return held;
  const entry = entryOf('round-done', agent.agent, agent.rounds, call);
  // Who had nothing on his mind before a round ended has nothing after it.
  entry.topics = ANY;
  return joined(held, dispatch(plan, agent, entry, null));
}

/** Keeps the latest word of each detector until the round is checked: a batch is judged as it ends. */
export function hold(plan: Plan, agent: Draft, event: EventType, findings: readonly Finding[]): void {
  if (findings.length === 0 && agent.held.length === 0) return;
  const spoken = plan.listeners[event]?.map((index) => plan.names[index]) ?? [];
  agent.held = [...agent.held.filter((held) => !spoken.includes(held.detector)), ...findings];
}

export function joined(first: readonly Finding[], second: readonly Finding[]): readonly Finding[] {
  return first.length === 0 ? second : second.length === 0 ? first : [...first, ...second];
}

/** What a person's message clears. */
export function atUserMessage(plan: Plan, agent: Draft): void {
  if (plan.strikes === 'turn' || plan.strikes === 'subject') agent.strikes = [];
  if (plan.userBoundary === 'keep') return;
  plan.detectors.forEach(({ initial, failures }, index) => {
    if (plan.userBoundary !== 'keep-failures' || failures !== true) agent.detectors[index] = initial;
  });
}

/** The answer to these findings, and what giving it changes. */
export function decide(plan: Plan, agent: Draft, findings: readonly Finding[]): Answer | null {
  if (findings.length === 0) return null;
  plan.onFindings?.(findings);
  const limit = plan.answers === 'first' && agent.spoke !== SILENT ? agent.spoke : plan.ladder.length;
  const strikesOf = (rung: Rung, finding: Finding) =>
    strikesFor(agent, strikeKey(plan, rung.on, finding.subject));
  const answer = choose(plan.ladder, findings, limit, strikesOf, plan.rulesFor);
  if (answer === null) return null;
  const { action } = plan.ladder[answer.rung] as Rung;
  agent.spoke = answer.rung;
  agent.last = { rung: answer.rung, subject: answer.finding.subject, delivered: action === 'observe' };
  // A nudge needs a way to the model, and the host says when it got there; every other answer is its own delivery.
  if (action !== 'nudge' && action !== 'observe') deliver(plan, agent);
  return answer;
}

/**
 * An answer has reached the model: a strike, and a new start for its detector where the rung says so. `about` = a nudge that had to wait, as
 * its detector, a space and its subject; otherwise it is the last answer.
 */
export function deliver(plan: Plan, agent: Draft, about?: string): void {
  const { last } = agent;
  const spoke = last && plan.ladder[last.rung];
  const rung =
    about === undefined
      ? spoke
      : plan.ladder.find(({ on, action }) => action === 'nudge' && about.startsWith(`${on} `));
  if (!rung) return;
  const subject = about?.slice(rung.on.length + 1) ?? last?.subject ?? '';
  if (spoke?.on === rung.on && last?.subject === subject) {
    if (last.delivered) return;
    agent.last = { ...last, delivered: true };
  }
  const key = strikeKey(plan, rung.on, subject);
  const others = agent.strikes.filter(([other]) => other !== key);
  agent.strikes = [[key, strikesFor(agent, key) + 1] as const, ...others].slice(0, MAX_STRIKES);
  if (rung.forget === true) forget(plan, agent, rung.on);
}

export function forget(plan: Plan, agent: Draft, detector: string): void {
  const index = plan.names.indexOf(detector);
  agent.detectors[index] = plan.initial[index] as Json;
  if (plan.detectors[index]?.ledger) plan.ledger?.renew(plan, agent);
}

export function decisionOf(plan: Plan, answer: Answer | null, call: number, agent: string): Decision {
  if (answer === null) return ALLOW;
  const { action, level, hint, message, prompt } = plan.ladder[answer.rung] as Rung;
  const { finding } = answer;
  return {
    action,
    ...(level && { level }),
    ...(hint && { hint }),
    message: render(message, finding),
    ...(prompt && { prompt: render(prompt, finding) }),
    finding,
    call,
    ...(agent && { agent }),
  };
}

function strikeKey(plan: Plan, detector: string, subject: string): string {
  return plan.strikes === 'subject' ? `${detector} ${subject}` : detector;
}

function strikesFor(agent: AgentState, key: string): number {
  return agent.strikes.find(([other]) => other === key)?.[1] ?? 0;
}
