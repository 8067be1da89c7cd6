import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { announce } from '../announce.ts';

/** Needs `dist/`. */
const HOOK = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));
const UNSHARE = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
const possible = spawnSync('unshare', [...UNSHARE, 'mount -t tmpfs none /mnt']).status === 0;
if (!possible) announce('No disk can be filled here: a full one is not tested.');

/** Calls until there is no room left, calls without room, and calls with room again. */
const SCRIPT = `
mount -t tmpfs -o size=64k none /mnt && export DELOOP_STATE_DIR=/mnt/state HOME=/mnt && cd /mnt
hook() {
  echo "{\\"session_id\\":\\"s\\",\\"hook_event_name\\":\\"$1\\",\\"tool_name\\":\\"Bash\\",\\"tool_input\\":{\\"command\\":\\"ls\\"},\\"tool_use_id\\":\\"$2\\",\\"tool_response\\":{\\"stdout\\":\\"a\\",\\"stderr\\":\\"\\"}}" | "$NODE" "$HOOK" claude-code
  echo "|$?"
}
for n in 1 2; do hook PreToolUse $n; hook PostToolUse $n; done
dd if=/dev/zero of=fill bs=1k count=100 2>/dev/null
echo full
for n in 3 4 5; do hook PreToolUse $n; hook PostToolUse $n; done
rm fill
echo room
hook PreToolUse 6; hook PostToolUse 6
`;

it.runIf(possible || process.env['CI'] === 'true')(
  'an agent goes on when the disk is full, and is guarded again when there is room',
  { timeout: 120_000 },
  () => {
    const { PATH } = process.env;
    const env = { PATH, NODE: process.execPath, HOOK };
    const { stdout } = spawnSync('unshare', [...UNSHARE, SCRIPT], { encoding: 'utf8', env });
    const [before, full, room] = stdout.split(/full\n|room\n/);
    expect(before).toBe('|0\n'.repeat(4));
    expect(full).toBe('|0\n'.repeat(6));
    expect(room).toMatch(/^\|0\n\{.*has given the same result 3 times.*\}\|0\n$/);
  },
);
