// The same turns as four agents write them down: the shapes of their records, with values made up.

/** Each takes texts, the number of the session and its turns, and gives its records. */
export const AGENTS = { 'claude-code': claudeCode, codex, 'gemini-cli': geminiCli, pi };

function* claudeCode(texts, number, turns) {
  const { dice } = texts;
  const sessionId = uuid(dice);
  let parentUuid = null;
  const record = (type, at, content, rest = {}) => {
    const own = uuid(dice);
    const written = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: `/home/dev/project-${number % 40}`,
      sessionId,
      version: '2.1.42',
      gitBranch: 'main',
      type,
      ...content,
      uuid: own,
      timestamp: iso(at),
      ...rest,
    };
    parentUuid = own;
    return written;
  };
  for (const { number: turn, at, person, thought, said, calls, usage } of turns) {
    if (person !== null) {
      yield {
        type: 'file-history-snapshot',
        messageId: uuid(dice),
        snapshot: { trackedFileBackups: {}, timestamp: iso(at) },
        isSnapshotUpdate: false,
      };
      yield record('user', at, { message: { role: 'user', content: person } });
    }
    const id = `msg_${dice.hex(20)}`;
    const answer = (content) => {
      const message = {
        model: 'claude-sonnet-4-5-20250929',
        id,
        type: 'message',
        role: 'assistant',
        content: [content],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 8,
          cache_creation_input_tokens: usage.fresh,
          cache_read_input_tokens: usage.cached,
          cache_creation: { ephemeral_5m_input_tokens: usage.fresh, ephemeral_1h_input_tokens: 0 },
          output_tokens: usage.output,
          service_tier: 'standard',
        },
      };
      return record('assistant', at, { message, requestId: `req_${dice.hex(20)}` });
    };
    if (thought !== '') yield answer({ type: 'thinking', thinking: thought, signature: sealed(dice, 300) });
    if (said !== '') yield answer({ type: 'text', text: said });
    for (const [index, call] of calls.entries()) {
      const tool_use_id = `toolu_${turn}_${index}_${dice.hex(12)}`;
      const { name, input } = CLAUDE[call.kind](call);
      yield answer({ type: 'tool_use', id: tool_use_id, name, input });
      for (const data of claudeProgress(texts, call))
        yield record('progress', at + 400, { data, toolUseID: tool_use_id, parentToolUseID: tool_use_id });
      const content = call.kind === 'read' ? numbered(call.output) : call.output;
      const asked = parentUuid;
      const result = {
        tool_use_id,
        type: 'tool_result',
        content,
        ...(call.failed ? { is_error: true } : {}),
      };
      yield record(
        'user',
        at + 900,
        { message: { role: 'user', content: [result] } },
        { toolUseResult: claudeResult(call), sourceToolAssistantUUID: asked },
      );
    }
  }
}

/** Calls that have a sub-agent do the work. */
const SUB_AGENT = 0.05;
const CLAUDE = {
  shell: ({ command }) => ({ name: 'Bash', input: { command, description: 'Runs a command' } }),
  read: ({ path }) => ({ name: 'Read', input: { file_path: path } }),
  search: ({ pattern, path }) => ({ name: 'Grep', input: { pattern, path, output_mode: 'content' } }),
  edit: ({ path, before, after }) => ({
    name: 'Edit',
    input: { file_path: path, old_string: before, new_string: after },
  }),
};

/** What it writes down while a tool runs: hooks, a command's output so far, what a sub-agent does. */
function claudeProgress({ dice, text }, { kind, command, output }) {
  const told = [{ type: 'hook_progress', hookEvent: 'PreToolUse', hookName: 'PreToolUse', command: 'lint' }];
  if (kind === 'shell')
    for (let seconds = 2; seconds <= dice.whole(0, 5); seconds++) {
      const fullOutput = output.slice(0, 300 * seconds);
      told.push({
        type: 'bash_progress',
        output: fullOutput.slice(-200),
        fullOutput,
        elapsedTimeSeconds: seconds,
      });
    }
  if (dice.chance(SUB_AGENT))
    for (let step = 0; step < 8; step++) {
      const content = [
        { type: 'tool_result', tool_use_id: `toolu_${dice.hex(12)}`, content: text('code', 5000) },
      ];
      const message = { type: 'user', message: { role: 'user', content }, uuid: uuid(dice) };
      told.push({ type: 'agent_progress', message, prompt: command ?? '', agentId: dice.hex(7) });
    }
  return told;
}

