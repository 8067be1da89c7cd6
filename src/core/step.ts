import { digestCall, digestOutcome, identityOf } from './evidence.ts';
import { choose, render } from './ladder.ts';
import type { Plan } from './plan.ts';
import type { ToolRules } from './tools.ts';
import type {
  AgentEvent,
  AgentState,
  Allow,
  Answer,
  ControlEvent,
  Decision,
  Entry,
  EventType,
  Finding,
  GuardState,
  Json,
  OpenCall,
  Rung,
  ToolCallEvent,
  ToolResultEvent,
} from './types.ts';

/** Sub-agents remembered at once; the least recently active is forgotten first, the main agent never. */
export const MAX_AGENTS = 12;
/** Calls whose results may still come; more parallel calls than that and the oldest results are not paired. */
export const MAX_OPEN = 64;
/** Agents that can be rewound. */
const MAX_UNDO = 2;
const MAX_STRIKES = 16;
const MAX_NAME = 64;

export const ALLOW: Allow = { action: 'allow' };
const NOTHING: readonly Finding[] = [];
const SILENT = -1;

type Outcome = readonly [GuardState, Decision];
type Seen = readonly [AgentState, readonly Finding[]];

/** The one way forward: what the guard remembers and answers after one more event. Pure. */
export function step(plan: Plan, state: GuardState, event: AgentEvent): Outcome {
  if (event.type === 'control') return onControl(plan, state, event);
  if (state.disabled) return [state, ALLOW];
  switch (event.type) {
    case 'tool-call':
      return onCall(plan, state, event);
    case 'tool-result':
      return onResult(plan, state, event);
    case 'rewind':
      return onRewind(plan, state, event);
    case 'user':
      return event.by === 'host' ? [state, ALLOW] : onBoundary(plan, state, event);
    case 'turn':
    case 'round-done':
      return onBoundary(plan, state, event);
    case 'calls-known':
      return onCallsKnown(plan, state, event);
    default:
      return onMark(plan, state, event);
  }
}

export function initialState(plan: Plan): GuardState {
  return { version: 1, calls: 0, disabled: false, agents: [newAgent(plan, '')], open: [], undo: [] };
}

/** A name in a form that is safe to keep: long ones are cut and told apart by a digest. */
export function shortName(plan: Plan, name: string): string {
  return name.length <= MAX_NAME
    ? name
    : `${name.slice(0, MAX_NAME - 12)}~${plan.digestText(name).toString(36)}`;
}

function onCall(plan: Plan, state: GuardState, event: ToolCallEvent): Outcome {
  const tool = shortName(plan, event.tool);
  const rules = plan.rulesFor(tool);
  if (rules?.exempt === true || rules?.noop === true) return [state, ALLOW];
  const before = agentOf(plan, state, event);
  const id = event.id === undefined ? 0 : plan.digestText(event.id);
  const known =
    id === 0 ? undefined : state.open.find((open) => open.id === id && open.agent === before.agent);
  if (known !== undefined) return [state, decisionOf(plan, known.answer, known.call)];

  const [rested, ended] = before.turns ? ([before, NOTHING] as const) : endRound(plan, state, before);
  const agent = rested.open ? rested : openRound(rested);
  const undo = rested.open ? state.undo : saved(state.undo, rested);
  const call = state.calls + 1;
  const args = rules?.identity === undefined ? event.args : identityOf(event.args, rules.identity, call);
  const seen = args === event.args ? event : { ...event, args };
  const wantsExact = plan.needsExact || plan.duplicates === 'once' || id === 0;
  const exact = wantsExact ? digestCall(tool, args, plan.digestText) : 0;
  const twin = plan.duplicates === 'once' ? twinOf(state.open, agent, exact) : undefined;

  const entry = entryOf('tool-call', agent, call, { tool, exact, rules });
  const noted: { [detector: string]: Json } = {};
  const [after, found] =
    twin === undefined ? dispatch(plan, agent, entry, seen, null, noted) : [agent, NOTHING];
  const waits = plan.rounds === 'round' && after.turns;
  const findings = ended.length === 0 || waits ? found : [...ended, ...found];
  const [answered, answer] =
    twin !== undefined
      ? [after, twin.answer]
      : waits
        ? decide(plan, hold(plan, after, 'tool-call', found), ended)
        : decide(plan, after, findings);
  const open: OpenCall = {
    call,
    id,
    agent: agent.agent,
    round: agent.rounds,
    tool,
    exact,
    done: false,
    silent: twin !== undefined,
    answer,
    facts: Object.keys(noted).length === 0 ? null : noted,
  };
  const next: GuardState = {
    version: 1,
    calls: call,
    disabled: false,
    agents: withAgent(state.agents, answered),
    open: state.open.length < MAX_OPEN ? [...state.open, open] : [...state.open.slice(1), open],
    undo,
  };
  return [next, decisionOf(plan, answer, call)];
}

