import { digestText } from '../core/digest-text.ts';
import type { Guard } from '../core/guard.ts';
import type { AgentEvent, Decision, Intervention, Json, SwarmTallyEvent } from '../core/types.ts';
import { type AgentNotes, type HookState, notesOn } from './hook-state.ts';
import type { Ending, Host, Reply, Signal, Spent } from './host.ts';
import { count, takeUsage } from './unpaid.ts';

/** What is asked of a guard here. */
export type Judging = Pick<Guard, 'before' | 'accept' | 'delivered'>;
type Call = { readonly id: string | undefined; readonly tool: string; readonly args: Json };
type SignalAt<Place extends Signal['place']> = Extract<Signal, { readonly place: Place }>;

/** What a transcript tells since it was last looked at. */
export type News = {
  readonly offset: number;
  /** `opens` = the first of its model response. */
  readonly endings: readonly (Ending & { readonly opens: boolean })[];
  readonly spent: readonly Spent[];
};
/** Reads on from an offset (-1 = from the end); `open` = calls are open of which no end was heard. */
export type ReadNews = (offset: number, open: boolean) => News;

const ALLOW: Reply = { action: 'allow' };
const STRENGTH: readonly Reply['action'][] = ['allow', 'nudge', 'block', 'ask', 'halt'];
/** Calls that come so soon after the first one of a response, while it still runs, belong to the same response. */
const BATCH_MS = 1000;
/** Whoever writes so soon after the agent came to rest is no person, but another hook that sends it on. */
const RETRY_MS = 1500;
/** A stop is over when nothing was tried for so long: somebody has been there. */
const STOP_MS = 600_000;
const MAX_CALLS = 64;
const MAX_ALLOWED = 16;
/** Notes on an agent that nothing holds back. */
const FREE: Partial<AgentNotes> = {
  stop: '',
  slipped: false,
  question: '',
  reason: '',
  asked: 0,
  about: '',
  nudge: '',
};

/**
 * What one signal of a host leads to. The state is changed in place; the answer is what the host should do, as far as it can do
 * it at this place. `now` = milliseconds since the epoch.
 */
export function takeSignal(
  host: Host,
  state: HookState,
  guard: Judging,
  signal: Signal,
  now: number,
  readNews: ReadNews = noNews,
): Reply {
  const notes = notesOn(state, signal.agent);
  const at = signal.at ?? now;
  const news = readNews(notes.offset, notes.open.length > 0);
  notes.offset = news.offset;
  count(notes, news.spent);
  const before = onMissed(notes, guard, news.endings, signal.agent, at);
  switch (signal.place) {
    case 'call':
      return onCall(host, state, notes, guard, signal, at, before);
    case 'result':
      return answer(host, notes, guard, signal, onResult(notes, guard, signal, at), at);
    case 'batch':
      return answer(host, notes, guard, signal, onBatch(notes, guard, signal, at), at);
    case 'turn':
      Object.assign(notes, { told: true, fresh: true });
      return answer(host, notes, guard, signal, [], at);
    case 'prompt':
      onPrompt(state, notes, guard, signal, at);
      return ALLOW;
    case 'permission': {
      const stopped = state.agents.find(({ stop }) => stop !== '');
      return stopped === undefined ? ALLOW : { action: 'halt', message: signed(stopped.stop) };
    }
    case 'usage':
      count(notes, signal.spent);
      return ALLOW;
    case 'rest':
      state.restedAt = at;
      return ALLOW;
    case 'compaction': {
      const decision = guard.accept({ type: 'compaction', agent: signal.agent, at });
      return answer(host, notes, guard, signal, [decision], at);
    }
  }
}

