import type { Decision, Json, ToolCallEvent, ToolResultEvent } from '../core/types.ts';
import type { Tallies } from '../swarm/seat.ts';
import { ask, hold } from './asking.ts';
import type { HostCall, HostResult } from './run.ts';
import { deskOf, hearRest, heed, heedLater, own, put, type Running, take, touch } from './running.ts';
import type { StopReason } from './stop-reason.ts';
import { RUN, type Verdict } from './verdict.ts';

/** `known` = the guard has seen the call, so that it need not be presented again after a yes; `asked` = what the swarm will say to it. */
type Judged = {
  readonly verdict: Verdict;
  readonly known: boolean;
  readonly number?: number;
  readonly asked?: Tallies | undefined;
};

/** What most calls get. */
const ALLOWED: Judged = { verdict: RUN, known: true };

/** What a call gets whose question has ended without an answer: it is not judged again, because the agent is at something else by now. */
export const DROPPED: Verdict = {
  do: 'answer',
  text: 'This call was not run: it waited for a person to allow it, and the person has written a new message instead.',
};

function judged(run: Running, call: HostCall): Judged {
  const { swarm } = run;
  if (run.given !== null) own(run, true);
  hearRest(run, call.agent);
  const desk = deskOf(run, call.agent);
  if (desk.stop !== null) return { verdict: stopped(desk.stop.reason), known: false };
  if (desk.question !== null) return { verdict: hold(desk, call), known: false };
  const { id, tool, args = null, agent } = call;
  const event: ToolCallEvent = { type: 'tool-call', id, tool, args: args as Json, agent, at: run.clock() };
  swarm?.listener.take();
  const decision = take(run, event);
  put(run, decision, agent, true);
  if (swarm === undefined && decision.action === 'allow') return ALLOWED;
  const verdict = verdictOf(run, decision, call);
  const heard = swarm?.listener.take() ?? null;
  if (heard === null || verdict.do === 'answer' || verdict.do === 'stop') return { verdict, known: true };
  return { verdict, known: true, number: run.guard.calls, asked: swarm?.seat.called(event, heard) };
}

function verdictOf(run: Running, decision: Decision, call: HostCall): Verdict {
  if (decision.action === 'block') return { do: 'answer', text: decision.message };
  const desk = deskOf(run, decision.action === 'allow' ? call.agent : (decision.agent ?? call.agent));
  return desk.stop === null ? hold(desk, call) : stopped(desk.stop.reason);
}

function stopped(reason: StopReason): Verdict {
  return { do: 'stop', text: reason.message, reason };
}

/** The verdict as far as it is known at once. */
export function before(run: Running, call: HostCall): Verdict {
  const { verdict, asked } = judged(run, call);
  if (asked !== undefined) heedLater(run, asked, call.agent);
  return verdict;
}

/** At once where nobody has to be waited for: an async function costs more than all the rest of it. */
export function judge(run: Running, call: HostCall): Verdict | Promise<Verdict> {
  const own = judged(run, call);
  return own.asked === undefined && isFinal(run, own.verdict) ? own.verdict : judgedLater(run, call, own);
}

async function judgedLater(
  run: Running,
  call: HostCall,
  { verdict: own, known, number, asked }: Judged,
): Promise<Verdict> {
  const verdict =
    asked === undefined ? own : verdictOf(run, await heed(run, asked, call.agent, number), call);
  if (isFinal(run, verdict)) return verdict;
  const yes = await ask(run, call.agent);
  if (yes) return known ? RUN : judge(run, call);
  const { stop } = deskOf(run, call.agent);
  return stop === null ? DROPPED : stopped(stop.reason);
}

function isFinal({ onAsk }: Running, verdict: Verdict): boolean {
  return verdict.do !== 'hold' || onAsk === undefined;
}

export function after(
  run: Running,
  call: HostCall,
  { output, status = 'ok', errorType }: HostResult,
  replaceable: boolean,
): string | null {
  const { id, tool, args, agent } = call;
  hearRest(run, agent);
  if (deskOf(run, agent).stop !== null) return null;
  const event: ToolResultEvent = {
    type: 'tool-result',
    id,
    tool,
    args: args as Json,
    agent,
    output: (output ?? '') as Json,
    status,
    errorType,
    at: run.now(),
  };
  const decision = take(run, event);
  const asked = run.swarm?.seat.ended(event, event);
  if (asked) heedLater(run, asked, agent);
  if (replaceable && decision.action === 'nudge' && decision.hint === 'stub') {
    take(run, { type: 'control', do: 'delivered', agent: decision.agent });
    touch(run);
    return decision.message;
  }
  put(run, decision, agent, false);
  return null;
}
