import type { Status } from '../../core/types.ts';
import { fieldsOf } from '../fields.ts';
import type { HostCall, Run } from '../run.ts';
import type { Verdict } from '../verdict.ts';
import { createRounds, type Rounds, type Sdk } from './rounds.ts';
import { type HookEvent, type HookInput, type HookOutput, type ResultEvent, textOf } from './shapes.ts';
import type { Tokens } from './tokens.ts';
import { toolOutput } from './tool-output.ts';

const NOTHING: HookOutput = {};
/** Who a prompt may come from when it comes from a person; other sources are the host's own. */
const PERSONS: readonly unknown[] = [undefined, null, 'user', 'sdk'];
/** Sub-agents of one session whose responses are followed. */
const MAX_AGENTS = 64;

type Answer = (input: HookInput, event: HookEvent) => Promise<HookOutput>;

/** What the hooks of one session answer; without `tokens`, sub-agents are not told what the session uses. */
export function createSessionHooks(run: Run, sdk: Sdk, tokens: Tokens | null): Answer {
  const agents = new Map<string | undefined, Rounds>();
  /** What the host has said last. */
  let prodded: string | undefined;

  function roundsOf(agent: string | undefined): Rounds {
    const rounds = agents.get(agent) ?? createRounds(run, agent, sdk, tokens);
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

  /** A person's words are for all agents of the session; no hook tells for which. */
  function prompted({ prompt, source }: HookInput, agent: string | undefined): void {
    const isPerson = PERSONS.includes(source) && agent === undefined;
    const text = textOf(prompt) ?? '';
    run.user(text, { by: isPerson ? 'person' : 'host', agent });
    roundsOf(agent).drop();
    if (!isPerson) {
      // Time has passed, or something has ended that the agent waited for; the same words again may be mere prodding.
      if (source === 'loop_wakeup' || text !== prodded) run.tell({ type: 'state-change', agent });
      prodded = text;
      return;
    }
    tokens?.begin();
    for (const desk of run.state.desks) if (desk.agent !== '' && desk.stop !== null) run.resume(desk.agent);
  }

  /** The agent wants to end; another hook may send it on. */
  async function ending(input: HookInput, agent: string | undefined): Promise<HookOutput> {
    const { last_assistant_message, stop_hook_active } = input;
    run.turn({ text: textOf(last_assistant_message), agent, usage: tokens?.takeFor(agent) });
    if (stop_hook_active === true) await run.settle(agent);
    await run.saved();
    return over(agent) ?? NOTHING;
  }

  function over(agent: string | undefined): HookOutput | null {
    const reason = run.stoppedFor(agent);
    return reason === null ? null : { continue: false, stopReason: reason.message };
  }

  /** What is to be said after a result: that the run ends, or a nudge, once all results of the response are in. */
  function said(event: ResultEvent, agent: string | undefined): HookOutput {
    const end = over(agent);
    if (end !== null) return end;
    if (sdk.hasBatches && event !== 'PostToolBatch') return NOTHING;
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
      case 'UserPromptSubmit':
        prompted(input, agent);
        return NOTHING;
      case 'PreCompact':
        run.tell({ type: 'compaction', agent });
        return NOTHING;
      default:
        return ending(input, agent);
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