function onCall(
  host: Host,
  state: HookState,
  notes: AgentNotes,
  guard: Judging,
  signal: SignalAt<'call'>,
  at: number,
  missed: readonly Decision[],
): Reply {
  const { id, tool, args, agent } = signal;
  const key = keyOf(signal);
  const decisions: Decision[] = [...missed];
  // A call that is shown again, by its id, is the same call.
  const again = id !== undefined && notes.shown.includes(key);
  if (!again) {
    if (startsResponse(notes, signal, at)) {
      Object.assign(notes, { fresh: false, round: signal.round ?? -1, since: at, open: [], shown: [] });
      decisions.push(guard.accept(turnEvent(notes, agent, at)));
    }
    notes.shown = [...notes.shown, key].slice(-MAX_CALLS);
    notes.open = [...notes.open, key].slice(-MAX_CALLS);
  }
  const before = guard.before({ id, tool, args, agent, at });
  if (!again || before.action !== 'nudge') decisions.push(before);
  const reply = answer(host, notes, guard, signal, decisions, at);
  // The guard knows of what it blocked itself.
  return answered(state, notes, guard, signal, reply, before.action === 'block', at);
}

/** A call that was answered, as the guard and the notes must know it. */
function answered(
  state: HookState,
  notes: AgentNotes,
  guard: Judging,
  signal: SignalAt<'call'>,
  reply: Reply,
  known: boolean,
  at: number,
): Reply {
  const { agent } = signal;
  const key = keyOf(signal);
  if (reply.action !== 'allow' && reply.action !== 'nudge' && state.allowed.includes(callDigest(signal))) {
    // A person has said so: nothing is held against the agent any more.
    Object.assign(notes, FREE);
    guard.accept({ type: 'control', do: 'approve', agent, at });
    return ALLOW;
  }
  if (reply.action === 'ask') notes.about = key;
  if (reply.action === 'block' || reply.action === 'halt') {
    close(notes, key);
    if (!known) guard.accept(resultEvent(signal, { status: 'blocked', output: reply.message }, at));
  }
  return reply;
}

/** What the swarm has come to, after a signal was taken: the answer to both is the stronger one. */
export function takeTallies(
  host: Host,
  state: HookState,
  guard: Judging,
  signal: Signal,
  tallies: readonly SwarmTallyEvent[],
  now: number,
): Reply {
  const notes = notesOn(state, signal.agent);
  const at = signal.at ?? now;
  const decisions: Decision[] = [];
  let stop: Reply | null = null;
  for (const tally of tallies) {
    const decision = guard.accept(tally);
    // Whoever has stopped the swarm lets it go on, too: nothing of it is kept here.
    if (decision.action === 'halt' && tally.halted !== undefined)
      stop = { action: 'halt', message: signed(decision.message) };
    else decisions.push(decision);
  }
  if (signal.place !== 'call')
    return stop !== null && host.halts.includes(signal.place)
      ? stop
      : answer(host, notes, guard, signal, decisions, at);
  const reply = stop ?? answer(host, notes, guard, signal, decisions, at);
  return answered(state, notes, guard, signal, reply, false, at);
}

/** The stronger of two answers; what only tells the model is told in both. */
export function both(first: Reply, second: Reply): Reply {
  if (first.action === 'nudge' && second.action === 'nudge')
    return { action: 'nudge', message: `${first.message}\n${second.message}` };
  return STRENGTH.indexOf(second.action) > STRENGTH.indexOf(first.action) ? second : first;
}

function onResult(
  notes: AgentNotes,
  guard: Judging,
  signal: SignalAt<'result'>,
  at: number,
): readonly Decision[] {
  const { agent } = signal;
  const key = keyOf(signal);
  close(notes, key);
  if (notes.stop !== '') notes.slipped = true;
  if (notes.about === key) {
    // It ran: a person has said yes.
    guard.accept({ type: 'control', do: 'approve', agent, at });
    Object.assign(notes, { about: '', asked: 0, question: '', reason: '' });
  }
  return [guard.accept(resultEvent(signal, signal, at))];
}

