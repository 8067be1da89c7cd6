/**
 * What the hook must answer to sequences that were captured from real agents, by folder and file: `CALL EVENT ANSWER`. `deny` and `ask`
 * are taken for refusals, and a sequence ends where the run does.
 */
export const EXPECTED = {
  // Nothing in it comes three times with the same result.
  'claude-code/sequence.run.jsonl': '-',
  'claude-code/sequence.subagent.jsonl': '-',
  // Twelve different files that are not there: told at the fifth and the eighth failure of one kind, ended at the twelfth.
  'cline/sequence.failing-12.jsonl': '5 tool_result context, 8 tool_result context, 12 tool_result halt',
  // Cline ends the run at the fifth. No call can be refused, so what would be is told.
  'cline/sequence.identical-stopped-by-own-guard.jsonl':
    '3 tool_result context, 4 tool_call context, 4 tool_result context, 5 tool_call context',
  'cline/sequence.pingpong-45.jsonl':
    '5 tool_result context, 6 tool_result context, 7 tool_call context, 7 tool_result context, 8 tool_call context, 8 tool_result context, 9 tool_call context, 10 tool_call context, 11 tool_call halt',
  'cline/sequence.varied.jsonl': '-',
  'codex/sequence.failing-12.jsonl': '5 PostToolUse context, 8 PostToolUse context, 12 PostToolUse context',
  // The third call was refused by the probe that recorded it, so that the fourth brings the third result. Nothing ends a run of Codex.
  'codex/sequence.identical-third-denied.jsonl':
    '4 PostToolUse context, 5 PostToolUse context, 6 PreToolUse deny, 7 PreToolUse deny, 8 PreToolUse deny, 9 PreToolUse deny',
  'codex/sequence.mcp-4th-error.jsonl': '3 PostToolUse context',
  'codex/sequence.parallel-4-identical.jsonl': '-',
  'codex/sequence.varied.jsonl': '-',
  'copilot-cli/sequence.run.jsonl': '-',
  'gemini-cli/sequence.identical-third-denied.jsonl': '4 AfterTool context',
  'gemini-cli/sequence.parallel-4-identical.jsonl': '-',
  'gemini-cli/sequence.varied.jsonl': '-',
  'qwen-code-0.15/sequence.identical-third-denied.jsonl':
    '4 PostToolUse context, 5 PreToolUse deny, 6 PreToolUse deny, 7 PreToolUse ask, 8 PreToolUse deny, 8 UserPromptSubmit halt',
  'qwen-code-0.24/sequence.failing-12.jsonl': '5 PostToolBatch context, 8 PostToolBatch context',
  'qwen-code-0.24/sequence.identical-third-denied.jsonl': '4 PostToolUse context',
  'qwen-code-0.24/sequence.parallel-4-identical.jsonl': '-',
  'qwen-code-0.24/sequence.pingpong-45.jsonl':
    '5 PostToolUse context, 6 PostToolUse context, 7 PreToolUse deny, 8 PreToolUse deny, 9 PreToolUse deny, 10 PreToolUse ask, 11 PreToolUse deny, 11 UserPromptSubmit halt',
  'qwen-code-0.24/sequence.varied.jsonl': '-',
  // Plugins: what each one did, and at which call. The third call was refused by the probe that recorded it.
  'opencode/sequence.identical-third-thrown.jsonl': '4 nudge, 5 nudge',
  'opencode/sequence.mcp-4th-error.jsonl': '3 nudge',
  'opencode/sequence.varied.jsonl': '-',
  'pi/sequence.failing-12.jsonl': '5 nudge, 8 nudge, 12 halt',
  'pi/sequence.identical-9.jsonl': '3 nudge, 4 nudge, 5 block, 6 block, 7 halt',
  'pi/sequence.identical-third-blocked.jsonl': '4 nudge, 5 nudge, 6 block, 7 block, 8 halt',
  'pi/sequence.varied.jsonl': '-',
  // Nothing but a refusal gets through to the model, and failures that differ are never refused one by one.
  'openclaw/sequence.failing-12.jsonl': '-',
  'openclaw/sequence.identical-third-blocked.jsonl': '6 block, 7 block, 8 block, 9 block',
};
