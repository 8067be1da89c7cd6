import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { drill } from '../../src/cli/drill/drill.ts';
import { HOST_SCRIPTS } from '../../src/cli/drill/host-script.ts';
import { runHook } from '../../src/cli/hook/run-hook.ts';
import { hookCommand } from '../../src/cli/install/hook-command.ts';
import { installStatus } from '../../src/cli/install/install-status.ts';
import { hooksIn } from '../../src/cli/install/settings-file.ts';
import { PARTS } from '../hooks/play.ts';
import { fileOf, install, newContext, of } from '../install/contexts.ts';

/** Needs `dist/`. */
const HOOK = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));
const SLOW = { timeout: 60_000 };

function newHome(more: object = {}) {
  const context = newContext({ hook: HOOK, ...more });
  const env = { PATH: process.env['PATH'], HOME: context.home, SHELL: '/bin/sh' };
  return { ...context, env };
}

const drilled = (agent: string, context: ReturnType<typeof newHome>) =>
  drill(installStatus(of(agent), context), context);

describe('a drill', () => {
  it.each([
    ['gemini-cli', { told: 3, refused: 4, stopped: 6 }],
    ['copilot-cli', { told: 3, refused: 5, asked: 7, stopped: 8 }],
    ['cline', { told: 3, stopped: 6 }],
    ['opencode', { told: 3, refused: 5, stopped: 7 }],
    ['pi', { told: 3, refused: 5, stopped: 7 }],
    ['openclaw', { refused: 5 }],
  ])('shows when %s is answered what', SLOW, async (agent, expected) => {
    const context = newHome();
    install(agent, context);
    const { works, steps, problems, decisions } = await drilled(agent, context);
    expect(problems).toEqual([]);
    expect(works).toBe(true);
    const first: { [word: string]: number } = {};
    for (const { word, call } of steps) if (word !== 'nothing') first[word] ??= call;
    expect(first).toEqual(expected);
    expect(decisions.length).toBeGreaterThan(1);
  });

  it('knows of the events of every host that is told by commands', () => {
    for (const [agent, script] of Object.entries(HOST_SCRIPTS)) {
      const context = newHome();
      const env = { DELOOP_STATE_DIR: context.state, HOME: context.home, ...script.env };
      const surroundings = { ...context, env };
      const about = (call: number) => ({ session: 's', cwd: context.cwd, call, at: 1e12 + call * 2000 });
      const say = (told: readonly { readonly payload: object }[], call: number) =>
        told.map(({ payload }) =>
          runHook(
            { agent, shadow: false, payload: JSON.stringify(payload), surroundings, now: about(call).at },
            PARTS,
          ),
        );
      say(script.prompt(about(0)), 0);
      const answers = [1, 2, 3, 4].flatMap((call) => [
        ...say(script.before(about(call)), call),
        ...say(script.after(about(call)), call),
      ]);
      expect(answers.slice(0, answers.length / 2).join(''), agent).toBe('');
      expect(answers.join(''), agent).toContain('[deloop]');
    }
  });

  it('of a guard in shadow shows what would have been done', SLOW, async () => {
    const context = newHome({ shadow: true });
    for (const agent of ['pi', 'opencode']) {
      install(agent, context);
      const { works, shadow, steps, decisions } = await drilled(agent, context);
      expect({ works, shadow }).toEqual({ works: true, shadow: true });
      expect(steps.every(({ word }) => word === 'nothing')).toBe(true);
      expect(decisions.map(({ call }) => call)).toContain(3);
    }
  });

  it('says why it does not work: the package is gone', SLOW, async () => {
    const context = newHome({ hook: '/gone/dist/hook.cjs' });
    install('cline', context);
    const { works, problems } = await drilled('cline', context);
    expect(works).toBe(false);
    expect(problems).toEqual([expect.stringContaining('/gone/dist/hook.cjs is gone')]);
  });

  it('says why it does not work: a hook is missing, a shell talks, settings are wrong', SLOW, async () => {
    const context = newHome();
    const command = hookCommand('codex', false, context, 'sh');
    const talking = { hooks: [{ type: 'command', command: `echo Welcome; ${command}` }] };
    const path = fileOf('codex', context);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ hooks: { PreToolUse: [talking] } }));
    expect(hooksIn(JSON.stringify({ hooks: { PreToolUse: [talking] } }))).toHaveLength(1);
    writeFileSync(join(context.cwd, 'deloop.config.json'), '{"preset":"nonsense"}');
    const { works, problems } = await drilled('codex', context);
    expect(works).toBe(false);
    const all = problems.join('\n');
    expect(all).toContain('UserPromptSubmit: there is no hook on UserPromptSubmit');
    expect(all).toContain('PreToolUse: something that is no JSON is printed');
    expect(all).toContain('preset is "nonsense"');
  });
});
