import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/cli/load-config.ts';
import { deloop, newFolder, toLines } from './run-cli.ts';
import { sameCall } from './traces.ts';

/** A machine: a home and a project with folders, as real files. */
function machine(files: { readonly [path: string]: unknown }) {
  const root = newFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  mkdirSync(join(root, 'project/src/deep'), { recursive: true });
  const load = (
    env: { readonly [name: string]: string } = {},
    request: Parameters<typeof loadConfig>[1] = {},
    platform = 'linux',
  ) => loadConfig({ cwd: join(root, 'project/src/deep'), home: join(root, 'home'), env, platform }, request);
  return { root, load };
}

describe('loadConfig', () => {
  const USER = 'home/.config/deloop/config.json';
  const PROJECT = 'project/deloop.config.json';

  it('lets locks win over flags, flags over the environment, that over project, user and unlocked managed fields', () => {
    const { root, load } = machine({
      'managed.json': { mode: 'shadow', attended: false },
      'locked.json': { mode: 'enforce', locked: ['mode'] },
      [USER]: { mode: 'off' },
      [PROJECT]: { mode: 'shadow' },
    });
    const { load: bare } = machine({});
    const DELOOP_MANAGED_CONFIG = join(root, 'managed.json');
    expect(bare().mode).toBe('enforce');
    expect(bare({ DELOOP_MANAGED_CONFIG })).toMatchObject({ mode: 'shadow', attended: false });
    expect(
      machine({ 'home/.config/deloop/config.json': { mode: 'off' } }).load({ DELOOP_MANAGED_CONFIG }).mode,
    ).toBe('off');
    expect(load({ DELOOP_MANAGED_CONFIG }).mode).toBe('shadow');
    expect(load({ DELOOP_MODE: 'off' }).mode).toBe('off');
    expect(load({ DELOOP_MODE: 'off' }, { flags: { mode: 'enforce' } }).mode).toBe('enforce');
    const locked = { DELOOP_MANAGED_CONFIG: join(root, 'locked.json'), DELOOP_MODE: 'off' };
    expect(load(locked, { flags: { mode: 'shadow' } }).mode).toBe('enforce');
  });

  it('takes the store of a swarm from the user, the managed file and the environment, not from a project', () => {
    const redis = 'redis://127.0.0.1:1';
    const swarm = { name: 'nightly', waitMs: 20 };
    const { load } = machine({
      [USER]: { store: { tenant: 'acme' } },
      [PROJECT]: { store: { redis }, swarm },
    });
    const { shared, notes } = load();
    expect(shared).toEqual({ store: { tenant: 'acme' }, swarm });
    expect(notes).toEqual([
      expect.stringContaining('store works in your own config, the managed file and the environment'),
    ]);
    const env = {
      DELOOP_REDIS_URL: redis,
      DELOOP_TENANT: 'other',
      DELOOP_SWARM: 'daily',
      DELOOP_WORKER: 'w1',
    };
    expect(load(env).shared).toEqual({
      store: { redis, tenant: 'other' },
      swarm: { name: 'daily', worker: 'w1', waitMs: 20 },
    });
    expect(load({ DELOOP_SWARM: 'off' }).shared.swarm).toBe('off');
    expect(() => load({ DELOOP_REDIS_URL: 'cache:secret' })).toThrow(/^(?!.*secret).*DELOOP_REDIS_URL/);
    const { load: locked, root } = machine({
      'managed.json': { store: { redis }, swarm: { name: 'all' }, locked: ['store', 'swarm'] },
    });
    const DELOOP_MANAGED_CONFIG = join(root, 'managed.json');
    expect(locked({ ...env, DELOOP_MANAGED_CONFIG }).shared).toEqual({
      store: { redis },
      swarm: { name: 'all' },
    });
  });

  it('takes the nearest project file, be it deloop.config.json or package.json', () => {
    const config = { preset: 'koda' };
    expect(machine({ [PROJECT]: config }).load().preset.name).toBe('koda');
    expect(machine({ 'project/package.json': { name: 'p', deloop: config } }).load().preset.name).toBe(
      'koda',
    );
    const nearest = machine({
      [PROJECT]: config,
      'project/src/package.json': { deloop: { preset: 'zagens' } },
    });
    expect(nearest.load().preset.name).toBe('zagens');
    const both = machine({ [PROJECT]: config, 'project/package.json': { deloop: { preset: 'zagens' } } });
    expect(both.load().preset.name).toBe('koda');
    const other = machine({ [PROJECT]: config, 'project/src/package.json': { name: 'deloop' } });
    expect(other.load().preset.name).toBe('koda');
    const broken = machine({ [PROJECT]: config, 'project/src/package.json': '{' });
    expect(broken.load().preset.name).toBe('koda');
  });

  it('finds the user file by XDG_CONFIG_HOME, in ~/.config, and in APPDATA on Windows', () => {
    const { root, load } = machine({
      [USER]: { mode: 'off' },
      'xdg/deloop/config.json': { mode: 'shadow' },
      'appdata/deloop/config.json': { attended: false },
    });
    expect(load().mode).toBe('off');
    expect(load({ XDG_CONFIG_HOME: join(root, 'xdg') }).mode).toBe('shadow');
    expect(load({ XDG_CONFIG_HOME: 'xdg' }).mode).toBe('off');
    expect(load({ APPDATA: join(root, 'appdata') }, {}, 'win32')).toMatchObject({
      mode: 'enforce',
      attended: false,
    });
  });

  it('reads DELOOP_PRESET, DELOOP_MODE and DELOOP_ATTENDED, and nothing from empty ones', () => {
    const { load } = machine({});
    expect(load({ DELOOP_PRESET: 'koda', DELOOP_MODE: 'shadow', DELOOP_ATTENDED: '0' })).toMatchObject({
      preset: { name: 'koda' },
      mode: 'shadow',
      attended: false,
    });
    expect(load({ DELOOP_MODE: '', DELOOP_ATTENDED: '' })).toMatchObject({ mode: 'enforce', attended: true });
    expect(() => load({ DELOOP_MODE: 'on' })).toThrow(
      'DELOOP_MODE is "on"; it must be one of enforce, shadow, off',
    );
    expect(() => load({ DELOOP_ATTENDED: 'no' })).toThrow('DELOOP_ATTENDED is "no"; it must be one of');
    expect(() => load({ DELOOP_PRESET: 'x' })).toThrow('DELOOP_PRESET is "x"; it must be one of koda');
  });

  it('reads a named file instead of the project, and names both sources of a conflict', () => {
    const { root, load } = machine({
      [USER]: { preset: 'koda' },
      [PROJECT]: { mode: 'off' },
      'other.json': { detectors: { 'outcome-repeat': 'off' } },
    });
    const file = join(root, 'other.json');
    expect(() => load({}, { file })).toThrow(
      `${join(root, USER)} + ${file}: detectors has "outcome-repeat", which preset "koda" does not have`,
    );
  });

  it('refuses what cannot be a config, with the file', () => {
    const shown = join('..', '..', 'deloop.config.json');
    const refused = (content: unknown) => machine({ [PROJECT]: content }).load;
    expect(refused('{"mode": "off",}')).toThrow(`${shown}:1:16: not JSON`);
    expect(refused('x'.repeat(1_000_001))).toThrow(`${shown} is larger than 1 MB`);
    expect(refused({ mode: 'on' })).toThrow(`${shown}: mode is "on"; it must be one of enforce, shadow, off`);
    expect(refused('\uFEFF{"mode":"off"}')().mode).toBe('off');
    expect(() => machine({}).load({ DELOOP_MANAGED_CONFIG: '/none/such.json' })).toThrow(
      '/none/such.json: there is no such file',
    );
  });

  it('says when a lock does nothing', () => {
    const { load } = machine({ [PROJECT]: { mode: 'off', locked: ['mode'] } });
    expect(load().notes).toEqual([
      `${join('..', '..', 'deloop.config.json')}: locked works in the managed file alone`,
    ]);
  });
});