function onResult(plan: Plan, state: GuardState, event: ToolResultEvent): Outcome {
  const index = pairOf(plan, state, event);
  const open = state.open[index];
  if (open === undefined) return [state, ALLOW];
  const rest =
    open.id === 0
      ? state.open.toSpliced(index, 1)
      : state.open.with(index, { ...open, done: true, facts: null });
  const agent = state.agents.find((candidate) => candidate.agent === open.agent);
  if (agent === undefined || open.silent) return [{ ...state, open: rest }, ALLOW];
  const rules = plan.rulesFor(open.tool);
  const entry = entryOf('tool-result', agent, open.call, {
    tool: open.tool,
    exact: open.exact,
    outcome: plan.needsOutcome
      ? digestOutcome(event.output, event.status, rules?.volatile, plan.digestText)
      : 0,
    status: event.status,
    rules,
  });
  const [after, findings] = dispatch(plan, agent, entry, event, open.facts, null);
  const waits = plan.rounds === 'round' && after.turns;
  const [answered, answer] = waits
    ? [hold(plan, after, 'tool-result', findings), null]
    : decide(plan, after, findings);
  return [
    { ...state, agents: withAgent(state.agents, answered), open: rest },
    decisionOf(plan, answer, open.call),
  ];
}

/** A turn, a person's message or the end of a round: what was open is closed first. */
function onBoundary(plan: Plan, state: GuardState, event: AgentEvent): Outcome {
  const before = agentOf(plan, state, event);
  const [ended, findings] = endRound(plan, state, before);
  const entry = entryOf(event.type, ended, state.calls);
  const [told, more] =
    event.type === 'round-done' ? [ended, NOTHING] : dispatch(plan, ended, entry, event, null, null);
  const cleared = event.type === 'user' ? atUserMessage(plan, told) : told;
  const [answered, answer] = decide(plan, cleared, more.length === 0 ? findings : [...findings, ...more]);
  const turn = event.type === 'turn';
  const agent = turn ? openRound({ ...answered, turns: true }) : answered;
  const next: GuardState = {
    ...state,
    agents: withAgent(state.agents, agent),
    open: state.open.filter((open) => !open.done || open.agent !== agent.agent),
    undo: turn ? saved(state.undo, answered) : state.undo,
  };
  return [next, decisionOf(plan, answer, state.calls)];
}

function onCallsKnown(plan: Plan, state: GuardState, event: AgentEvent): Outcome {
  const agent = agentOf(plan, state, event);
  const [answered, answer] = decide(plan, { ...agent, held: NOTHING }, agent.held);
  return [{ ...state, agents: withAgent(state.agents, answered) }, decisionOf(plan, answer, state.calls)];
}

/** Events that concern detectors alone. */
function onMark(plan: Plan, state: GuardState, event: AgentEvent): Outcome {
  if (plan.listeners[event.type] === undefined) return [state, ALLOW];
  const agent = agentOf(plan, state, event);
  const [after, findings] = dispatch(plan, agent, entryOf(event.type, agent, state.calls), event, null, null);
  const [answered, answer] = decide(plan, after, findings);
  return [{ ...state, agents: withAgent(state.agents, answered) }, decisionOf(plan, answer, state.calls)];
}

function onRewind(plan: Plan, state: GuardState, event: AgentEvent): Outcome {
  const name = agentOf(plan, state, event).agent;
  const before = state.undo.find((agent) => agent.agent === name);
  const current = state.agents.find((agent) => agent.agent === name);
  if (before === undefined || current?.open !== true) return [state, ALLOW];
  return [
    {
      ...state,
      agents: withAgent(state.agents, { ...before, turns: current.turns }),
      open: state.open.filter((open) => open.agent !== name || open.round <= before.rounds),
      undo: state.undo.filter((agent) => agent.agent !== name),
    },
    ALLOW,
  ];
}

function onControl(plan: Plan, state: GuardState, event: ControlEvent): Outcome {
  switch (event.do) {
    case 'disable':
    case 'enable':
      return [{ ...state, disabled: event.do === 'disable' }, ALLOW];
    case 'reset':
      return [{ ...initialState(plan), calls: state.calls }, ALLOW];
    case 'delivered': {
      const agent = agentOf(plan, state, event);
      if (agent.last === null || agent.last.delivered) return [state, ALLOW];
      return [{ ...state, agents: withAgent(state.agents, delivered(plan, agent)) }, ALLOW];
    }
    case 'approve': {
      const agent = agentOf(plan, state, event);
      if (agent.last === null) return [state, ALLOW];
      const approved = forgotten(plan, agent, (plan.ladder[agent.last.rung] as Rung).on);
      return [{ ...state, agents: withAgent(state.agents, approved) }, ALLOW];
    }
    case 'grant':
      return onMark(plan, state, event);
  }
}

