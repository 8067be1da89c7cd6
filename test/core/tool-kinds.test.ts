import { describe, expect, it } from 'vitest';
import {
  changesByCode,
  commandLine,
  refinedKind,
  TOOL_NAMES,
  toolKinds,
  withoutCosmetics,
  wordsOf,
} from '../../src/core/tool-kinds.ts';
import type { ToolKind } from '../../src/core/types.ts';

const kindOf = toolKinds();

/** The tools of a host by what they do. */
type Host = { readonly [Kind in ToolKind]?: string };
const HOSTS: { readonly [host: string]: Host } = {
  'Claude Code': {
    shell: 'Bash',
    poll: 'BashOutput TaskOutput',
    read: 'Read NotebookRead Glob Grep LS WebFetch WebSearch TaskGet ToolSearch ListMcpResourcesTool ReadMcpResourceTool',
    write: 'Write Edit MultiEdit NotebookEdit',
    act: 'KillBash KillShell TaskStop SendMessage CronCreate',
    idle: 'TodoWrite TodoRead ExitPlanMode EnterPlanMode TaskCreate TaskUpdate TaskList',
    other: 'Task Agent AskUserQuestion Skill SlashCommand',
  },
  Codex: {
    shell: 'shell shell_command local_shell exec_command',
    poll: 'write_stdin list_agents',
    wait: 'wait wait_agent',
    read: 'read_file list_dir grep_files view_image web_search',
    write: 'apply_patch',
    act: 'send_input close_agent',
    idle: 'update_plan',
    other: 'spawn_agent request_user_input',
  },
  'Gemini CLI': {
    shell: 'run_shell_command',
    read: 'read_file read_many_files list_directory glob grep_search search_file_content google_web_search web_fetch',
    write: 'write_file replace',
    act: 'save_memory',
    idle: 'write_todos enter_plan_mode exit_plan_mode',
    other: 'ask_user activate_skill',
  },
  'Copilot CLI': {
    shell: 'bash powershell',
    poll: 'read_bash write_bash list_bash read_agent list_agents',
    read: 'view grep glob web_fetch show_file',
    write: 'edit str_replace_editor apply_patch',
    act: 'create stop_bash store_memory',
    idle: 'report_intent update_todo',
    other: 'task ask_user sql',
  },
  Cline: {
    shell: 'execute_command run_commands',
    read: 'read_file search_files list_files list_code_definition_names fetch_web_content',
    write: 'write_to_file replace_in_file editor',
    other: 'browser_action use_mcp_tool ask_followup_question attempt_completion new_task',
  },
  'Roo Code': {
    shell: 'execute_command',
    read: 'codebase_search fetch_instructions',
    write: 'apply_diff insert_content search_and_replace',
    idle: 'update_todo_list',
    other: 'switch_mode',
  },
  Cursor: {
    shell: 'run_terminal_cmd Shell',
    read: 'codebase_search list_dir grep_search file_search',
    write: 'edit_file search_replace StrReplace',
    act: 'delete_file Delete',
    idle: 'todo_write',
  },
  'VS Code': {
    shell: 'run_in_terminal',
    poll: 'get_terminal_output get_task_output terminal_last_command',
    read: 'semantic_search get_errors fetch_webpage',
    write: 'create_file insert_edit_into_file replace_string_in_file',
    idle: 'manage_todo_list',
    other: 'runTests run_task',
  },
  OpenHands: {
    shell: 'execute_bash terminal CmdRunAction',
    read: 'FileReadAction browser_get_state',
    write: 'str_replace_editor file_editor edit_file',
    idle: 'think task_tracker',
    other: 'execute_ipython_cell finish browser_click browser_navigate',
  },
  opencode: {
    shell: 'bash',
    read: 'read glob grep list webfetch websearch',
    write: 'edit write patch multiedit',
    idle: 'todowrite todoread',
    other: 'task skill',
  },
  LangChain: {
    shell: 'terminal',
    read: 'tavily_search tavily_search_results_json requests_get sql_db_query sql_db_list_tables duckduckgo_search list_directory',
    write: 'write_file',
    act: 'requests_post copy_file move_file file_delete',
    other: 'wikipedia python_repl Python_REPL calculator llm-math',
  },
  MCP: {
    read: 'mcp__github__get_issue mcp__github__list_issues mcp__filesystem__read_text_file mcp__db__query mcp__x__list_status_codes',
    act: 'mcp__github__create_issue mcp__memory__add_observations mcp__slack__slack_post_message mcp_github_create_issue',
    poll: 'mcp__ci__get_status mcp__a__b__get_status',
    wait: 'mcp__playwright__browser_wait_for',
    step: 'mcp__playwright__browser_press_key',
    idle: 'mcp__sequential-thinking__sequentialthinking',
    other: 'mcp__playwright__browser_click mcp__filesystem__directory_tree mcp__shell__run',
  },
  'a help desk': {
    read: 'get_user_details search_direct_flight list_all_airports find_user_id_by_email',
    act: 'book_reservation cancel_reservation update_reservation_flights modify_pending_order_items send_certificate',
    poll: 'get_flight_status',
    idle: 'think',
    other: 'transfer_to_human_agents calculate',
  },
  'any other': {
    poll: 'check_build_status checkStatus status_report status_of_orders my_job_output',
    wait: 'wait_for waitForSelector await_job sleep',
    act: 'setStatus update_status set_key update_key remove_file',
    read: 'HTTPGet getURL file-read READ_FILE browser.open get_key listNextSteps getUpdate',
    step: 'scroll_down browser.scroll-down next_page previous_page PageDown key_press keypress screenshot take_screenshot',
    shell: 'bash_20250124 exec_sql',
    write: 'my_patch_tool',
    other: 'run execute click goto toString constructor __proto__ public_key_info',
  },
};