describe('the config of deloop replay', () => {
  const trace = toLines(sameCall('xxx'));

  it('is the one of the folder it runs in', async () => {
    const config = JSON.stringify({ preset: 'atomcode', mode: 'off' });
    const cwd = newFolder({ 't.jsonl': trace, 'deloop.config.json': config });
    const { out } = await deloop(['replay', 't.jsonl'], { cwd });
    expect(out).toContain('3 calls: the guard had nothing to say.');
  });

  it('stops with one line and exit status 2 when it is wrong', async () => {
    const config = JSON.stringify({ detectors: { 'outcome-repeat': { window: 99 } } });
    const cwd = newFolder({ 't.jsonl': trace, 'deloop.config.json': config });
    const { status, out, err } = await deloop(['replay', 't.jsonl', '--json'], { cwd });
    expect([status, out]).toEqual([2, '']);
    expect(err).toBe(
      'deloop: deloop.config.json: detectors.outcome-repeat.window is 99; it must be a whole number from 2 to 64\n',
    );
  });

  it('does not let a lock overrule a flag in silence', async () => {
    const managed = { preset: 'koda', mode: 'enforce', locked: ['preset', 'mode'] };
    const cwd = newFolder({ 't.jsonl': trace, 'managed.json': JSON.stringify(managed) });
    const env = { DELOOP_MANAGED_CONFIG: join(cwd, 'managed.json') };
    const { status, err } = await deloop(['replay', 't.jsonl', '--preset', 'atomcode', '--shadow'], {
      cwd,
      env,
    });
    expect(status).toBe(0);
    expect(err).toContain('--preset atomcode is overruled by the managed config: koda it is');
    expect(err).toContain('--shadow is overruled by the managed config: the mode is enforce');
  });
});