function newAgent(plan: Plan, agent: string): AgentState {
  return {
    agent,
    rounds: 0,
    turns: false,
    open: false,
    held: NOTHING,
    last: null,
    spoke: SILENT,
    strikes: [],
    detectors: plan.initial,
  };
}

function agentOf(plan: Plan, state: GuardState, event: AgentEvent): AgentState {
  const name = plan.agents === 'together' || event.agent === undefined ? '' : shortName(plan, event.agent);
  for (const agent of state.agents) if (agent.agent === name) return agent;
  return newAgent(plan, name);
}

function withAgent(agents: readonly AgentState[], agent: AgentState): readonly AgentState[] {
  if (agents[0]?.agent === agent.agent) return agents.length === 1 ? [agent] : agents.with(0, agent);
  const others = agents.filter((other) => other.agent !== agent.agent);
  if (others.length < MAX_AGENTS) return [agent, ...others];
  const oldest = others.findLastIndex((other) => other.agent !== '');
  return [agent, ...others.toSpliced(oldest, 1)];
}

function saved(undo: readonly AgentState[], agent: AgentState): readonly AgentState[] {
  if (undo.length === 1 && undo[0]?.agent === agent.agent) return [agent];
  return [agent, ...undo.filter((other) => other.agent !== agent.agent)].slice(0, MAX_UNDO);
}

function openRound(agent: AgentState): AgentState {
  return { ...agent, open: true, rounds: agent.rounds + 1, spoke: SILENT };
}

/** Closes the open round, if there is one: its held findings and those of detectors that count rounds. */
function endRound(plan: Plan, state: GuardState, agent: AgentState): Seen {
  if (!agent.open) return [agent, NOTHING];
  const mark: AgentEvent = { type: 'round-done' };
  const [after, findings] = dispatch(
    plan,
    agent,
    entryOf('round-done', agent, state.calls),
    mark,
    null,
    null,
  );
  const closed = { ...after, open: false, held: NOTHING };
  return [closed, agent.held.length === 0 ? findings : [...agent.held, ...findings]];
}

function atUserMessage(plan: Plan, agent: AgentState): AgentState {
  const strikes = plan.strikes === 'turn' ? [] : agent.strikes;
  if (plan.userBoundary === 'keep') return { ...agent, strikes };
  const kept = plan.detectors.filter(
    (detector) => plan.userBoundary === 'keep-failures' && detector.failures === true,
  );
  const survivors = kept.map((detector) => [detector.name, agent.detectors[detector.name] as Json]);
  return { ...agent, strikes, detectors: { ...plan.initial, ...Object.fromEntries(survivors) } };
}

/** Keeps the latest word of each detector until the round is checked: a batch is judged as it ends. */
function hold(plan: Plan, agent: AgentState, event: EventType, findings: readonly Finding[]): AgentState {
  if (findings.length === 0 && agent.held.length === 0) return agent;
  const listeners = plan.listeners[event] ?? [];
  const others = agent.held.filter((held) => !listeners.some((detector) => detector.name === held.detector));
  return { ...agent, held: [...others, ...findings] };
}

function twinOf(open: readonly OpenCall[], agent: AgentState, exact: number): OpenCall | undefined {
  return open.find(
    (call) => call.agent === agent.agent && call.round === agent.rounds && call.exact === exact,
  );
}

/** By the guard's own number, else by id, else the first open call with the same tool and arguments. */
function pairOf(plan: Plan, state: GuardState, event: ToolResultEvent): number {
  if (event.call !== undefined) return state.open.findIndex((open) => open.call === event.call && !open.done);
  if (event.id !== undefined) {
    const id = plan.digestText(event.id);
    const byId = state.open.findIndex((open) => open.id === id && !open.done && isOf(plan, open, event));
    if (byId >= 0) return byId;
  }
  const tool = event.tool === undefined ? undefined : shortName(plan, event.tool);
  const candidates = state.open.filter(
    (open) =>
      !open.done &&
      (event.id === undefined || open.id === 0) &&
      (tool === undefined || open.tool === tool) &&
      isOf(plan, open, event),
  );
  if (event.args === undefined || tool === undefined) return state.open.indexOf(candidates[0] as OpenCall);
  const identity = plan.rulesFor(tool)?.identity;
  const match = candidates.find((open) => {
    const args =
      identity === undefined ? (event.args as Json) : identityOf(event.args as Json, identity, open.call);
    return open.exact === digestCall(tool, args, plan.digestText);
  });
  return state.open.indexOf(match as OpenCall);
}

