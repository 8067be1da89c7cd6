import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSessions } from '../../src/cli/scan/find-sessions.ts';
import { knownPlaces, type Place } from '../../src/cli/scan/places.ts';
import { walk } from '../../src/cli/walk.ts';
import { FORMATS } from '../../src/transcripts/formats.ts';

const LINUX = { home: '/home/ann', env: {}, platform: 'linux' };
const MAC = { home: '/Users/ann', env: {}, platform: 'darwin' };
const WINDOWS = { home: 'C:\\Users\\ann', env: {}, platform: 'win32' };

const paths = (places: readonly Place[], agent: string) =>
  places.filter((place) => place.agent === agent).map(({ path }) => path);

describe('knownPlaces', () => {
  it('knows where each agent keeps its sessions', () => {
    const places = knownPlaces(LINUX).map(({ agent, kind, path }) => `${agent} ${kind} ${path}`);
    expect(places).toEqual([
      'claude-code files /home/ann/.claude/projects',
      'codex files /home/ann/.codex/sessions',
      'codex files /home/ann/.codex/archived_sessions',
      'gemini-cli files /home/ann/.gemini/tmp',
      'qwen-code files /home/ann/.qwen/projects',
      'copilot-cli files /home/ann/.copilot/session-state',
      'opencode opencode-storage /home/ann/.local/share/opencode/storage',
      'opencode opencode-database /home/ann/.local/share/opencode/opencode.db',
      'pi files /home/ann/.pi/agent/sessions',
      'cline files /home/ann/.cline/data/sessions',
      'cline files /home/ann/.cline/data/tasks',
      'continue files /home/ann/.continue/sessions',
      'openclaw files /home/ann/.openclaw/agents',
      'openclaw openclaw-database /home/ann/.openclaw/agents',
      'openhands folder /home/ann/.openhands/conversations',
      'openhands-v0 folder /home/ann/.openhands/sessions',
      ...['Code', 'Code - Insiders', 'VSCodium', 'Cursor'].flatMap((editor) =>
        ['saoudrizwan.claude-dev', 'rooveterinaryinc.roo-cline'].map(
          (id) => `cline files /home/ann/.config/${editor}/User/globalStorage/${id}/tasks`,
        ),
      ),
    ]);
  });

  it('names formats that there are', () => {
    const names = FORMATS.map(({ name }) => name);
    const env = { SWE_AGENT_TRAJECTORY_DIR: '/t', MSWEA_GLOBAL_CONFIG_DIR: '/m' };
    for (const { agent } of knownPlaces({ ...LINUX, env })) expect(names).toContain(agent);
  });

  it('writes paths as the system does', () => {
    expect(paths(knownPlaces(WINDOWS), 'codex')[0]).toBe('C:\\Users\\ann\\.codex\\sessions');
    expect(paths(knownPlaces(WINDOWS), 'opencode')[1]).toBe(
      'C:\\Users\\ann\\.local\\share\\opencode\\opencode.db',
    );
    expect(paths(knownPlaces(WINDOWS), 'cline')[2]).toBe(
      'C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\tasks',
    );
    expect(paths(knownPlaces({ ...WINDOWS, env: { APPDATA: 'D:\\roaming' } }), 'cline')[2]).toBe(
      'D:\\roaming\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\tasks',
    );
    expect(paths(knownPlaces(MAC), 'claude-code')).toEqual(['/Users/ann/.claude/projects']);
    expect(paths(knownPlaces(MAC), 'cline')[2]).toBe(
      '/Users/ann/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/tasks',
    );
  });

  it.each([
    ['claude-code', { CLAUDE_CONFIG_DIR: '/x' }, ['/x/projects']],
    ['codex', { CODEX_HOME: '/x' }, ['/x/sessions', '/x/archived_sessions']],
    ['gemini-cli', { GEMINI_CLI_HOME: '/x' }, ['/x/.gemini/tmp']],
    ['qwen-code', { QWEN_HOME: '/x' }, ['/x/projects']],
    ['qwen-code', { QWEN_HOME: '/x', QWEN_RUNTIME_DIR: '~/run' }, ['/home/ann/run/projects']],
    ['copilot-cli', { COPILOT_HOME: '/x' }, ['/x/session-state']],
    ['opencode', { XDG_DATA_HOME: '/x' }, ['/x/opencode/storage', '/x/opencode/opencode.db']],
    ['opencode', { OPENCODE_DB: '/y/o.db' }, ['/home/ann/.local/share/opencode/storage', '/y/o.db']],
    ['opencode', { XDG_DATA_HOME: '/x', OPENCODE_DB: 'o.db' }, ['/x/opencode/storage', '/x/opencode/o.db']],
    [
      'opencode',
      { XDG_DATA_HOME: '/x', OPENCODE_DB: ':memory:' },
      ['/x/opencode/storage', '/x/opencode/opencode.db'],
    ],
    ['pi', { PI_CODING_AGENT_DIR: '~' }, ['/home/ann/sessions']],
    ['continue', { CONTINUE_GLOBAL_DIR: '/x' }, ['/x/sessions']],
    ['openclaw', { OPENCLAW_HOME: '/x' }, ['/x/.openclaw/agents', '/x/.openclaw/agents']],
    ['openclaw', { OPENCLAW_HOME: '/x', OPENCLAW_STATE_DIR: '/y' }, ['/y/agents', '/y/agents']],
    ['openhands', { OPENHANDS_PERSISTENCE_DIR: '/x' }, ['/x/conversations']],
    ['openhands', { OPENHANDS_CONVERSATIONS_DIR: '/x' }, ['/x']],
    ['openhands-v0', { FILE_STORE_PATH: '/x' }, ['/x/sessions']],
    ['swe-agent', { SWE_AGENT_TRAJECTORY_DIR: '/x' }, ['/x']],
    ['mini-swe-agent', { MSWEA_GLOBAL_CONFIG_DIR: '/x' }, ['/x']],
    ['swe-agent', {}, []],
    ['claude-code', { CLAUDE_CONFIG_DIR: ' ' }, ['/home/ann/.claude/projects']],
  ])('%s follows its variables: %o', (agent, env, expected) => {
    expect(paths(knownPlaces({ ...LINUX, env }), agent)).toEqual(expected);
  });

  it('follows the variables of Cline and of the editors', () => {
    const cline = (env: { [name: string]: string }) => paths(knownPlaces({ ...LINUX, env }), 'cline');
    expect(cline({ CLINE_DIR: '/x' }).slice(0, 2)).toEqual(['/x/data/sessions', '/x/data/tasks']);
    expect(cline({ CLINE_DIR: '/x', CLINE_DATA_DIR: '/y' }).slice(0, 2)).toEqual(['/y/sessions', '/y/tasks']);
    expect(cline({ CLINE_SESSION_DATA_DIR: '/z' })[0]).toBe('/z');
    expect(cline({ XDG_CONFIG_HOME: '/c' })[2]).toBe(
      '/c/Code/User/globalStorage/saoudrizwan.claude-dev/tasks',
    );
    expect(cline({ VSCODE_APPDATA: '/a' })[2]).toBe(
      '/a/Code/User/globalStorage/saoudrizwan.claude-dev/tasks',
    );
    expect(cline({ VSCODE_PORTABLE: '/p' })).toContain(
      '/p/user-data/User/globalStorage/saoudrizwan.claude-dev/tasks',
    );
  });
});

