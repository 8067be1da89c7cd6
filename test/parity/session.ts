import { expect } from 'vitest';
import {
  type AgentEvent,
  createGuard,
  type Decision,
  type Guard,
  type Json,
  type Options,
} from '../../src/index.ts';

/** What was decided: at which call, what, by which rule, on which count. */
export type Fact = {
  readonly call: number;
  readonly action: string;
  readonly level: string | undefined;
  readonly detector: string;
  readonly tool: Json | undefined;
  readonly count: number;
};
export type Call = {
  readonly tool: string;
  readonly args: Json;
  readonly id?: string;
  readonly agent?: string;
};
export type Result = { readonly output: string; readonly ok: boolean };

/** A run through the public API that remembers its events, so that it can be played again. */
export class Session {
  readonly guard: Guard;
  readonly facts: Fact[] = [];
  private readonly options: Options;
  private readonly events: AgentEvent[] = [];

  constructor(options: Options) {
    this.options = options;
    this.guard = createGuard({ ...options, onDecision: (decision) => this.facts.push(factOf(decision)) });
  }

  accept(event: AgentEvent): Decision {
    this.events.push(event);
    return this.guard.accept(event);
  }

  before(call: Call): Decision {
    return this.accept({ type: 'tool-call', ...call });
  }

  after(call: Call, result: Result): Decision {
    return this.accept({
      type: 'tool-result',
      ...call,
      output: result.output,
      status: result.ok ? 'ok' : 'error',
    });
  }

  /** One call with its result, unless the guard keeps it from running. */
  call(call: Call, result: Result = { output: 'done', ok: true }): Decision {
    const decision = this.before(call);
    if (decision.action === 'block') return decision;
    const later = this.after(call, result);
    return later.action === 'allow' ? decision : later;
  }

  /** One model turn whose calls are known before any of them runs. */
  batch(calls: readonly Call[]): Decision {
    this.accept({ type: 'turn' });
    for (const call of calls) this.before(call);
    return this.accept({ type: 'calls-known' });
  }

  delivered(): void {
    this.accept({ type: 'control', do: 'delivered' });
  }

  /** The calls at which something was decided, and what. */
  get answers(): string[] {
    return this.facts.map(({ call, action }) => `${action}@${call}`);
  }

  /** The recorded events, as JSON, give the same decisions again, also when the state is saved and restored after each. */
  replays(): void {
    const again: Fact[] = [];
    const onDecision = (decision: Decision) => again.push(factOf(decision));
    let state: unknown;
    for (const event of JSON.parse(JSON.stringify(this.events)) as AgentEvent[]) {
      const guard = createGuard({ ...this.options, state, onDecision });
      guard.accept(event);
      state = JSON.parse(JSON.stringify(guard.state));
    }
    expect(again).toEqual(this.facts);
  }
}

function factOf(decision: Decision): Fact {
  if (decision.action === 'allow') throw new Error('allow is no decision to report');
  const { call, action, level, finding } = decision;
  return {
    call,
    action,
    level,
    detector: finding.detector,
    tool: finding.facts?.['tool'],
    count: finding.count,
  };
}

export function read(path: string, more: { readonly [key: string]: Json } = {}): Call {
  return { tool: 'read_file', args: { path, ...more } };
}

export function shell(command: string, tool = 'bash'): Call {
  return { tool, args: { command } };
}

export function times<T>(n: number, make: (index: number) => T): T[] {
  return Array.from({ length: n }, (_, index) => make(index));
}

export const FAILED: Result = { output: 'it failed', ok: false };
export const DONE: Result = { output: 'done', ok: true };