/** A result that names no agent belongs to the agent of its call. */
function isOf(plan: Plan, open: OpenCall, event: ToolResultEvent): boolean {
  return (
    plan.agents === 'together' || event.agent === undefined || open.agent === shortName(plan, event.agent)
  );
}

type CallEvidence = {
  readonly tool: string;
  readonly exact: number;
  readonly outcome?: number;
  readonly status?: Entry['status'];
  readonly rules: ToolRules | undefined;
};

function entryOf(event: EventType, agent: AgentState, call: number, seen?: CallEvidence): Entry {
  return {
    event,
    call,
    round: agent.rounds,
    main: agent.agent === '',
    tool: seen?.tool ?? '',
    exact: seen?.exact ?? 0,
    outcome: seen?.outcome ?? 0,
    status: seen?.status ?? 'unknown',
    effect: seen?.rules?.effect,
    poll: seen?.rules?.poll === true,
  };
}

/** Tells every detector that listens; `noted` collects what they want to know again when the result comes. */
function dispatch(
  plan: Plan,
  agent: AgentState,
  entry: Entry,
  event: AgentEvent,
  callFacts: OpenCall['facts'],
  noted: { [detector: string]: Json } | null,
): Seen {
  const listeners = plan.listeners[entry.event];
  if (listeners === undefined) return [agent, NOTHING];
  let detectors: { [name: string]: Json } | null = null;
  let findings: Finding[] | null = null;
  for (const detector of listeners) {
    const name = detector.name;
    const fact = detector.observe === undefined ? null : detector.observe(event, callFacts?.[name] ?? null);
    if (noted !== null && fact !== null && detector.events.includes('tool-result')) noted[name] = fact;
    const own = agent.detectors[name] as Json;
    const [next, finding] = detector.reduce(own, entry, fact);
    if (next !== own) {
      detectors ??= { ...agent.detectors };
      detectors[name] = next;
    }
    if (finding !== null) {
      findings ??= [];
      findings.push(finding);
    }
  }
  return [detectors === null ? agent : { ...agent, detectors }, findings ?? NOTHING];
}

function decide(
  plan: Plan,
  agent: AgentState,
  findings: readonly Finding[],
): readonly [AgentState, Answer | null] {
  if (findings.length === 0) return [agent, null];
  const limit = plan.answers === 'first' && agent.spoke !== SILENT ? agent.spoke : plan.ladder.length;
  const strikesOf = (rung: Rung, finding: Finding) =>
    strikesFor(agent, strikeKey(plan, rung.on, finding.subject));
  const answer = choose(plan.ladder, findings, limit, strikesOf, plan.rulesFor);
  if (answer === null) return [agent, null];
  const rung = plan.ladder[answer.rung] as Rung;
  const last = { rung: answer.rung, subject: answer.finding.subject, delivered: rung.action === 'observe' };
  const spoken = { ...agent, last, spoke: answer.rung };
  // A nudge needs a way to the model, and the host says when it got there; every other answer is its own delivery.
  return [rung.action === 'nudge' || rung.action === 'observe' ? spoken : delivered(plan, spoken), answer];
}

function delivered(plan: Plan, agent: AgentState): AgentState {
  if (agent.last === null) return agent;
  const rung = plan.ladder[agent.last.rung] as Rung;
  const key = strikeKey(plan, rung.on, agent.last.subject);
  const others = agent.strikes.filter(([other]) => other !== key);
  const strikes = [[key, strikesFor(agent, key) + 1] as const, ...others].slice(0, MAX_STRIKES);
  const told: AgentState = { ...agent, strikes, last: { ...agent.last, delivered: true } };
  return rung.forget === true ? forgotten(plan, told, rung.on) : told;
}

function forgotten(plan: Plan, agent: AgentState, detector: string): AgentState {
  return { ...agent, detectors: { ...agent.detectors, [detector]: plan.initial[detector] as Json } };
}

function strikeKey(plan: Plan, detector: string, subject: string): string {
  return plan.strikes === 'subject' ? `${detector} ${subject}` : detector;
}

function strikesFor(agent: AgentState, key: string): number {
  return agent.strikes.find(([other]) => other === key)?.[1] ?? 0;
}

function decisionOf(plan: Plan, answer: Answer | null, call: number): Decision {
  if (answer === null) return ALLOW;
  const { action, level, message } = plan.ladder[answer.rung] as Rung;
  const { finding } = answer;
  return {
    action,
    ...(level === undefined ? {} : { level }),
    message: render(message, finding),
    finding,
    call,
  };
}