function claudeResult({ kind, path, output, before, after, original, failed }) {
  if (failed) return `Error: ${output}`;
  if (kind === 'shell') return { stdout: output, stderr: '', interrupted: false, isImage: false };
  if (kind === 'read') return { type: 'text', file: { filePath: path, content: output, numLines: 80 } };
  if (kind === 'search') return { mode: 'content', numFiles: 0, filenames: [], content: output };
  const structuredPatch = [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 4, lines: after.split('\n') }];
  return { filePath: path, oldString: before, newString: after, originalFile: original, structuredPatch };
}

function* codex({ dice, text }, number, turns) {
  const session = uuid(dice);
  let started = false;
  const total = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const record = (at, type, payload) => ({ timestamp: iso(at), type, payload });
  for (const { number: turn, at, person, thought, said, calls, usage } of turns) {
    if (!started) {
      started = true;
      const cwd = `/home/dev/project-${number % 40}`;
      const instructions = text('prose', 14_000);
      yield record(at, 'session_meta', {
        id: session,
        timestamp: iso(at),
        cwd,
        originator: 'codex-tui',
        cli_version: '0.166.0',
        source: 'cli',
        base_instructions: { text: instructions },
      });
    }
    if (person !== null) {
      yield record(at, 'turn_context', { turn_id: uuid(dice), model: 'gpt-5.5', summary: 'auto' });
      const content = [{ type: 'input_text', text: person }];
      yield record(at, 'response_item', { type: 'message', role: 'user', content });
      yield record(at, 'event_msg', { type: 'user_message', message: person, images: [] });
    }
    if (thought !== '') {
      const summary = [{ type: 'summary_text', text: thought.slice(0, 200) }];
      const encrypted_content = sealed(dice, 1200);
      yield record(at, 'event_msg', { type: 'agent_reasoning', text: thought.slice(0, 200) });
      yield record(at, 'response_item', { type: 'reasoning', summary, encrypted_content });
    }
    if (said !== '') {
      const content = [{ type: 'output_text', text: said }];
      yield record(at, 'event_msg', { type: 'agent_message', message: said, phase: 'commentary' });
      yield record(at, 'response_item', { type: 'message', role: 'assistant', content });
    }
    for (const [index, call] of calls.entries()) {
      const call_id = `call_${turn}_${index}_${dice.hex(12)}`;
      yield record(at, 'response_item', codexCall(call, call_id));
      const type = call.kind === 'edit' ? 'custom_tool_call_output' : 'function_call_output';
      const output = `Chunk ID: ${dice.hex(6)}\nWall time: 0.${dice.whole(1000, 9999)} seconds\nProcess exited with code ${call.failed ? 1 : 0}\nOriginal token count: ${dice.whole(10, 4000)}\nOutput:\n${call.output}`;
      yield record(at + 700, 'response_item', { type, call_id, output });
    }
    const last = {
      input_tokens: usage.cached + usage.fresh,
      cached_input_tokens: usage.cached,
      output_tokens: usage.output,
      reasoning_output_tokens: 20,
      total_tokens: usage.cached + usage.fresh + usage.output,
    };
    for (const name of Object.keys(total)) total[name] += last[name];
    yield record(at + 800, 'event_msg', {
      type: 'token_count',
      info: { total_token_usage: total, last_token_usage: last, model_context_window: 258_400 },
      rate_limits: { limit_id: 'codex', primary: { used_percent: 8, window_minutes: 300 }, credits: null },
    });
  }
}

function codexCall({ kind, command, path, pattern, before, after }, call_id) {
  if (kind === 'edit') {
    const lines = (mark, text) => text.replaceAll(/^/gm, mark);
    const input = `*** Begin Patch\n*** Update File: ${path}\n@@\n${lines('-', before)}\n${lines('+', after)}\n*** End Patch`;
    return { type: 'custom_tool_call', status: 'completed', call_id, name: 'apply_patch', input };
  }
  const cmd = command ?? (kind === 'read' ? `sed -n '1,240p' ${path}` : `rg -n ${pattern} ${path}`);
  const given = { cmd, workdir: '/home/dev/project', yield_time_ms: 10_000 };
  return { type: 'function_call', name: 'exec_command', arguments: JSON.stringify(given), call_id };
}