/** What only the transcript tells: results of calls that no hook heard the end of, and calls that no hook was asked about. */
function onMissed(
  notes: AgentNotes,
  guard: Judging,
  endings: News['endings'],
  agent: string | undefined,
  at: number,
): readonly Decision[] {
  const decisions: Decision[] = [];
  for (const ending of endings) {
    const { id, tool, args, status, opens } = ending;
    const key = [keyOf(ending), keyOf({ id: undefined, tool, args })].find((one) => notes.open.includes(one));
    if (key !== undefined) {
      close(notes, key);
      decisions.push(guard.accept(resultEvent({ ...ending, agent }, ending, at)));
    } else if ((status === 'unknown-tool' || status === 'invalid') && !notes.shown.includes(keyOf(ending))) {
      if (opens) decisions.push(guard.accept(turnEvent(notes, agent, at)));
      guard.before({ id, tool, args, agent, at });
      const decision = guard.accept(resultEvent({ ...ending, agent }, ending, at));
      // By now the agent does something else, so that whatever was decided then is only told.
      if (decision.action !== 'allow' && decision.action !== 'observe') notes.nudge = decision.message;
      notes.fresh = true;
    }
  }
  return decisions;
}

/** Calls that no hook was asked about never ran: their tools do not exist, or their arguments were refused. */
function onBatch(
  notes: AgentNotes,
  guard: Judging,
  signal: SignalAt<'batch'>,
  at: number,
): readonly Decision[] {
  const { agent, endings } = signal;
  const decisions: Decision[] = [];
  for (const ending of endings) {
    const key = keyOf(ending);
    close(notes, key);
    if (ending.id === undefined || notes.shown.includes(key)) continue;
    const { id, tool, args } = ending;
    if (notes.fresh) {
      Object.assign(notes, { fresh: false, since: at, open: [], shown: [] });
      decisions.push(guard.accept(turnEvent(notes, agent, at)));
    }
    notes.shown = [...notes.shown, key].slice(-MAX_CALLS);
    decisions.push(guard.before({ id, tool, args, agent, at }));
    decisions.push(guard.accept(resultEvent({ ...ending, agent }, ending, at)));
  }
  Object.assign(notes, { told: true, fresh: true });
  return decisions;
}

function onPrompt(
  state: HookState,
  notes: AgentNotes,
  guard: Judging,
  signal: SignalAt<'prompt'>,
  at: number,
): void {
  const { id, by, text, agent } = signal;
  const known = by === 'unless-known' && id !== undefined && id === state.prompt;
  const retry = state.restedAt !== 0 && at - state.restedAt < RETRY_MS;
  state.prompt = id ?? '';
  state.restedAt = 0;
  notes.fresh = true;
  if (known) return;
  // Whoever has sent it on, it was sent on: nothing of the last stop holds any more.
  for (const other of agent === undefined ? state.agents : [notes]) Object.assign(other, FREE);
  if (by === 'host' || retry) return;
  // The last word of the task before, of which hooks are shown nothing.
  if (notes.unpaid.some((tokens) => tokens > 0)) guard.accept(turnEvent(notes, agent, at));
  guard.accept({ type: 'user', text, agent, at });
}

/** The one answer to all decisions of this place. */
function answer(
  host: Host,
  notes: AgentNotes,
  guard: Judging,
  signal: Signal,
  decisions: readonly Decision[],
  at: number,
): Reply {
  for (const decision of decisions) {
    if (decision.action === 'nudge') notes.nudge = decision.message;
    else if (decision.action === 'ask') ask(notes, signal, decision, at);
    else if (decision.action === 'halt') halt(notes, decision.message, at);
  }
  if (signal.place === 'call') {
    const reply = held(host, notes, signal, at);
    if (reply !== null) return reply;
    const blocked = decisions.find(({ action }) => action === 'block');
    if (blocked !== undefined && blocked.action !== 'allow') {
      notes.nudge = '';
      return { action: 'block', message: signed(blocked.message) };
    }
  } else if (notes.stop !== '' && host.halts.includes(signal.place))
    return { action: 'halt', message: signed(notes.stop) };
  // What stops the next call is told now, so that the model can end by itself.
  const words = notes.nudge || decisions.map(stopping).find((message) => message !== '') || '';
  if (words === '' || !host.reaches(signal)) return ALLOW;
  notes.nudge = '';
  guard.delivered(signal.agent);
  return { action: 'nudge', message: signed(words) };
}

