import type { Status } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import type { HostCall, Run } from '../run.ts';
import type { Verdict } from '../verdict.ts';
import { createRounds, type Rounds } from './rounds.ts';
import { type HookEvent, type HookInput, type HookOutput, textOf } from './shapes.ts';
import { toolOutput } from './tool-output.ts';

const NOTHING: HookOutput = {};
/** Who a prompt may come from when it comes from a person; other sources are the host's own. */
const PERSONS: readonly unknown[] = [undefined, null, 'user', 'sdk'];
/** Sub-agents of one session whose responses are followed. */
const MAX_AGENTS = 64;

type Answer = (input: HookInput, event: HookEvent) => Promise<HookOutput>;

/** What the hooks of one session answer. */
export function createSessionHooks(run: Run): Answer {
  const agents = new Map<string | undefined, Rounds>();

  function roundsOf(agent: string | undefined): Rounds {
    const rounds = agents.get(agent) ?? createRounds(run, agent);
    agents.delete(agent);
    agents.set(agent, rounds);
    if (agents.size > MAX_AGENTS) agents.delete(agents.keys().next().value);
    return rounds;
  }

  async function before(input: HookInput, agent: string | undefined): Promise<HookOutput> {
    const call = callOf(input, agent);
    if (call === null) return NOTHING;
    const rounds = roundsOf(agent);
    rounds.open(call);
    const verdict = await run.check(call);
    if (verdict.do === 'answer' || verdict.do === 'stop') rounds.close(call.id);
    return permission(verdict);
  }

  /** That a call which was held has run is the person's yes. */
  function after(input: HookInput, agent: string | undefined, status: Status, output: unknown): void {
    const call = callOf(input, agent);
    if (call === null) return;
    if (run.questionFor(agent)?.held?.includes(call.id as string)) run.answer(true, agent);
    roundsOf(agent).close(call.id);
    run.after(call, { output, status });
  }

  /** What no other hook has told: calls that were denied, that no tool could take, or whose hooks did not run. */
  function afterBatch({ tool_calls }: HookInput, agent: string | undefined): void {
    const rounds = roundsOf(agent);
    for (const ended of Array.isArray(tool_calls) ? tool_calls.map(fieldsOf) : []) {
      const call = callOf(ended, agent);
      if (call === null) continue;
      const output = toolOutput(ended['tool_response']);
      const held = run.questionFor(agent)?.held?.includes(call.id as string);
      if (held) run.answer(false, agent);
      else if (rounds.pending(call.id) !== undefined) run.after(call, { output, status: 'denied' });
      else if (!rounds.knows(call.id)) {
        rounds.open(call);
        if (run.before(call).do === 'run') run.after(call, { output, status: refusalIn(output) });
      }
    }
    rounds.end();
  }

  /** What is to be said after a result: that the run ends, or a nudge, once all results of the response are in. */
  function said(event: HookEvent, agent: string | undefined): HookOutput {
    const reason = run.stoppedFor(agent);
    if (reason !== null) return { continue: false, stopReason: reason.message };
    if (roundsOf(agent).hasBatches && event !== 'PostToolBatch') return NOTHING;
    const nudge = run.takeNudge(agent);
    if (nudge === null) return NOTHING;
    return { hookSpecificOutput: { hookEventName: event, additionalContext: nudge.text } };
  }

  return async (input, event) => {
    await run.ready();
    const agent = textOf(input['agent_id']);
    switch (event) {
      case 'PreToolUse':
        return before(input, agent);
      case 'PostToolUse': {
        const { tool_response } = input;
        const interrupted = fieldsOf(tool_response)['interrupted'] === true;
        after(input, agent, interrupted ? 'cancelled' : 'ok', toolOutput(tool_response));
        break;
      }
      case 'PostToolUseFailure': {
        const { error, is_interrupt } = input;
        after(input, agent, is_interrupt === true ? 'cancelled' : 'error', toolOutput(error));
        break;
      }
      case 'PostToolBatch':
        afterBatch(input, agent);
        await run.settle(agent);
        break;
      case 'UserPromptSubmit': {
        const { prompt, source } = input;
        const by = PERSONS.includes(source) && agent === undefined ? 'person' : 'host';
        run.user(textOf(prompt) ?? '', { by, agent });
        roundsOf(agent).drop();
        return NOTHING;
      }
      case 'PreCompact':
        run.tell({ type: 'compaction', agent });
        return NOTHING;
      default:
        run.turn({ text: textOf(input['last_assistant_message']), agent });
        await run.saved();
        return NOTHING;
    }
    await run.saved();
    return said(event, agent);
  };
}

function callOf(
  { tool_name, tool_input, tool_use_id }: HookInput,
  agent: string | undefined,
): HostCall | null {
  const tool = textOf(tool_name);
  return tool === undefined ? null : { id: textOf(tool_use_id), tool, args: tool_input ?? null, agent };
}

function permission(verdict: Verdict): HookOutput {
  if (verdict.do === 'run') return NOTHING;
  const refused: HookOutput = {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: verdict.do === 'hold' ? 'ask' : 'deny',
      permissionDecisionReason: verdict.text,
    },
  };
  // `continue: false` alone lets the tool run once more.
  return verdict.do === 'stop' ? { continue: false, stopReason: verdict.text, ...refused } : refused;
}

/** Why a call never got to a hook, as the words tell that the model sees. */
function refusalIn(output: unknown): Status {
  const text = typeof output === 'string' ? output : '';
  if (text.includes('No such tool available')) return 'unknown-tool';
  return text.includes('InputValidationError') ? 'invalid' : 'unknown';
}