const NAMES = Object.entries(HOSTS).flatMap(([host, kinds]) =>
  Object.entries(kinds).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [host, name, kind] as const),
  ),
);

describe('a tool whose name ends with output', () => {
  it('is looked at, unless it hands something in', () => {
    const kindOf = toolKinds();
    for (const name of ['BashOutput', 'background_output', 'get_command_output', 'output'])
      expect(kindOf(name), name).toBe('poll');
    for (const name of ['strands_structured_output', 'final_output', 'save_output', 'validate_output'])
      expect(kindOf(name), name).not.toBe('poll');
  });
});

describe('a tool by its name', () => {
  it.each(NAMES)('%s: %s is for %s', (_, name, kind) => {
    expect(kindOf(name)).toBe(kind);
  });

  it.each(['', '_', '日本語', 'mcp__', 'x'.repeat(10_000)])('%j says nothing', (name) => {
    expect(kindOf(name)).toBe('other');
  });

  it('is read up to its 128th character', () => {
    expect(kindOf(`read_${'x'.repeat(500)}`)).toBe('read');
    expect(kindOf(`${'x'.repeat(119)}_bash_tool`)).toBe('shell');
    expect(kindOf(`${'x'.repeat(125)}_bash_tool`)).toBe('other');
  });

  it('is cut into words', () => {
    expect(wordsOf('TodoWrite')).toEqual(['todo', 'write']);
    expect(wordsOf('mcp__my-server__read_file')).toEqual(['read', 'file']);
    expect(wordsOf('browser.scroll-down')).toEqual(['browser', 'scroll', 'down']);
    expect(wordsOf('getHTTPStatus2xx')).toEqual(['get', 'http', 'status2xx']);
    expect(wordsOf('__x__')).toEqual(['x']);
  });

  it('stands in one list only, and is found under its own name', () => {
    const all = Object.entries(TOOL_NAMES).flatMap(([kind, names]) =>
      names.map((name) => [name, kind] as const),
    );
    expect(new Set(all.map(([name]) => name)).size).toBe(all.length);
    for (const [name, kind] of all)
      expect([name, toolKinds()(name.replaceAll(' ', '_'))]).toEqual([name, kind]);
  });

  it('is the same however many names are asked for in between', () => {
    const own = toolKinds();
    for (let n = 0; n < 1000; n++) expect(own(`read_${n}`)).toBe('read');
    expect(own('Bash')).toBe('shell');
    expect(own('Bash')).toBe('shell');
  });
});