/** What keeps a call from running whatever it is: a stop, or a question to a person. Null = nothing. */
function held(host: Host, notes: AgentNotes, signal: SignalAt<'call'>, at: number): Reply | null {
  if (notes.stop !== '' && at - notes.stoppedAt > STOP_MS) Object.assign(notes, { stop: '', slipped: false });
  if (notes.question !== '' && notes.stop === '') {
    // Calls of one response all wait for the same answer.
    if (notes.asked === 0 || notes.askedIn === notes.since) {
      Object.assign(notes, { asked: 1, askedIn: notes.since });
      return { action: 'ask', message: signed(notes.question), reason: signed(notes.reason) };
    }
    // Nobody said yes last time, so nobody is there to ask.
    halt(notes, notes.reason, at);
  }
  if (notes.stop === '') return null;
  Object.assign(notes, { stoppedAt: at, nudge: '' });
  if (host.halts.includes('call')) return { action: 'halt', message: signed(notes.stop) };
  if (!notes.slipped && host.comesBy?.(signal) === true) return ALLOW;
  return {
    action: 'halt',
    message: signed(`${notes.stop} No tool will run until the user has written.`),
  };
}

/** A question that could not be put before comes again: there was no call to put it at, and there may never be one. */
function ask(
  notes: AgentNotes,
  { place }: Signal,
  { message, prompt = message }: Intervention,
  at: number,
): void {
  if (notes.question !== '' && place !== 'call') halt(notes, message, at);
  else Object.assign(notes, { question: prompt, reason: message });
}

function halt(notes: AgentNotes, message: string, at: number): void {
  Object.assign(notes, { stop: message, stoppedAt: at, question: '', reason: '' });
}

function stopping(decision: Decision): string {
  return decision.action === 'ask' || decision.action === 'halt' ? decision.message : '';
}

function noNews(offset: number): News {
  return { offset, endings: [], spent: [] };
}

/** Whether a call is the first one of a model response: as the host tells it, or else by what still runs. */
function startsResponse(notes: AgentNotes, { round }: SignalAt<'call'>, at: number): boolean {
  if (notes.fresh) return true;
  if (round !== undefined) return round !== notes.round;
  return !notes.told && (notes.open.length === 0 || at - notes.since > BATCH_MS);
}

/** A model response, with the tokens of all that were counted since the last one. */
function turnEvent(notes: AgentNotes, agent: string | undefined, at: number): AgentEvent {
  return { type: 'turn', agent, at, usage: takeUsage(notes) };
}

function resultEvent(
  { id, tool, args, agent }: Call & { readonly agent: string | undefined },
  { status, output }: Pick<Ending, 'status' | 'output'>,
  at: number,
): AgentEvent {
  return { type: 'tool-result', id, tool, args, agent, status, output, at };
}

/** A call's id, or what it is without one. */
function keyOf(call: Call): string {
  return call.id ?? callDigest(call);
}

/** What a call is, whichever time it is made. */
export function callDigest({ tool, args }: Pick<Call, 'tool' | 'args'>): string {
  return digestText(`${tool}\n${JSON.stringify(args)}`).toString(36);
}

/** From now on this call runs, whatever the guard finds in it, and nothing holds the session back. */
export function allowCall(state: HookState, digest: string): void {
  state.allowed = [...state.allowed.filter((one) => one !== digest), digest].slice(-MAX_ALLOWED);
  for (const notes of state.agents) Object.assign(notes, FREE);
}

function close(notes: AgentNotes, key: string): void {
  const index = notes.open.indexOf(key);
  if (index >= 0) notes.open = notes.open.toSpliced(index, 1);
}

/** So that the model, and whoever reads along, knows whose words these are. */
function signed(message: string): string {
  return `[deloop] ${message}`;
}
