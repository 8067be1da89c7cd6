import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deloop, newFolder } from '../cli/run-cli.ts';

const SLOW = { timeout: 120_000 };

function newHome(): {
  readonly home: string;
  readonly run: (...args: readonly string[]) => ReturnType<typeof deloop>;
} {
  const home = newFolder();
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  return { home, run: (...args) => deloop(args, { cwd, env: { HOME: home, USERPROFILE: home } }) };
}

describe('deloop install', () => {
  it('shows every line, makes it, and takes it back', SLOW, async () => {
    const { home, run } = newHome();
    const settings = join(home, '.gemini', 'settings.json');
    const text = '{\n\t// mine\n\t"model": { "name": "x" }\n}\n';
    mkdirSync(join(home, '.gemini'));
    writeFileSync(settings, text);
    const dry = await run('install', 'gemini-cli', '--dry-run');
    expect(dry).toMatchObject({ status: 0, err: '' });
    expect(dry.out).toMatch(/^ {4}\+ \t"hooks": \{$/m);
    expect(dry.out).toContain('Nothing was changed.');
    expect(readFileSync(settings, 'utf8')).toBe(text);

    const made = await run('install', 'gemini-cli', '--shadow');
    expect(made.out).toContain('hooks on BeforeAgent, BeforeTool, AfterTool, AfterAgent');
    expect(readFileSync(settings, 'utf8')).toContain('gemini-cli --shadow');
    const status = await run('status', '--json');
    expect(
      JSON.parse(status.out).agents.filter(({ installed }: { installed: boolean }) => installed),
    ).toEqual([expect.objectContaining({ agent: 'gemini-cli', scope: 'user', shadow: true, problems: [] })]);
    expect((await run('install', 'gemini-cli', '--shadow')).out).toContain('is installed already');

    const both = await run('install', 'gemini-cli', '--project', '--json');
    expect(JSON.parse(both.out)).toMatchObject({ done: 'installed', scope: 'project' });
    expect(JSON.parse(both.out).notes[0]).toContain('every hook will run twice');
    expect(await run('status')).toMatchObject({ status: 1, out: expect.stringContaining('runs twice') });

    expect((await run('uninstall', 'gemini-cli')).out.match(/Uninstalled\./g)).toHaveLength(2);
    expect(readFileSync(settings, 'utf8')).toBe(text);
    expect(existsSync(join(home, 'project', '.gemini'))).toBe(false);
    expect((await run('uninstall', 'gemini-cli')).out).toContain('is not installed');
    expect(await run('status')).toMatchObject({
      status: 0,
      out: expect.stringContaining('No agent is guarded'),
    });
  });

  it('tells what a person has to do, and who else runs the hook', SLOW, async () => {
    const { run } = newHome();
    expect((await run('install', 'codex')).out).toContain('type /hooks');
    expect(await run('status')).toMatchObject({
      status: 1,
      out: expect.stringContaining('was not told to trust'),
    });
    await run('install', 'claude-code', '--project');
    expect((await run('install', 'copilot-cli')).out).toContain(
      'runs the hooks of .claude/settings.json, too',
    );
    expect((await run('install', 'cursor')).out).toContain("runs the hooks of Claude Code's settings, too");
  });

  it('refuses what it does not know, and what it cannot change', SLOW, async () => {
    const { home, run } = newHome();
    expect(await run('install', 'emacs')).toMatchObject({
      status: 2,
      err: expect.stringContaining('agent is "emacs"; it must be one of claude-code'),
    });
    mkdirSync(join(home, '.qwen'));
    writeFileSync(join(home, '.qwen', 'settings.json'), '{ "a": ');
    expect(await run('install', 'qwen-code')).toMatchObject({
      status: 2,
      err: expect.stringMatching(/settings\.json:1:\d+ is not JSON .*nothing was changed/),
    });
  });
});

describe('deloop drill and deloop doctor', () => {
  it('tell what is well, and what is not', SLOW, async () => {
    const { home, run } = newHome();
    expect(await run('drill', 'pi')).toMatchObject({
      status: 2,
      err: expect.stringContaining('deloop install pi'),
    });
    mkdirSync(join(home, '.gemini'));
    await run('install', 'pi');
    const drill = await run('drill', 'pi');
    expect(drill).toMatchObject({ status: 0, err: '' });
    expect(drill.out).toContain(
      'call  3  tool_result  the model is told: [deloop] bash has given the same result',
    );
    expect(drill.out).toContain('It works: the model is told at call 3, refused at call 5');

    const well = await run('doctor');
    expect(well).toMatchObject({ status: 0, err: '' });
    expect(well.out).toContain('pi for you: a known loop is stopped');
    expect(well.out).toContain('Gemini CLI is here, and not guarded\n      -> deloop install gemini-cli');

    const extension = join(home, '.pi', 'agent', 'extensions', 'deloop.js');
    writeFileSync(
      extension,
      readFileSync(extension, 'utf8').replace(/file:[^"]*/, 'file:///gone/plugins/pi.js'),
    );
    expect(await run('drill', 'pi')).toMatchObject({
      status: 1,
      out: expect.stringContaining('It does not work.'),
    });
    const ill = await run('doctor');
    expect(ill.status).toBe(1);
    expect(ill.out).toContain('WRONG pi for you: /gone/plugins/pi.js is gone');

    writeFileSync(join(home, 'project', 'deloop.config.json'), '{"mode":"of"}');
    const wrong = await run('doctor', '--json');
    const { findings } = JSON.parse(wrong.out);
    expect(findings).toContainEqual({
      level: 'wrong',
      text: expect.stringContaining('mode is "of"'),
      remedy: 'correct them',
    });
  });
});
