import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { applyConfig } from '../../src/config/apply-config.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import { guardsOf } from '../../src/guards.ts';
import type { AgentEvent, Decision, Guard, Intervention } from '../../src/index.ts';
import { type Act, type Beat, isTurn, type Turn } from './beats.ts';

type Telling = {
  /** All that would happen if nobody stepped in: the agent does not listen. */
  readonly run: readonly Beat[];
  /**
   * What is heard, each as `<call> <action> <detector>`, with `of <agent>` unless it is the main one: the first word, then
   * every stronger one. Nothing by default.
   */
  readonly hears?: readonly string[];
  /** Instead of `hears`: the call at which something is said at the latest, and the one at which it ends at the latest. */
  readonly toldBy?: number;
  readonly endsBy?: number;
  /** Instead of `hears`: it may be told something, but is never blocked, held or ended. */
  readonly runsThrough?: boolean;
  /** The most turns with a nudge. */
  readonly nudges?: number;
  readonly config?: Omit<Config, 'preset'>;
  /** Milliseconds that each turn takes; without it the host shows no clock. */
  readonly pace?: number;
  /** A person who is asked says yes, so many times. Otherwise a question ends the run. */
  readonly approvals?: number;
};

const START = Date.UTC(2026, 2, 9, 8, 30);
/** A saved state is never longer, in characters, however long the run. */
const MAX_STATE = 60_000;
/** What no advice may say: how to make a repeat look like something else. */
const EVASION =
  /(?:chang|vary|alter|modif|tweak|add|differ)\w* (?:\w+ ){0,3}(?:argument|parameter|flag|comment|whitespace|wording)/i;
const HELD: readonly string[] = ['block', 'ask', 'halt'];
const STRENGTH: readonly string[] = ['observe', 'nudge', ...HELD];
/** Who is told more often before anything is done about it is nagged. */
const MAX_NUDGES = 8;
/** Turns within which a run that was ended and goes on all the same is held up again. */
const PATIENCE = 14;

/** A named run under the recommended preset, and what its agent and its people hear of the guard. */
export function story(title: string, telling: Telling): void {
  it(title, () => tell(telling));
}

/** A story that does not go as it should yet; it is told as it must become. */
export function openStory(title: string, telling: Telling): void {
  it.fails(title, () => tell(telling));
}

function tell(telling: Telling): void {
  const run = new Run(telling);
  run.play();
  run.staysModest();
  compare(run.heard, telling);
  run.staysStopped();
  run.replays();
  if (!telling.run.every(isPlain) || telling.approvals !== undefined) return;
  // A host that shows neither turns nor ids.
  const bare = new Run(telling, false);
  bare.play();
  compare(bare.heard, telling);
}

function compare(heard: readonly string[], { hears = [], toldBy, endsBy, runsThrough }: Telling): void {
  if (runsThrough === true) expect(heard.filter((word) => !word.includes(' nudge '))).toEqual([]);
  else if (toldBy === undefined) expect(heard).toEqual(hears);
  else {
    expect(Number.parseInt(heard[0] ?? 'never', 10)).toBeLessThanOrEqual(toldBy);
    if (endsBy === undefined) return;
    expect(heard.at(-1)).toMatch(/ (?:ask|halt) /);
    expect(Number.parseInt(heard.at(-1) as string, 10)).toBeLessThanOrEqual(endsBy);
  }
}

/** One call without a word, as a host without turns would show it. */
function isPlain(beat: Beat): boolean {
  return (
    !isTurn(beat) ||
    (beat.acts.length === 1 &&
      beat.text === undefined &&
      beat.usage === undefined &&
      beat.acts[0]?.output !== undefined)
  );
}

/** A story as it is played. The host passes nudges on, leaves blocked calls out, and ends the run when it is told to. */
class Run {
  readonly heard: string[] = [];
  /** By agent: the strongest that was heard so far. */
  private readonly strongest = new Map<string, number>();
  /** How many turns had a nudge. */
  private nudges = 0;
  private nudgedAt = 0;
  private turns = 0;
  private readonly errors: unknown[] = [];
  private readonly telling: Telling;
  /** On a state that was saved, or from the beginning; the options are checked once, not for each of many guards. */
  private readonly guardFrom: (state?: unknown) => Guard;
  private guard: Guard;
  /** Whether the host shows turns and ids. */
  private readonly telltale: boolean;
  private readonly log: (readonly [AgentEvent, Decision])[] = [];
  private approvals: number;
  private clock: number = START;
  private ids = 0;
  /** What was still to come when the run was ended; null = it was not. */
  private cut: readonly Beat[] | null = null;

  constructor(telling: Telling, telltale = true) {
    this.telling = telling;
    this.telltale = telltale;
    const config = parseConfig({ preset: 'recommended', ...telling.config }, 'the story');
    const onError = (error: unknown) => this.errors.push(error);
    const guards = guardsOf(applyConfig(config, 'the story'));
    this.guardFrom = (state) => guards({ state, onError });
    this.approvals = telling.approvals ?? 0;
    this.guard = this.guardFrom();
  }

