import {
  agentName,
  agentOf,
  copyOf,
  type Draft,
  NOTHING,
  newAgent,
  saved,
  shortName,
  withAgent,
} from './agent.ts';
import { digestCall, digestOutcome } from './evidence.ts';
import { pairOf, sameId, shortId, twinOf, withFinished, withOpen } from './open-calls.ts';
import type { Plan } from './plan.ts';
import {
  ALLOW,
  atUserMessage,
  decide,
  decisionOf,
  deliver,
  dispatch,
  endRound,
  entryOf,
  forget,
  hold,
  joined,
  notesOn,
  openRound,
} from './rounds.ts';
import type {
  AgentEvent,
  Answer,
  ControlEvent,
  Decision,
  GuardState,
  OpenCall,
  Rung,
  ToolCallEvent,
  ToolResultEvent,
} from './types.ts';

type Outcome = readonly [GuardState, Decision];

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
  const agents = [newAgent(plan, '')];
  return {
    version: 1,
    detectors: plan.names,
    calls: 0,
    disabled: false,
    agents,
    open: [],
    undo: [],
  };
}

function onCall(plan: Plan, state: GuardState, event: ToolCallEvent): Outcome {
  const tool = shortName(plan, event.tool);
  const rules = plan.rulesFor(tool);
  if (rules?.exempt === true || rules?.noop === true) return [state, ALLOW];
  const name = agentName(plan, event.agent);
  const id = shortId(plan, event.id);
  const known = sameId(state.open, id, name);
  if (known !== undefined) return [state, decisionOf(plan, known.answer, known.call, name)];
  const before = agentOf(plan, state.agents, name);
  if (id !== '' && before.finished.includes(id)) return [state, ALLOW];

  const agent = copyOf(before);
  const ended = agent.turns ? NOTHING : endRound(plan, agent, state.calls);
  const undo = agent.open ? state.undo : saved(state.undo, before);
  if (!agent.open) openRound(agent);
  const call = state.calls + 1;
  const args = rules?.args?.(event.args, call) ?? event.args;
  const seen = args === event.args ? event : { ...event, args };
  const exact = plan.needsExact || id === '' ? digestCall(tool, args, plan.digestText) : 0;
  const twin = plan.duplicates === 'once' ? twinOf(state.open, name, agent.rounds, exact) : undefined;
  let answer: Answer | null = null;
  if (twin === undefined) {
    const entry = entryOf('tool-call', agent, call, tool, exact, 0, 'unknown', rules);
    const found = dispatch(plan, agent, entry, seen, null);
    if (plan.rounds === 'round' && agent.turns) {
      hold(plan, agent, 'tool-call', found);
      answer = decide(plan, agent, ended);
    } else answer = decide(plan, agent, joined(ended, found));
  } else answer = twin.answer;

  const next: GuardState = {
    version: 1,
    detectors: plan.names,
    calls: call,
    disabled: false,
    agents: withAgent(state.agents, agent),
    open: withOpen(state.open, {
      call,
      id,
      agent: name,
      round: agent.rounds,
      tool,
      exact,
      done: false,
      silent: twin !== undefined,
      answer,
      noted: plan.noters.length === 0 ? null : notesOn(plan, seen),
    }),
    undo,
  };
  return [next, decisionOf(plan, answer, call, name)];
}

function onResult(plan: Plan, state: GuardState, event: ToolResultEvent): Outcome {
  const call = pairOf(plan, state.open, event);
  if (call === undefined) return [state, ALLOW];
  const agent = copyOf(agentOf(plan, state.agents, call.agent));
  if (call.id !== '' && call.answer === null) agent.finished = withFinished(agent.finished, call.id);
  let answer: Answer | null = null;
  if (!call.silent) {
    const rules = plan.rulesFor(call.tool);
    const outcome = plan.needsOutcome
      ? digestOutcome(rules?.output?.(event.output) ?? event.output, event.status, plan.digestText)
      : 0;
    const entry = entryOf(
      'tool-result',
      agent,
      call.call,
      call.tool,
      call.exact,
      outcome,
      event.status,
      rules,
    );
    const found = dispatch(plan, agent, entry, event, call.noted);
    if (plan.rounds === 'round' && agent.turns) hold(plan, agent, 'tool-result', found);
    else answer = decide(plan, agent, found);
  }
  const next: GuardState = {
    version: 1,
    detectors: plan.names,
    calls: state.calls,
    disabled: false,
    agents: withAgent(state.agents, agent),
    open: settled(state.open, call, isHalt(plan, answer) ? answer : call.answer),
    undo: state.undo,
  };
  return [next, decisionOf(plan, answer, call.call, call.agent)];
}