/** A home with these files in it, each as many bytes long as its number says. */
function home(files: { readonly [path: string]: number }): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'deloop-places-')));
  for (const [path, size] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), 'x'.repeat(size));
  }
  return folder;
}

function found(folder: string) {
  const complaints: string[] = [];
  const places = knownPlaces({ home: folder, env: {}, platform: 'linux' });
  const sessions = [
    ...findSessions(places, (path, why) => complaints.push(`${path.slice(folder.length + 1)}: ${why}`)),
  ];
  return {
    complaints,
    sessions: sessions.map(
      ({ agent, kind, path, size }) => `${agent} ${kind} ${path.slice(folder.length + 1)} ${size}`,
    ),
  };
}

describe('findSessions', () => {
  it('finds nothing, and says nothing, where no agent is', () => {
    expect(found(home({}))).toEqual({ complaints: [], sessions: [] });
    expect(found(home({ '.claude': 3, '.codex/sessions': 3 }))).toEqual({ complaints: [], sessions: [] });
  });

  it('finds the sessions of every agent, and nothing beside them', () => {
    const folder = home({
      '.claude/projects/-work-shop/b.jsonl': 2,
      '.claude/projects/-work-shop/a.jsonl': 1,
      '.claude/projects/-work-shop/a/subagents/agent-1.jsonl': 3,
      '.claude/projects/-work-shop/a/subagents/agent-1.meta.json': 3,
      '.claude/projects/-work-shop/a/subagents/journal.jsonl': 3,
      '.claude/projects/-work-shop/a/tool-results/x.txt': 3,
      '.claude/history.jsonl': 3,
      '.codex/sessions/2026/05/04/rollout-1.jsonl': 4,
      '.codex/archived_sessions/rollout-0.jsonl': 5,
      '.codex/history.jsonl': 3,
      '.gemini/tmp/shop/chats/session-1.jsonl': 6,
      '.gemini/tmp/shop/chats/session-0.json': 6,
      '.gemini/tmp/shop/chats/session-1/helper.jsonl': 6,
      '.gemini/tmp/shop/logs.json': 3,
      '.qwen/projects/-work/chats/s.jsonl': 7,
      '.qwen/projects/-work/subagents/s/agent-1.jsonl': 7,
      '.qwen/projects/-work/memory.jsonl': 3,
      '.copilot/session-state/s/events.jsonl': 8,
      '.copilot/session-state/s/workspace.yaml': 3,
      '.local/share/opencode/storage/session/project/ses_1.json': 3,
      '.local/share/opencode/opencode.db': 9,
      '.pi/agent/sessions/--work--/1.jsonl': 10,
      '.cline/data/sessions/s/s.messages.json': 11,
      '.cline/data/sessions/s/s.json': 3,
      '.cline/data/tasks/1/api_conversation_history.json': 12,
      '.cline/data/tasks/1/ui_messages.json': 3,
      '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json': 13,
      '.continue/sessions/sessions.json': 3,
      '.continue/sessions/s.json': 14,
      '.openclaw/agents/main/sessions/s.jsonl': 15,
      '.openclaw/agents/main/sessions/sessions.json': 3,
      '.openclaw/agents/main/agent/openclaw-agent.sqlite': 16,
      '.openhands/conversations/c/base_state.json': 3,
      '.openhands/conversations/c/events/event-00000-x.json': 3,
      '.openhands/conversations/empty/x.json': 3,
      '.openhands/sessions/s/events/0.json': 3,
    });
    expect(found(folder)).toEqual({
      complaints: [],
      sessions: [
        'claude-code files .claude/projects/-work-shop/a/subagents/agent-1.jsonl 3',
        'claude-code files .claude/projects/-work-shop/a.jsonl 1',
        'claude-code files .claude/projects/-work-shop/b.jsonl 2',
        'codex files .codex/sessions/2026/05/04/rollout-1.jsonl 4',
        'codex files .codex/archived_sessions/rollout-0.jsonl 5',
        'gemini-cli files .gemini/tmp/shop/chats/session-0.json 6',
        'gemini-cli files .gemini/tmp/shop/chats/session-1/helper.jsonl 6',
        'gemini-cli files .gemini/tmp/shop/chats/session-1.jsonl 6',
        'qwen-code files .qwen/projects/-work/chats/s.jsonl 7',
        'qwen-code files .qwen/projects/-work/subagents/s/agent-1.jsonl 7',
        'copilot-cli files .copilot/session-state/s/events.jsonl 8',
        'opencode opencode-storage .local/share/opencode/storage 0',
        'opencode opencode-database .local/share/opencode/opencode.db 9',
        'pi files .pi/agent/sessions/--work--/1.jsonl 10',
        'cline files .cline/data/sessions/s/s.messages.json 11',
        'cline files .cline/data/tasks/1/api_conversation_history.json 12',
        'continue files .continue/sessions/s.json 14',
        'openclaw files .openclaw/agents/main/sessions/s.jsonl 15',
        'openclaw openclaw-database .openclaw/agents/main/agent/openclaw-agent.sqlite 16',
        'openhands folder .openhands/conversations/c 0',
        'openhands-v0 folder .openhands/sessions/s 0',
        'cline files .config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json 13',
      ],
    });
  });

  it('tells when a session was written last', () => {
    const folder = home({ '.codex/sessions/a.jsonl': 1 });
    utimesSync(join(folder, '.codex', 'sessions', 'a.jsonl'), 1_700_000_000, 1_700_000_000);
    const [session] = findSessions(knownPlaces({ home: folder, env: {}, platform: 'linux' }), () => {});
    expect(session?.modifiedAt).toBe(1_700_000_000_000);
  });

  it('follows links, round in circles and to nowhere', () => {
    const folder = home({ 'elsewhere/b.jsonl': 2, '.codex/sessions/2026/a.jsonl': 1 });
    const sessions = join(folder, '.codex', 'sessions');
    symlinkSync(sessions, join(sessions, '2026', 'again'));
    symlinkSync(join(folder, 'elsewhere'), join(sessions, 'linked'));
    symlinkSync(join(folder, 'elsewhere'), join(sessions, 'linked-too'));
    symlinkSync(join(folder, 'elsewhere', 'b.jsonl'), join(sessions, 'file.jsonl'));
    symlinkSync(join(folder, 'nowhere'), join(sessions, 'gone.jsonl'));
    symlinkSync(join(sessions, 'self.jsonl'), join(sessions, 'self.jsonl'));
    expect(found(folder)).toEqual({
      complaints: [],
      sessions: [
        'codex files .codex/sessions/2026/a.jsonl 1',
        'codex files .codex/sessions/file.jsonl 2',
        'codex files .codex/sessions/linked/b.jsonl 2',
      ],
    });
  });

  it('follows a place that is itself a link', () => {
    const folder = home({ 'real/a.jsonl': 1 });
    mkdirSync(join(folder, '.codex'));
    symlinkSync(join(folder, 'real'), join(folder, '.codex', 'sessions'));
    expect(found(folder).sessions).toEqual(['codex files .codex/sessions/a.jsonl 1']);
  });

  it('complains of a place whose links go round in circles', () => {
    const folder = home({ '.pi/agent/sessions/a.jsonl': 1 });
    symlinkSync(join(folder, '.codex'), join(folder, '.codex'));
    expect(found(folder)).toEqual({
      complaints: [
        '.codex/sessions: its links go round in circles',
        '.codex/archived_sessions: its links go round in circles',
      ],
      sessions: ['pi files .pi/agent/sessions/a.jsonl 1'],
    });
  });

  it('complains of a folder that cannot be read, and goes on', () => {
    const folder = home({ 'a/1.jsonl': 1, 'b/2.jsonl': 1 });
    const complaints: string[] = [];
    const names: string[] = [];
    for (const { name, path } of walk(folder, (path, why) => complaints.push(`${path}: ${why}`))) {
      names.push(name);
      // It goes between the moment at which it is seen and that at which it is looked into.
      if (name === 'a') rmSync(path, { recursive: true });
    }
    expect(names).toEqual(['a', 'b', '2.jsonl']);
    expect(complaints).toEqual([`${join(folder, 'a')}: there is no such file`]);
  });

  it('reads no more folders than it is asked for', () => {
    const folder = home({ '.claude/projects/a/1.jsonl': 1, '.claude/projects/b/2.jsonl': 1 });
    const sessions = findSessions(knownPlaces({ home: folder, env: {}, platform: 'linux' }), () => {});
    expect(sessions.next().value?.path).toBe(join(folder, '.claude/projects/a/1.jsonl'));
    writeFileSync(join(folder, '.claude/projects/b/3.jsonl'), '');
    expect([...sessions].map(({ path }) => path.slice(-7))).toEqual(['2.jsonl', '3.jsonl']);
  });
});