describe('what the arguments say beyond the name', () => {
  it.each([
    // An editor with commands.
    ['write', { command: 'view', path: 'a' }, 'read'],
    ['write', { command: 'str_replace', path: 'a' }, 'write'],
    ['write', { command: 'create', path: 'a' }, 'write'],
    ['write', { command: 'undo_edit', path: 'a' }, 'write'],
    ['write', {}, 'write'],
    ['other', { command: 'str_replace' }, 'write'],
    ['other', { command: 'create' }, 'act'],
    // A computer, a browser.
    ['other', { action: 'screenshot' }, 'step'],
    ['other', { action: 'click' }, 'other'],
    ['other', { action: 'scroll_down' }, 'step'],
    ['other', { action: 'wait' }, 'wait'],
    ['other', { operation: 'READ' }, 'read'],
    ['other', { command: 7, action: 'read' }, 'read'],
    ['other', '{"action":"read"}', 'read'],
    ['other', 'read', 'other'],
    // A line of shell is no verb.
    ['other', { command: 'cat a.txt' }, 'shell'],
    ['other', { command: 'git status' }, 'shell'],
    ['other', { command: 'x'.repeat(33) }, 'other'],
    ['other', null, 'other'],
    // A terminal that is only looked at, or typed into.
    ['poll', { session_id: 1, chars: '' }, 'poll'],
    ['poll', { session_id: 1, chars: 'y\n' }, 'step'],
    ['poll', { input: 'y' }, 'step'],
    ['poll', { input: 1 }, 'poll'],
    ['poll', { action: 'read' }, 'poll'],
    // Kinds that a name alone decides.
    ['read', { action: 'write' }, 'read'],
    ['read', { input: 'x' }, 'read'],
    ['idle', { action: 'write' }, 'idle'],
    ['act', { action: 'view' }, 'act'],
    // A shell has a command line.
    ['shell', { command: 'ls' }, 'shell'],
    ['shell', { command: '' }, 'shell'],
    ['shell', { action: 'read', command: 'ls' }, 'shell'],
    ['shell', {}, 'shell'],
    ['shell', 'ls', 'shell'],
    ['shell', { input: 'ls' }, 'shell'],
    ['shell', { shell: 'a', mode: 'b' }, 'other'],
    ['shell', { id: 7 }, 'other'],
    // Statements that write do so, whoever is given them; questions that begin like one do not.
    ['read', { sql: 'INSERT INTO plans (id) VALUES (1)' }, 'act'],
    ['other', { query: '-- first\nupdate a.plans set x = 1' }, 'act'],
    ['shell', { query: 'BEGIN; DELETE FROM "plans" WHERE id = 1; COMMIT' }, 'act'],
    ['other', { statement: 'CREATE UNIQUE INDEX IF NOT EXISTS i ON plans (id)' }, 'act'],
    ['other', { input: 'drop table if exists plans' }, 'act'],
    ['read', { sql: 'SELECT * FROM plans -- update plans' }, 'read'],
    ['read', { query: 'alter table add column postgres' }, 'read'],
    ['read', { query: 'delete from list python' }, 'read'],
    ['read', { query: 'create react app on windows' }, 'read'],
    ['other', { query: 'update on the strike' }, 'other'],
    ['other', { sql: 7 }, 'other'],
  ] as const)('%s with %j is %s', (kind, args, expected) => {
    expect(refinedKind(kind, args)).toBe(expected);
  });
});

describe('a program that is handed over', () => {
  it.each([
    "open('a').write('x')",
    'df.to_csv("a.csv")',
    'fs.writeFileSync("a", "")',
    'json.dump(a, f)',
    'os.rename("a", "b")',
  ])('writes: %j', (code) => {
    expect(changesByCode({ code })).toBe(true);
  });

  it.each([
    'print(1)',
    'open("a").read()',
    'def write_all(x): pass',
    'function saveAll() {}',
    'write = 5',
    'x = f(x0)',
    'x == x',
    'df["a"] == 1',
    'print(x=x)',
    `${' '.repeat(10_000)}f.write("x")`,
  ])('does not write, as far as can be seen: %j', (code) => {
    expect(changesByCode({ code })).toBe(false);
  });

  it.each(['df = df.dropna()', 'a = 1\ndf["a"] = 1', 'model.rate = 0.1', 'n += 1'])(
    'gives another value to what is there: %j',
    (code) => {
      expect(changesByCode({ code })).toBe(true);
    },
  );

  it('is a text under that name', () => {
    expect(changesByCode({ code: 7 })).toBe(false);
    expect(changesByCode({ command: 'f.write("x")' })).toBe(false);
    expect(changesByCode(null)).toBe(false);
    expect(changesByCode('{"code":"f.write(1)"}')).toBe(true);
  });
});

