import { deloop } from '../../src/adapters/generic/index.ts';
import type { WatchOptions } from '../../src/adapters/watch.ts';
import type { AdapterHost, Ending, HostSetup, ScriptedCall } from '../../src/testing/adapter-host.ts';
import { sessionOf } from './generic-host.ts';

/** What the adapter does wrong. */
export type Fault =
  | 'endless'
  | 'stubborn'
  | 'nudge-first'
  | 'nudge-again'
  | 'runs-blocked'
  | 'no-settle'
  | 'no-saved'
  | 'no-saved-end'
  | 'same-output'
  | 'data-lost'
  | 'usage-twice'
  | 'usage-half'
  | 'no-text'
  | 'no-reasoning'
  | 'user-twice'
  | 'turn-twice'
  | 'ids-once'
  | 'no-onStop'
  | 'no-onStrongerModel'
  | 'no-onDecision'
  | 'one-session'
  | 'no-failed';
type Message = { readonly role: string; readonly content: unknown };

function passedOn(options: WatchOptions, fault: Fault | null): WatchOptions {
  if (fault === 'no-onStop') return { ...options, onStop: undefined };
  if (fault === 'no-onDecision') return { ...options, onDecision: undefined };
  return fault === 'no-onStrongerModel' ? { ...options, onStrongerModel: undefined } : options;
}

/** A small host with an adapter that has one fault. */
export function faultyHost(fault: Fault | null): AdapterHost {
  return {
    name: `an adapter with the fault ${fault}`,
    cannot: { hold: 'it has no way of its own to ask', 'own-hooks': 'it has none' },
    open({ model, tools, options }: HostSetup) {
      const name = fault === 'one-session' ? 'one' : (options?.session ?? 'one');
      const run = options && deloop(passedOn(options, fault)).of(name);
      const messages: Message[] = [];
      const toolErrors: unknown[] = [];
      const nudges: Message[] = [];
      const ids = new Set<string>();

      async function before(): Promise<{ readonly end: boolean; readonly last: boolean }> {
        if (run === null) return { end: false, last: false };
        if (fault !== 'no-settle') await run.settle();
        if (run.isOver()) return { end: fault !== 'endless' && fault !== 'stubborn', last: false };
        const last = run.takeLastTurn();
        if (fault === 'nudge-again') messages.push(...nudges);
        const nudge = run.takeNudge();
        if (nudge !== null) {
          const said = { role: 'user', content: nudge.text };
          if (fault === 'nudge-first') messages.unshift(said);
          else messages.push(said);
          nudges.push(said);
        }
        return { end: false, last };
      }

      async function go(): Promise<Ending> {
        let text = '';
        if (fault === 'user-twice') run?.user('Find it.');
        for (let going = true; going; ) {
          const { end, last } = await before();
          if (end) break;
          const response = model({ sent: JSON.stringify(messages), tools: !last });
          const { text: said, reasoning, usage } = response;
          if (fault === 'no-text') run?.turn({ reasoning, usage });
          else if (fault === 'usage-half')
            run?.turn({ ...response, usage: usage && { ...usage, output: 0 } });
          else run?.turn(fault === 'no-reasoning' ? { text: said, usage } : response);
          if (fault === 'usage-twice' && usage !== undefined) run?.spent(usage);
          if (fault === 'turn-twice') run?.turn({});
          messages.push({ role: 'assistant', content: response });
          const { calls = [] } = response;
          text = response.text ?? '';
          messages.push(...(await Promise.all(calls.map(used))));
          going = calls.length > 0 || fault === 'stubborn';
        }
        if (fault !== 'no-saved' && fault !== 'no-saved-end') await run?.saved();
        const reason = run?.stopped ?? null;
        return { ended: reason === null ? 'done' : 'stopped', text, reason, toolErrors };
      }

      async function used(call: ScriptedCall): Promise<Message> {
        if (fault === 'ids-once' && ids.has(call.id))
          return { role: 'tool', content: tools[call.tool]?.(call.args) };
        ids.add(call.id);
        const verdict = (await run?.check(call)) ?? { do: 'run' };
        const runs = verdict.do === 'run' || (verdict.do === 'answer' && fault === 'runs-blocked');
        const content = runs ? await executed(call) : verdict.text;
        if (fault !== 'no-saved') await run?.saved();
        return { role: 'tool', content };
      }

      async function executed(call: ScriptedCall): Promise<unknown> {
        const execute = tools[call.tool];
        if (execute === undefined) {
          run?.after(call, { output: 'no such tool', status: 'unknown-tool' });
          return 'no such tool';
        }
        try {
          const output = await execute(call.args);
          if (fault === 'data-lost') run?.after(call, { output: String(output) });
          else run?.after(call, { output: fault === 'same-output' ? 'ok' : output });
          return output;
        } catch (error) {
          toolErrors.push(error);
          if (fault === 'no-failed') run?.after(call, { output: String(error) });
          else run?.failed(call, error);
          return String(error);
        }
      }

      return sessionOf(run, messages, go);
    },
  };
}
