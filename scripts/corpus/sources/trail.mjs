// TRAIL: agents of smolagents, one JSON file of nested OpenTelemetry spans a run.
import { cut } from '../trace.mjs';

const FILE = /^benchmarking\/data\/(?<set>GAIA|SWE Bench)\/(?<id>[0-9a-f]{8})[0-9a-f]*\.json$/;
const SETS = {
  GAIA: { short: 'gaia', agentName: 'smolagents OpenDeepResearch' },
  'SWE Bench': { short: 'swe', agentName: 'smolagents CodeAgent (SWE)' },
};
const AGENTS = { 'CodeAgent.run': 'manager', 'ToolCallingAgent.run': 'search_agent' };
const CODE = /```(?:py|python)?\n(.*?)```/s;
const LONGEST_OUTPUT = 20_000;

/** @type {import('../sources.mjs').Source} */
export const trail = {
  name: 'trail-smolagents',
  origins: [
    {
      repository: 'patronus-ai/trail-benchmark',
      branch: 'main',
      commit: '0ffbed9db859b4a66250dc783fa4dccf86869595',
      runs,
    },
  ],
};

async function* runs(clone) {
  for (const file of clone.files) {
    const found = FILE.exec(file.path)?.groups;
    if (!found) continue;
    const { short, agentName } = SETS[found.set];
    const run = { events: [], calls: 0, model: undefined };
    for (const span of JSON.parse(await clone.text(file)).spans) follow(span, run, undefined);
    yield {
      name: `trail-${short}-${found.id}`,
      session: { model: run.model, agentName },
      events: run.events.map((event) => cut(event, LONGEST_OUTPUT)),
    };
  }
}

/** A span of a model is a turn, one of a tool a call; a step of the code agent is a call around what its code calls. */
function follow(span, run, parent) {
  const attributes = span.span_attributes;
  const agent = AGENTS[span.span_name] ?? parent;
  const stamp = agent ? { at: Date.parse(span.timestamp), agent } : { at: Date.parse(span.timestamp) };
  const kind = attributes['openinference.span.kind'];
  if (kind === 'LLM') return said(attributes, run, stamp);
  if (kind === 'TOOL') {
    const { args, kwargs } = JSON.parse(attributes['input.value']);
    const id = called(
      run,
      stamp,
      attributes['tool.name'],
      Object.keys(kwargs).length > 0 ? kwargs : { args },
    );
    run.events.push({ type: 'tool-result', ...stamp, id, ...outcome(span) });
    for (const child of span.child_spans) follow(child, run, agent);
    return;
  }
  let open;
  for (const child of span.child_spans) {
    follow(child, run, agent);
    if (kind !== 'CHAIN' || agent !== 'manager' || open !== undefined) continue;
    const turn = run.events.at(-1);
    const code = turn?.type === 'turn' ? CODE.exec(turn.text)?.[1] : undefined;
    if (code !== undefined) open = called(run, { at: turn.at, agent }, 'python_interpreter', { code });
  }
  if (open !== undefined) run.events.push({ type: 'tool-result', ...stamp, id: open, ...outcome(span) });
}

function said(attributes, run, stamp) {
  run.model ??= attributes['llm.model_name'];
  const input = attributes['llm.token_count.prompt'];
  const output = attributes['llm.token_count.completion'];
  const text = JSON.parse(attributes['output.value'] ?? '{}').content ?? '';
  const usage = input === undefined ? {} : { usage: { input: Number(input), output: Number(output) } };
  run.events.push({ type: 'turn', ...stamp, text, ...usage });
}

function called(run, stamp, tool, args) {
  run.calls += 1;
  const id = `c${run.calls}`;
  run.events.push({ type: 'tool-call', ...stamp, id, tool, args });
  return id;
}

function outcome(span) {
  const ok = span.status_code !== 'Error';
  const thrown = span.events.find(({ Name }) => Name === 'exception')?.Attributes;
  const failure = thrown
    ? `${thrown['exception.type'].split('.').at(-1)}: ${thrown['exception.message']}`
    : '';
  return { ok, output: span.span_attributes['output.value'] ?? failure };
}
