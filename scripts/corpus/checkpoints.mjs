// Sessions of coding agents that Entire keeps on a branch of their repository: a session is stored again, longer, at
// each checkpoint.
import { masked } from './mask.mjs';
import { cut } from './trace.mjs';
import { claudeCode, subAgents } from './transcripts/claude-code.mjs';
import { codex } from './transcripts/codex.mjs';
import { copilot } from './transcripts/copilot.mjs';

const LONGEST_OUTPUT = 10_000;
const REMINDER = /<system-reminder>.*?(?:<\/system-reminder>|$)/gs;

/** An origin whose runs are all sessions on that branch, each as its longest checkpoint has it, and their sub-agents. */
export function checkpoints(prefix, repository, commit) {
  return { repository, branch: 'entire/checkpoints/v1', commit, runs: (clone) => runs(clone, prefix) };
}

async function* runs(clone, prefix) {
  for (const [session, file] of await longest(clone)) {
    for (const { suffix, agentName, model, events } of converted(parsed(await clone.text(file)))) {
      yield {
        name: `${prefix}-${session}${suffix}`,
        session: { model, agentName },
        events: events.map((event) => withoutReminder(cut(masked(event), LONGEST_OUTPUT, event))),
      };
    }
  }
}

/** What the host slips into results is the same for all, and long. */
function withoutReminder(event) {
  if (event.type !== 'tool-result') return event;
  return { ...event, output: event.output.replace(REMINDER, '[system reminder]') };
}

async function longest(clone) {
  const byPath = new Map(clone.files.map((file) => [file.path, file]));
  const found = new Map();
  for (const file of clone.files) {
    const about =
      file.path.endsWith('/full.jsonl') && byPath.get(file.path.replace('full.jsonl', 'metadata.json'));
    if (!about) continue;
    // Some checkpoints put a date before the id; the last part is the same.
    const session = JSON.parse(await clone.text(about)).session_id?.slice(-12);
    if (session && !(found.get(session)?.bytes >= file.bytes)) found.set(session, file);
  }
  return found;
}

function parsed(text) {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return []; // an empty line, or one cut short by the recorder
    }
  });
}

function* converted(entries) {
  if (entries.some(({ type }) => type === 'session_meta')) {
    yield { suffix: '', agentName: 'Codex CLI', ...codex(entries) };
  } else if (entries.some(({ type }) => type === 'session.start')) {
    yield { suffix: '', agentName: 'Copilot CLI', ...copilot(entries) };
  } else if (entries.some(({ type }) => type === 'assistant')) {
    yield { suffix: '', agentName: 'Claude Code', ...claudeCode(entries) };
    for (const [id, own] of subAgents(entries)) {
      yield { suffix: `_${id}`, agentName: 'Claude Code sub-agent', ...claudeCode(own) };
    }
  }
}