function* geminiCli({ dice }, number, turns) {
  let started = false;
  const set = (at) => ({ $set: { lastUpdated: iso(at) } });
  for (const { number: turn, at, person, thought, said, calls, usage } of turns) {
    if (!started) {
      started = true;
      const context = `<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /home/dev/project-${number % 40}\n</session_context>`;
      const id = dice.hex(32);
      yield { sessionId: uuid(dice), projectHash: dice.hex(64), startTime: iso(at), kind: 'main' };
      const first = { id, timestamp: iso(at), type: 'user', content: [{ text: context }] };
      yield { $set: { messages: [first], lastUpdated: iso(at) } };
    }
    if (person !== null) {
      yield { id: uuid(dice), timestamp: iso(at), type: 'user', content: [{ text: person }] };
      yield set(at);
    }
    const message = {
      id: uuid(dice),
      timestamp: iso(at),
      type: 'gemini',
      content: said,
      thoughts: thought === '' ? [] : [{ subject: 'Next', description: thought, timestamp: iso(at) }],
      tokens: {
        input: usage.cached + usage.fresh,
        output: usage.output,
        cached: usage.cached,
        thoughts: 40,
        tool: 0,
        total: usage.cached + usage.fresh + usage.output + 40,
      },
      model: 'gemini-3-pro',
    };
    yield message;
    yield set(at);
    if (calls.length === 0) continue;
    const responses = [];
    const toolCalls = calls.map((call, index) => {
      const { name, args } = GEMINI[call.kind](call);
      const id = `${name}__${turn}_${index}_${dice.hex(8)}`;
      const output =
        call.kind === 'shell'
          ? `Output: ${call.output}${call.failed ? '\nExit Code: 1' : ''}\nProcess Group PGID: ${dice.whole(10, 9999)}`
          : call.output;
      const functionResponse = { id, name, response: { output } };
      responses.push({ functionResponse });
      return {
        id,
        name,
        args,
        result: [{ functionResponse }],
        status: 'success',
        timestamp: iso(at + 600),
        resultDisplay: call.output.slice(0, 2000),
        description: name,
        displayName: name,
      };
    });
    yield { ...message, toolCalls };
    yield { id: uuid(dice), timestamp: iso(at + 700), type: 'user', content: responses };
    yield set(at + 700);
  }
}

const GEMINI = {
  shell: ({ command }) => ({ name: 'run_shell_command', args: { command, description: 'Runs a command' } }),
  read: ({ path }) => ({ name: 'read_file', args: { file_path: path } }),
  search: ({ pattern, path }) => ({ name: 'search_file_content', args: { pattern, path } }),
  edit: ({ path, before, after }) => ({
    name: 'replace',
    args: { file_path: path, old_string: before, new_string: after },
  }),
};

function* pi({ dice, text }, number, turns) {
  let started = false;
  let parentId = null;
  const entry = (type, at, more) => {
    const id = dice.hex(8);
    const made = { type, id, parentId, timestamp: iso(at), ...more };
    parentId = id;
    return made;
  };
  for (const { number: turn, at, person, thought, said, calls, usage } of turns) {
    if (!started) {
      started = true;
      const cwd = `/home/dev/project-${number % 40}`;
      yield { type: 'session', version: 3, id: uuid(dice), timestamp: iso(at), cwd };
      yield entry('model_change', at, { provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
    }
    const message = (role, content, more) =>
      entry('message', at, { message: { role, content, ...more, timestamp: at } });
    if (person !== null) yield message('user', [{ type: 'text', text: person }]);
    const named = calls.map((call, index) => ({ call, id: `toolu_${turn}_${index}_${dice.hex(12)}` }));
    yield message(
      'assistant',
      [
        ...(thought === ''
          ? []
          : [{ type: 'thinking', thinking: thought, thinkingSignature: sealed(dice, 300) }]),
        ...(said === '' ? [] : [{ type: 'text', text: said }]),
        ...named.map(({ call, id }) => ({ type: 'toolCall', id, ...PI[call.kind](call) })),
      ],
      {
        api: 'anthropic-messages',
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
        usage: { input: 8, output: usage.output, cacheRead: usage.cached, cacheWrite: usage.fresh },
        stopReason: calls.length === 0 ? 'stop' : 'toolUse',
      },
    );
    for (const { call, id } of named) {
      const content = [{ type: 'text', text: call.output }];
      const details = call.kind === 'edit' ? { diff: text('code', 800), firstChangedLine: 3 } : {};
      yield message('toolResult', content, {
        toolCallId: id,
        toolName: PI[call.kind](call).name,
        details,
        isError: call.failed,
      });
    }
  }
}

const PI = {
  shell: ({ command }) => ({ name: 'bash', arguments: { command } }),
  read: ({ path }) => ({ name: 'read', arguments: { path } }),
  search: ({ pattern, path }) => ({ name: 'grep', arguments: { pattern, path } }),
  edit: ({ path, before, after }) => ({
    name: 'edit',
    arguments: { path, edits: [{ oldText: before, newText: after }] },
  }),
};

function numbered(text) {
  let line = 0;
  return text.replaceAll(/^/gm, () => `${String(++line).padStart(6)}→`);
}

function iso(at) {
  return new Date(at).toISOString();
}

function uuid({ hex }) {
  return `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`;
}

/** What a provider gives to be sent back: letters that mean nothing. */
function sealed({ hex }, length) {
  return Buffer.from(hex(Math.floor((length * 3) / 4))).toString('base64');
}
