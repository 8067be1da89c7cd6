import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { presets } from '../../src/presets/registry.ts';
import { deloop, MAIN, newFolder, toLines } from './run-cli.ts';
import { failures, sameCall } from './traces.ts';

/** The tool of util-linux that runs a command on a terminal of its own. */
const hasScript = spawnSync('script', ['--version']).status === 0;

describe('deloop', () => {
  it('shows its help, on stdout', async () => {
    for (const args of [['--help'], ['help'], []]) {
      const { status, out, err } = await deloop(args);
      expect([status, err]).toEqual([0, '']);
      expect(out).toContain('deloop replay --demo');
    }
  });

  it('shows the help of a command with examples', async () => {
    const { status, out } = await deloop(['replay', '--help']);
    expect(status).toBe(0);
    expect(out).toContain('Examples:');
    expect(out).toContain('--through');
  });

  it('tells its version', async () => {
    expect(await deloop(['--version'])).toEqual({ status: 0, out: `${manifest.version}\n`, err: '' });
  });

  it.each([
    [['repaly'], "unknown command 'repaly' (Did you mean replay?)"],
    [['replay', '--jsno', 'x'], "unknown option '--jsno' (Did you mean --json?)"],
    [['replay'], 'replay needs a FILE'],
    [['replay', '--demo', 'x'], 'replay --demo takes no FILE'],
    [['replay', '--verify', 'log', 'a', 'b'], 'replay --verify takes one FILE of events, not 2'],
    [['replay', 'x', '--preset'], "option '--preset <name>' argument missing"],
    [['replay', 'x', '--preset', 'kodda'], '--preset is "kodda"; it must be one of koda, '],
    [['replay', 'x', '--preset', '__proto__'], '--preset is "__proto__"; it must be one of koda, '],
    [['replay', 'x', '--config', 'none.json'], 'none.json: there is no such file'],
    [['presets', 'kodda'], 'preset is "kodda"; it must be one of koda, '],
    [['presets', 'koda', 'zagens'], 'too many arguments'],
  ])('answers wrong usage %j with one line and exit status 2', async (args, message) => {
    const { status, out, err } = await deloop(args);
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/^deloop: [^\n]+\n$/);
    expect(err).toContain(message);
  });

  it('ends quietly when its reader has seen enough', async () => {
    const cwd = newFolder({ 't.jsonl': toLines(failures(20_000)) });
    const flags = ['replay', 't.jsonl', '--json', '--through', '--preset', 'zagens'];
    const child = spawn(process.execPath, [MAIN, ...flags], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const status = await new Promise((done) => child.on('close', done));
    expect([status, err]).toEqual([0, '']);
  });

  it.runIf(hasScript)('prints colours on a terminal alone, and not with NO_COLOR', () => {
    const cwd = newFolder({ 't.jsonl': toLines(sameCall('xxx')) });
    const command = `${process.execPath} ${MAIN} replay t.jsonl --preset atomcode`;
    const onTerminal = (env: { readonly [name: string]: string }) =>
      execFileSync('script', ['-qec', command, join(cwd, 'typescript')], {
        cwd,
        env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TERM: 'xterm', ...env },
        encoding: 'utf8',
      });
    expect(onTerminal({})).toContain('\u001B[');
    expect(onTerminal({ NO_COLOR: '1' })).not.toContain('\u001B[3');
  });
});

describe('deloop presets', () => {
  it('lists every preset with what it watches', async () => {
    const { status, out } = await deloop(['presets']);
    expect(status).toBe(0);
    for (const { name, detectors } of Object.values(presets)) {
      expect(out).toContain(name);
      expect(out).toContain(Object.keys(detectors).join(', '));
    }
  });

  it('shows one, or all of them, as JSON', async () => {
    expect(JSON.parse((await deloop(['presets', 'koda'])).out)).toEqual(presets.koda);
    expect(JSON.parse((await deloop(['presets', 'koda', '--json'])).out)).toEqual(presets.koda);
    expect(JSON.parse((await deloop(['presets', '--json'])).out)).toEqual(presets);
  });
});
