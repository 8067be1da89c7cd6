// Counts a rollout of Codex, or the output of `codex exec --json`, straight from its lines.

const CALL = /^(?:function|custom_tool|local_shell|tool_search|web_search)_call$/;
const RESULT = /_output$/;
const NOT_RUN =
  /^(?:unsupported |failed to parse|Command blocked|Tool call blocked|exec command rejected|patch rejected|rejected by|aborted|apply_patch verification failed|execution error|Wall time: \S+ seconds\naborted)/;
/** Every result of these says how the command ended, unless it never ran. */
const COMMANDS = new Set([
  'exec_command',
  'write_stdin',
  'shell',
  'shell_command',
  'local_shell',
  'apply_patch',
]);

/** What happened in the text of one file. */
export function count(text) {
  const records = text.split('\n').flatMap(parsed);
  return records.some(({ type }) => /^(?:thread|item)\./.test(type)) ? ofStream(records) : ofRollout(records);
}

function ofRollout(records) {
  const items = records.map(({ type, payload, timestamp, ...bare }) => ({
    kind: payload ? type : 'bare_item',
    item: payload ?? { type, ...bare },
    at: timestamp ? Date.parse(timestamp) : undefined,
  }));
  const tools = new Map(
    items.filter(({ item }) => CALL.test(item.type)).map(({ item }) => [item.call_id, item.name]),
  );
  const told = new Map(items.flatMap(({ item }) => endings(item)));
  const calls = items.filter(({ item }) => CALL.test(item.type));
  const results = items.filter(({ item }) => RESULT.test(item.type));
  const searches = items.filter(({ item }) => item.type === 'web_search_call');
  const failed = results.filter(({ item }) =>
    isFailure(item, tools.get(item.call_id) ?? 'local_shell', told),
  );
  const times = items
    .filter(({ item, at }) => (CALL.test(item.type) || RESULT.test(item.type)) && at !== undefined)
    .map(({ at }) => at);
  const counts = tokenCounts(items);
  const sum = (name) => counts.reduce((all, { usage }) => all + (usage[name] ?? 0), 0);
  return {
    calls: calls.length,
    results: results.length + searches.length,
    failures: failed.length + searches.filter(({ item }) => item.status === 'failed').length,
    input: sum('input_tokens') - sum('cached_input_tokens'),
    output: sum('output_tokens'),
    cachedInput: sum('cached_input_tokens'),
    turns: responses(items, new Set(counts.map(({ index }) => index))),
    first: times[0] ?? null,
    last: times.at(-1) ?? null,
  };
}

/** One count a response: the records made for it, or else every event in which the total has changed. */
function tokenCounts(items) {
  const own = items.flatMap(({ kind, item }, index) =>
    kind === 'token_usage_record' ? [{ index, usage: item.usage }] : [],
  );
  if (own.length > 0) return own;
  let before = '';
  return items.flatMap(({ item }, index) => {
    if (item.type !== 'token_count' || !item.info) return [];
    const total = JSON.stringify(item.info.total_token_usage);
    if (total === before) return [];
    before = total;
    const usage = item.info.last_token_usage;
    return usage.input_tokens + usage.output_tokens > 0 ? [{ index, usage }] : [];
  });
}

function responses(items, counted) {
  const isModels = ({ item }) => CALL.test(item.type) || isSaid(item);
  const [firstCount = -1] = counted;
  const before = items.findIndex(isModels) > firstCount;
  if (counted.size > 0 && before) return counted.size;
  let [turns, speaking, answered, bounded] = [0, false, false, false];
  for (const [index, entry] of items.entries()) {
    const { kind, item } = entry;
    if (counted.has(index)) {
      if (!speaking) turns += 1;
      [speaking, bounded] = [false, true];
    } else if (item.type === 'token_count' && !item.info && speaking && index < firstCounted(counted)) {
      [speaking, bounded] = [false, true];
    } else if (kind === 'compacted' || isPerson(item)) speaking = false;
    else if (RESULT.test(item.type)) answered = true;
    else if (isModels(entry)) {
      if (!speaking || (answered && (!bounded || kind === 'bare_item' || isSaid(item)))) {
        turns += 1;
        answered = false;
      }
      speaking = true;
    }
  }
  return turns;
}

/** Until a response was counted, an empty count is the end of one. */
function firstCounted([first = Number.POSITIVE_INFINITY]) {
  return first;
}

function isSaid({ type, role }) {
  return type === 'reasoning' || (type === 'message' && role === 'assistant');
}

function isPerson({ type, role, content }) {
  return type === 'message' && role === 'user' && !/^\s*[<#]/.test(content?.[0]?.text ?? '');
}

function endings(item) {
  const { type, call_id: id, item: done, status, success, exit_code: code, result } = item;
  if (type === 'item_completed') return [[done.id, done.status !== 'failed' && done.status !== 'declined']];
  if (type === 'exec_command_end') return [[id, code === 0]];
  if (type === 'patch_apply_end') return [[id, success && status !== 'failed']];
  if (type === 'mcp_tool_call_end') return [[id, Boolean(result?.Ok) && !result.Ok.isError]];
  return [];
}

function isFailure({ call_id: id, output }, tool, told) {
  const text = typeof output === 'string' ? output : (output ?? []).map?.(({ text }) => text).join('\n');
  if (NOT_RUN.test(text)) return true;
  const [, code] =
    /^(?:Exit code:|Process exited with code) (-?\d+)$/m.exec(text.slice(0, 300)) ??
    /"exit_code":(-?\d+)[^{}]*\}\}$/.exec(text.slice(-100)) ??
    [];
  if (code !== undefined) return code !== '0';
  if (told.has(id)) return !told.get(id);
  if (tool === 'view_image') return typeof output === 'string' && !/^attached/.test(output);
  return COMMANDS.has(tool) && !/^(?:Success|Chunk ID|Wall time|\{"output")/.test(text);
}

function ofStream(records) {
  const isCall = ({ type }) =>
    /^(?:command_execution|file_change|mcp_tool_call|collab_tool_call|web_search)$/.test(type);
  const open = new Set();
  const total = { calls: 0, results: 0, failures: 0, turns: 0 };
  let [speaking, answered] = [false, false];
  for (const { type, item } of records) {
    if (type === 'turn.started' || type === 'turn.completed') speaking = false;
    if (!item || !(isCall(item) || (type === 'item.completed' && /agent_message|reasoning/.test(item.type))))
      continue;
    const isNew =
      !isCall(item) ||
      (type === 'item.started' && !open.has(item.id)) ||
      (type === 'item.completed' && !open.has(item.id));
    if (isNew && (!speaking || (answered && open.size === 0))) {
      total.turns += 1;
      answered = false;
    }
    if (isNew) speaking = true;
    if (!isCall(item)) continue;
    if (!open.has(item.id)) total.calls += 1;
    open.add(item.id);
    if (type !== 'item.completed') continue;
    open.delete(item.id);
    total.results += 1;
    if (item.status === 'failed' || item.status === 'declined') total.failures += 1;
    answered = true;
  }
  const usage = records.findLast(({ type }) => type === 'turn.completed')?.usage ?? {};
  const { input_tokens: input = 0, output_tokens: output = 0, cached_input_tokens: cachedInput = 0 } = usage;
  return { ...total, input: input - cachedInput, output, cachedInput, first: null, last: null };
}

function parsed(line) {
  try {
    const value = JSON.parse(line);
    return value !== null && typeof value === 'object' ? [value] : [];
  } catch {
    return [];
  }
}
