import { DeloopError } from '../../core/errors.ts';
import type { Host, Reply, Signal } from '../../hooks/host.ts';
import { hostOf } from '../../hooks/hosts.ts';
import { isFields } from '../../transcripts/fields.ts';
import { stateFolder } from '../state-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { type HookParts, judge } from './judge.ts';
import { writeProblem } from './log-file.ts';

export type HookRequest = {
  readonly agent: string | undefined;
  readonly shadow: boolean;
  /** The host's payload, as it came. */
  readonly payload: string;
  readonly surroundings: Surroundings;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

/** One hook from payload to answer; a promise only where the session is in a swarm. It never throws: what goes wrong is logged, and the agent goes on. */
export function runHook(request: HookRequest, parts: HookParts): string | Promise<string> {
  const { now, payload, shadow, surroundings } = request;
  const host = hostOf(request.agent);
  let signal: Signal | null = null;
  try {
    if (host === undefined)
      throw new DeloopError('option', `agent is ${request.agent}; deloop knows no such host`);
    signal = decoded(host, request);
    if (signal === null) return '';
    const about = signal;
    const reply = judge(host, about, { surroundings, shadow, now, payload }, parts);
    return reply instanceof Promise
      ? reply.then((late) => textOf(host, late, about))
      : textOf(host, reply, about);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const name = host?.name ?? String(request.agent);
    const folder = stateFolder(surroundings);
    writeProblem(folder, { type: 'problem', at: now, host: name, session: signal?.session, message });
    return '';
  }
}

function textOf(host: Host, reply: Reply, signal: Signal): string {
  const answer = host.encode(reply, signal);
  return answer === null ? '' : JSON.stringify(answer);
}

function decoded(host: Host, { payload, surroundings }: HookRequest): Signal | null {
  let value: unknown;
  try {
    value = JSON.parse(payload.startsWith('\uFEFF') ? payload.slice(1) : payload);
  } catch (cause) {
    throw new DeloopError('event', 'the payload is not JSON', { cause });
  }
  if (!isFields(value)) throw new DeloopError('event', 'the payload is no JSON object');
  return host.decode(value, surroundings.env);
}
