import { digestCall, digestOutcome } from './evidence.ts';
import { pairOf, sameId, shortId, twinOf } from './open-calls.ts';
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
  factsOf,
  forget,
  hold,
  joined,
  NOTHING,
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
  UserEvent,
} from './types.ts';
import {
  activate,
  addFinished,
  addOpen,
  agentName,
  type Draft,
  findAgent,
  frozen,
  isFinished,
  newWorld,
  remember,
  removeWhere,
  rewind,
  shortName,
  thawed,
  type World,
} from './world.ts';

/** The one way forward: what the guard remembers and answers after one more event. Pure. */
export function step(plan: Plan, state: GuardState, event: AgentEvent): readonly [GuardState, Decision] {
  const world = thawed(state);
  const decision = advance(plan, world, event);
  return [frozen(plan, world), decision];
}

export function initialState(plan: Plan): GuardState {
  return frozen(plan, newWorld(plan));
}

/** `step` in place, for the one who owns the world. What throws over a call or a result has changed nothing yet. */
export function advance(plan: Plan, world: World, event: AgentEvent): Decision {
  if (world.disabled && event.type !== 'control') return ALLOW;
  return (HANDLERS.get(event.type) ?? onMark)(plan, world, event);
}

type Handler = (plan: Plan, world: World, event: AgentEvent) => Decision;

/** A table, so that the engine compiles each of them once, and not again in everyone who leads to it. */
const HANDLERS: ReadonlyMap<string, Handler> = /* @__PURE__ */ new Map<string, Handler>([
  ['tool-call', onCall as Handler],
  ['tool-result', onResult as Handler],
  ['user', onUser as Handler],
  ['turn', onBoundary],
  ['round-done', onBoundary],
  ['rewind', onRewind],
  ['control', onControl as Handler],
]);

function onCall(plan: Plan, world: World, event: ToolCallEvent): Decision {
  const tool = shortName(plan, event.tool);
  const rules = plan.rulesFor(event.tool);
  const name = agentName(plan, event.agent);
  if (rules?.exempt === true) {
    const agent = findAgent(world, name);
    const entry = entryOf('tool-call', name, agent?.rounds ?? 0, world.calls, tool);
    // It is not looked at; but whoever calls a tool does not only talk.
    if (agent !== undefined && rules.noop !== true) dispatch(plan, agent, entry, null, plan.witnesses);
    return ALLOW;
  }
  const id = shortId(plan, event.id);
  const call = world.calls + 1;
  const args = rules?.args?.(event.args, call) ?? event.args;
  const seen = args === event.args ? event : { ...event, args };
  const exact = plan.needsExact || id === '' ? digestCall(tool, args, plan.digestText) : 0;
  const known = sameId(world.open, id, name, tool, exact);
  if (known !== undefined) return decisionOf(plan, known.answer, known.call, name);
  const current = findAgent(world, name);
  if (current !== undefined && isFinished(current, id, exact)) return ALLOW;

  const opens = current === undefined || !current.turns || !current.open;
  const round = (current?.rounds ?? 0) + (opens ? 1 : 0);
  const twin = plan.duplicates === 'once' ? twinOf(world.open, name, round, exact) : undefined;
  const entry = entryOf('tool-call', name, round, call, tool, exact, 0, 'unknown', rules);
  const facts = factsOf(plan, entry, seen, null);
  const noted = notesOn(plan, seen);

  const agent = activate(plan, world, name);
  let ended = NOTHING;
  if (opens) {
    remember(world, agent);
    ended = endRound(plan, agent, world.calls);
    openRound(agent);
  }
  world.calls = call;
  const answer =
    twin === undefined
      ? judged(plan, agent, ended, dispatch(plan, agent, entry, facts), entry.poll === true)
      : twin.answer;
  const silent = twin !== undefined;
  addOpen(world, { call, id, agent: name, round, tool, exact, done: false, silent, answer, noted });
  return decisionOf(plan, answer, call, name);
}

/** The answer to a call: at once, or when the round is checked. */
function judged(
  plan: Plan,
  agent: Draft,
  ended: typeof NOTHING,
  found: typeof NOTHING,
  poll: boolean,
): Answer | null {
  if (plan.rounds !== 'round' || !agent.turns) return decide(plan, agent, joined(ended, found));
  if (!poll) hold(plan, agent, 'tool-call', found);
  return decide(plan, agent, ended);
}

function onResult(plan: Plan, world: World, event: ToolResultEvent): Decision {
  const call = pairOf(plan, world.open, event);
  if (call === undefined) return ALLOW;
  const { tool, exact } = call;
  const rules = plan.rulesFor(event.tool ?? tool);
  const seen = rules?.output === undefined ? event : { ...event, output: rules.output(event.output) };
  const outcome = plan.needsOutcome ? digestOutcome(seen.output, event.status, plan.digestText) : 0;
  const round = findAgent(world, call.agent)?.rounds ?? 0;
  const entry = entryOf(
    'tool-result',
    call.agent,
    round,
    call.call,
    tool,
    exact,
    outcome,
    event.status,
    rules,
  );
  const facts = factsOf(plan, entry, seen, call.noted);

  const agent = activate(plan, world, call.agent);
  if (call.id !== '' && call.answer === null) addFinished(agent, call.id, exact);
  let answer: Answer | null = null;
  if (!call.silent) {
    const found = dispatch(plan, agent, entry, facts);
    if (entry.sight?.effect === 'new') plan.ledger?.moved(plan, world, agent);
    if (plan.rounds === 'round' && agent.turns) hold(plan, agent, 'tool-result', found);
    else answer = decide(plan, agent, found);
  }
  const halts = answer !== null && plan.ladder[answer.rung]?.action === 'halt';
  settle(plan, world, call, halts ? answer : call.answer);
  return decisionOf(plan, answer, call.call, call.agent);
}