describe('the command line of a shell', () => {
  it.each([
    [{ command: 'ls' }, 'ls'],
    [{ command: '' }, ''],
    [{ cmd: 'ls', workdir: '/a' }, 'ls'],
    [{ script: 'ls' }, 'ls'],
    [{ keystrokes: 'ls\n' }, 'ls\n'],
    [{ keystrokes: 'ls', name: 'a' }, 'ls'],
    [{ script: 'ls', name: 'a' }, 'ls'],
    [{ command: ['a', '-lcx', 'b'] }, 'a -lcx b'],
    [{ command: ['a', 'x-c', 'b'] }, 'a x-c b'],
    [{ command: ['git', 'status'] }, 'git status'],
    [{ command: ['bash', '-lc', 'rm x'] }, 'rm x'],
    [{ command: ['sh', '-c', 'rm x'] }, 'rm x'],
    [{ command: ['sh', '-c', 'rm', 'x'] }, 'sh -c rm x'],
    [{ command: ['a', 'c', 'b'] }, 'a c b'],
    [{ commands: ['cd a', 'ls'] }, 'cd a\nls'],
    [{ commands: 'ls' }, 'ls'],
    [{ input: 'ls', description: 'lists', timeout: 5 }, 'ls'],
    [{ a: 'x', b: 'y' }, null],
    [{ n: 1 }, null],
    [{}, null],
    [null, null],
    [['ls'], null],
    ['ls -la', 'ls -la'],
    ['{"command":"ls"}', 'ls'],
  ] as const)('of %j is %j', (args, expected) => {
    expect(commandLine(args)).toBe(expected);
  });

  it('is compared without what is only for show', () => {
    const shown = { command: 'ls', workdir: 'a' };
    const rest = {
      description: 'Lists files',
      explanation: 'x',
      justification: 'y',
      timeout: 5,
      timeout_ms: 5000,
      yield_time_ms: 1,
      max_output_tokens: 1,
      initial_wait: 1,
    };
    expect(withoutCosmetics({ ...rest, ...shown })).toEqual(shown);
    expect(withoutCosmetics('{"command":"ls","timeout":5}')).toEqual({ command: 'ls' });
    expect(withoutCosmetics(shown)).toBe(shown);
    expect(withoutCosmetics('ls')).toBe('ls');
    expect(withoutCosmetics(null)).toBe(null);
  });

  it.each(['command', 'cmd', 'script', 'keystrokes'])(
    'is compared without the remark at the end of a %s',
    (name) => {
      expect(withoutCosmetics({ [name]: 'npm test # once more' })).toEqual({ [name]: 'npm test' });
      const long = `echo ${'a'.repeat(300)}`;
      expect(withoutCosmetics({ [name]: `${long} # again` })).toEqual({ [name]: long });
    },
  );

  it.each([
    { command: 'echo a#b' },
    { command: `echo "a # b"` },
    { command: 'ls # one\nrm x' },
    { command: `ls # ${'x'.repeat(130)}` },
    { note: 'see # 5' },
    { command: 7 },
  ])('keeps what is no remark: %j', (args) => {
    expect(withoutCosmetics(args)).toBe(args);
  });

  it('loses a remark only where commands stand', () => {
    expect(withoutCosmetics({ note: 'see #5', timeout: 1 })).toEqual({ note: 'see #5' });
    expect(withoutCosmetics({ command: 'ls # a', note: 'see #5' })).toEqual({
      command: 'ls',
      note: 'see #5',
    });
    expect(withoutCosmetics('ls # once more')).toBe('ls # once more');
  });
});