  play(): void {
    const { run, pace = 0 } = this.telling;
    for (const [index, beat] of run.entries()) {
      const goesOn = isTurn(beat) ? this.turn(beat) : this.send(beat) !== 'over';
      this.clock += pace;
      if (goesOn) continue;
      this.cut = run.slice(index + 1);
      return;
    }
  }

  /** Whether the run goes on after it. */
  private turn({ acts, text, reasoning, usage, agent }: Turn): boolean {
    this.turns += 1;
    const told = given({ text, reasoning, usage, agent });
    if (this.telltale && this.send({ type: 'turn', ...told }) === 'over') return false;
    const running: (readonly [Act, id: string])[] = [];
    for (const act of acts) {
      this.ids += 1;
      const id = `call_${this.ids.toString(36)}`;
      const call: AgentEvent = { type: 'tool-call', ...this.named(act, id, agent) };
      let answer = this.send(call);
      // A call that was held and then approved is presented again.
      if (answer === 'approved') answer = this.send(call);
      if (answer === 'over') return false;
      if (answer !== 'blocked') running.push([act, id]);
    }
    this.clock += (this.telling.pace ?? 0) / 2;
    for (const [act, id] of running) {
      const { output, status = 'ok' } = act;
      if (output === undefined) continue;
      const result: AgentEvent = { type: 'tool-result', ...this.named(act, id, agent), output, status };
      if (this.send(result) === 'over') return false;
    }
    return true;
  }

  private named({ tool, args }: Act, id: string, agent: string | undefined): Omit<Act, 'output' | 'status'> {
    return { tool, args, ...given({ agent, id: this.telltale ? id : undefined }) };
  }

  private send(beat: AgentEvent): 'goes on' | 'blocked' | 'approved' | 'over' {
    const decision = this.accept(this.telling.pace === undefined ? beat : { at: this.clock, ...beat });
    if (decision.action === 'allow') return 'goes on';
    readsWell(decision.message);
    const { action, agent } = decision;
    this.hear(decision);
    if (action === 'nudge') this.accept({ type: 'control', do: 'delivered', ...given({ agent }) });
    if (action === 'block') return 'blocked';
    if (action === 'nudge' || action === 'observe') return 'goes on';
    if (action === 'halt' || this.approvals === 0) return 'over';
    this.approvals -= 1;
    this.strongest.clear();
    this.accept({ type: 'control', do: 'approve', ...given({ agent }) });
    return 'approved';
  }

  private hear(decision: Intervention): void {
    const { action, agent = '' } = decision;
    if (action === 'nudge' && this.nudgedAt !== this.turns) {
      this.nudges += 1;
      this.nudgedAt = this.turns;
    }
    const strength = STRENGTH.indexOf(action);
    if (strength <= (this.strongest.get(agent) ?? -1)) return;
    this.strongest.set(agent, strength);
    this.heard.push(inShort(decision));
  }

  private accept(event: AgentEvent): Decision {
    const decision = this.guard.accept(event);
    this.log.push([event, decision]);
    return decision;
  }

  staysModest(): void {
    expect(this.errors[0]).toBeUndefined();
    expect(this.nudges).toBeLessThanOrEqual(this.telling.nudges ?? MAX_NUDGES);
    expect(JSON.stringify(this.guard.state).length).toBeLessThan(MAX_STATE);
  }

  /** A host that goes on although the run was ended is held up again within a few turns. */
  staysStopped(): void {
    if (this.cut === null) return;
    expect(this.cut.length, 'the run would have gone on').toBeGreaterThan(1);
    const kept = this.guard;
    this.guard = this.guardFrom(JSON.parse(JSON.stringify(kept.state)));
    const from = this.log.length;
    let turns = 0;
    for (const beat of this.cut) {
      if (isTurn(beat)) this.turn(beat);
      else this.send(beat);
      if (isTurn(beat)) turns += 1;
      if (turns === PATIENCE) break;
    }
    const later = this.log.splice(from);
    this.guard = kept;
    expect(
      later.map(([, { action }]) => action),
      'it stays stopped',
    ).toSatisfy((actions: readonly string[]) => actions.some((action) => HELD.includes(action)));
  }

  /** The same decisions again from the recorded events, as JSON, when the state is saved and restored after each. */
  replays(): void {
    let state: unknown;
    for (const [event, decision] of this.log) {
      const guard = this.guardFrom(state);
      const again = guard.accept(JSON.parse(JSON.stringify(event)) as AgentEvent);
      // Vitest's own comparison takes many times as long.
      if (!isDeepStrictEqual(again, decision)) expect(again).toEqual(decision);
      state = JSON.parse(JSON.stringify(guard.state));
    }
  }
}

function inShort({ call, action, finding, agent }: Intervention): string {
  return `${call} ${action} ${finding.detector}${agent === undefined ? '' : ` of ${agent}`}`;
}

function readsWell(message: string): void {
  expect(message).not.toMatch(/\{\w+\}/);
  expect(message).not.toMatch(EVASION);
}

/** The fields that have a value. */
function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