/** The result is in: the call is forgotten, unless it must get the same answer again, by its id or as a twin. */
function settle(plan: Plan, { open }: World, call: OpenCall, answer: Answer | null): void {
  const index = open.indexOf(call);
  if ((call.id !== '' && answer !== null) || plan.duplicates === 'once')
    open[index] = { ...call, answer, done: true, noted: null };
  else if (index === open.length - 1) open.pop();
  else open.splice(index, 1);
}

/** A turn, a person's message or the end of a round: what was open is closed first. */
function onBoundary(plan: Plan, world: World, event: AgentEvent): Decision {
  const agent = activate(plan, world, agentName(plan, event.agent));
  const ended = endRound(plan, agent, world.calls);
  const entry = entryOf(event.type, agent.agent, agent.rounds, world.calls);
  const found =
    event.type === 'round-done' ? NOTHING : dispatch(plan, agent, entry, factsOf(plan, entry, event, null));
  if (event.type === 'user') atUserMessage(plan, agent);
  const answer = decide(plan, agent, joined(ended, found));
  if (event.type !== 'round-done') {
    // From here on the agent may use its ids again, as some providers do.
    agent.finished = [];
    const over = event.type === 'user';
    removeWhere(
      world.open,
      (call) =>
        call.agent === agent.agent && (call.done || (over && (call.id === '' || isStopped(plan, call)))),
    );
  }
  if (event.type === 'turn') {
    agent.turns = true;
    remember(world, agent);
    openRound(agent);
  }
  return decisionOf(plan, answer, world.calls, agent.agent);
}

/** It waits for a person, or has ended the run: after a person's message it is not run any more. */
function isStopped({ ladder }: Plan, { answer }: OpenCall): boolean {
  const action = answer === null ? undefined : ladder[answer.rung]?.action;
  return action === 'ask' || action === 'halt';
}

function onUser(plan: Plan, world: World, event: UserEvent): Decision {
  return event.by === 'host' && !rouses(plan, world, event) ? ALLOW : onBoundary(plan, world, event);
}

/** Whether the host wakes an agent that has rested: then it is asked anew, as by a person. */
function rouses(plan: Plan, world: World, { agent, at }: UserEvent): boolean {
  if (plan.ledger === undefined || at === undefined || !Number.isFinite(at)) return false;
  const own = findAgent(world, agentName(plan, agent));
  return own !== undefined && plan.ledger.rouses(own, at);
}

function onRewind(plan: Plan, world: World, event: AgentEvent): Decision {
  rewind(world, activate(plan, world, agentName(plan, event.agent)));
  return ALLOW;
}

/** Events that concern the check of a round, or detectors alone. */
function onMark(plan: Plan, world: World, event: AgentEvent): Decision {
  if (event.type !== 'calls-known' && plan.listeners[event.type] === undefined) return ALLOW;
  const agent = activate(plan, world, agentName(plan, event.agent));
  const entry = entryOf(event.type, agent.agent, agent.rounds, world.calls);
  let findings = dispatch(plan, agent, entry, factsOf(plan, entry, event, null));
  if (event.type === 'calls-known') {
    findings = joined(agent.held, findings);
    agent.held = NOTHING;
  }
  return decisionOf(plan, decide(plan, agent, findings), world.calls, agent.agent);
}

function onControl(plan: Plan, world: World, event: ControlEvent): Decision {
  if (event.do === 'disable' || event.do === 'enable') world.disabled = event.do === 'disable';
  else if (event.do === 'reset')
    Object.assign(world, { ...newWorld(plan), calls: world.calls, disabled: world.disabled });
  else {
    const agent = activate(plan, world, agentName(plan, event.agent));
    if (event.do === 'delivered') deliver(plan, agent, event.scope);
    else {
      if (event.do === 'approve' || (event.n ?? 0) > 0) release(plan, world, agent, event.do === 'grant');
      if (event.do === 'grant') return onMark(plan, world, event);
      // A new start: what was held against the agent so far was let pass.
      agent.strikes = [];
      if (agent.last !== null) forget(plan, agent, (plan.ladder[agent.last.rung] as Rung).on);
      // A yes to calls that were refused is one to what they were refused for, too.
      plan.ledger?.renew(plan, agent);
    }
  }
  return ALLOW;
}

/** A person has let the agent go on: a call that was held, or that was approved, is free when it is presented again. */
function release(plan: Plan, { open }: World, { agent }: Draft, heldOnly: boolean): void {
  open.forEach((call, index) => {
    if (call.agent !== agent || call.answer === null) return;
    if (heldOnly && plan.ladder[call.answer.rung]?.action !== 'ask') return;
    open[index] = { ...call, answer: null, done: false };
  });
}
