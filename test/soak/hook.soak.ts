import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const HOOK = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));
const KILLS = 1000;
const AT_ONCE = 4;

/** Needs `dist/`. */
describe('hooks', () => {
  it(`survive ${KILLS} kills at random instants`, async () => {
    const home = mkdtempSync(join(tmpdir(), 'deloop-hook-kills-'));
    let id = 0;
    let longest = 200;

    /** One hook of a call that was never made before; killed after so long, if it has not ended by then. */
    function hook(killAfterMs?: number): Promise<'killed' | number | null> {
      id += 1;
      const env = { PATH: process.env['PATH'], HOME: home, DELOOP_STATE_DIR: home };
      const child = spawn(process.execPath, [HOOK, 'claude-code'], {
        cwd: home,
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      child.stdin.on('error', () => {});
      child.stdin.end(
        JSON.stringify({
          session_id: 's',
          hook_event_name: 'PreToolUse',
          tool_name: 'Bash',
          tool_input: { command: `echo ${id}` },
          tool_use_id: `${id}`,
        }),
      );
      const timer =
        killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      return new Promise((done) =>
        child.on('close', (status, signal) => {
          clearTimeout(timer);
          done(signal === 'SIGKILL' ? 'killed' : status);
        }),
      );
    }

    const counted = () => {
      const [, text] = readFileSync(join(home, 'sessions', 'claude-code-s.json'), 'utf8').split('\n');
      return (JSON.parse(text as string) as { guard: { calls: number } }).guard.calls;
    };

    expect(await hook()).toBe(0);
    let [kills, missing, whole] = [0, 0, 0];
    while (kills < KILLS) {
      const before = counted();
      const start = performance.now();
      const ends = await Promise.all(Array.from({ length: AT_ONCE }, () => hook(Math.random() * longest)));
      expect(await hook()).toBe(0);
      longest = Math.max(20, Math.min(400, 0.9 * longest + 0.1 * (performance.now() - start)));
      const ended = ends.filter((end) => end === 0).length;
      const killed = ends.filter((end) => end === 'killed').length;
      expect(ended + killed).toBe(AT_ONCE);
      const made = counted() - before - 1;
      // Those that ended are all there; of those that were killed, some are.
      expect(made).toBeGreaterThanOrEqual(ended);
      expect(made).toBeLessThanOrEqual(AT_ONCE);
      kills += killed;
      missing += AT_ONCE - made;
      whole += made;
    }
    const logged = readdirSync(home).includes('log') ? readdirSync(join(home, 'log')) : [];
    console.log(`${kills} kills, ${whole} calls counted, ${missing} not: their hooks were killed before`);
    expect(missing).toBeGreaterThan(0);
    expect(logged).toEqual([]);
    expect(readdirSync(join(home, 'sessions')).filter((name) => name.endsWith('.json'))).toEqual([
      'claude-code-s.json',
    ]);
  });
});