/** Without the call whose result is in; one that got an answer stays, to get it again under the same id. */
function settled(open: readonly OpenCall[], call: OpenCall, answer: Answer | null): readonly OpenCall[] {
  if (call.id !== '' && answer !== null) {
    return open.map((other) => (other === call ? { ...call, answer, done: true, noted: null } : other));
  }
  return open.length === 1 ? [] : open.filter((other) => other !== call);
}

function isHalt(plan: Plan, answer: Answer | null): boolean {
  return answer !== null && plan.ladder[answer.rung]?.action === 'halt';
}

/** A turn, a person's message or the end of a round: what was open is closed first. */
function onBoundary(plan: Plan, state: GuardState, event: AgentEvent): Outcome {
  const agent = draftOf(plan, state, event);
  const ended = endRound(plan, agent, state.calls);
  const entry = entryOf(event.type, agent, state.calls);
  const found = event.type === 'round-done' ? NOTHING : dispatch(plan, agent, entry, event, null);
  if (event.type === 'user') atUserMessage(plan, agent);
  const answer = decide(plan, agent, joined(ended, found));
  let { undo } = state;
  if (event.type === 'turn') {
    agent.turns = true;
    undo = saved(undo, copyOf(agent));
    openRound(agent);
  }
  const next: GuardState = {
    ...state,
    agents: withAgent(state.agents, agent),
    open: event.type === 'round-done' ? state.open : unfinished(state.open, agent),
    undo,
  };
  return [next, decisionOf(plan, answer, state.calls, agent.agent)];
}

/** From here on the agent may use its ids again, as some providers do. */
function unfinished(open: readonly OpenCall[], agent: Draft): readonly OpenCall[] {
  agent.finished = [];
  return open.some((call) => call.done)
    ? open.filter((call) => !call.done || call.agent !== agent.agent)
    : open;
}

function draftOf(plan: Plan, state: GuardState, event: AgentEvent): Draft {
  return copyOf(agentOf(plan, state.agents, agentName(plan, event.agent)));
}

function onCallsKnown(plan: Plan, state: GuardState, event: AgentEvent): Outcome {
  const agent = draftOf(plan, state, event);
  const { held } = agent;
  agent.held = NOTHING;
  return answered(plan, state, agent, decide(plan, agent, held));
}

/** Events that concern detectors alone. */
function onMark(plan: Plan, state: GuardState, event: AgentEvent): Outcome {
  if (plan.listeners[event.type] === undefined) return [state, ALLOW];
  const agent = draftOf(plan, state, event);
  const found = dispatch(plan, agent, entryOf(event.type, agent, state.calls), event, null);
  return answered(plan, state, agent, decide(plan, agent, found));
}

function answered(plan: Plan, state: GuardState, agent: Draft, answer: Answer | null): Outcome {
  return [
    { ...state, agents: withAgent(state.agents, agent) },
    decisionOf(plan, answer, state.calls, agent.agent),
  ];
}

function onRewind(plan: Plan, state: GuardState, event: AgentEvent): Outcome {
  const current = draftOf(plan, state, event);
  const before = state.undo.find((agent) => agent.agent === current.agent);
  if (before === undefined || !current.open) return [state, ALLOW];
  return [
    {
      ...state,
      agents: withAgent(state.agents, { ...before, turns: current.turns }),
      open: state.open.filter((call) => call.agent !== current.agent || call.round <= before.rounds),
      undo: state.undo.filter((agent) => agent !== before),
    },
    ALLOW,
  ];
}

function onControl(plan: Plan, state: GuardState, event: ControlEvent): Outcome {
  if (event.do === 'reset') return [{ ...initialState(plan), calls: state.calls }, ALLOW];
  if (event.do === 'disable' || event.do === 'enable')
    return [{ ...state, disabled: event.do === 'disable' }, ALLOW];
  const agent = draftOf(plan, state, event);
  if (event.do === 'grant') return onMark(plan, { ...state, open: released(state.open, agent) }, event);
  if (agent.last === null) return [state, ALLOW];
  if (event.do === 'delivered') {
    deliver(plan, agent);
    return answered(plan, state, agent, null);
  }
  forget(plan, agent, (plan.ladder[agent.last.rung] as Rung).on);
  return answered(plan, { ...state, open: released(state.open, agent) }, agent, null);
}

/** A person has let the agent go on: a call that was held is free when it is presented again. */
function released(open: readonly OpenCall[], { agent }: Draft): readonly OpenCall[] {
  return open.map((call) =>
    call.agent === agent && call.answer !== null ? { ...call, answer: null } : call,
  );
}
