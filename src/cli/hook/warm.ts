import type { Json } from '../../core/types.ts';
import { newHookState, parseHookState } from '../../hooks/hook-state.ts';
import type { Signal } from '../../hooks/host.ts';
import { hostGuard } from '../../hooks/host-guard.ts';
import { claudeCode } from '../../hooks/hosts/claude-code.ts';
import { takeSignal } from '../../hooks/take-signal.ts';
import { recommended } from '../../presets/recommended.ts';

const RUNS: readonly (readonly [tool: string, args: Json, output: string, failed: boolean])[] = [
  [
    'Bash',
    { command: 'cd src && npm test -- --run a | tail -5' },
    'FAIL src/a.test.ts\n  expected 3, got 4',
    true,
  ],
  ['Bash', { command: 'ls -la src' }, 'total 2\n-rw-r--r-- 1 dev dev 71 Nov 15 12:00 a.ts\n', false],
  [
    'Read',
    { file_path: '/home/dev/src/a.ts', offset: 1, limit: 50 },
    'export const a = 1;\n'.repeat(20),
    false,
  ],
  [
    'Edit',
    { file_path: '/home/dev/src/a.ts', old_string: 'a = 1', new_string: 'a = 2' },
    'Updated a.ts',
    false,
  ],
  ['Grep', { pattern: 'a = ' }, 'src/a.ts:1:export const a = 2;', false],
];

/**
 * A short session that nobody sees: afterwards all the code that hooks run every day is compiled, and can be kept so. Without it
 * each hook would compile anew what the first one did not need.
 */
export function warm(): void {
  const settings = { preset: recommended, mode: 'enforce', attended: true } as const;
  let saved = JSON.stringify(newHookState());
  const common = { session: 'warm', agent: undefined, cwd: undefined, transcript: undefined, event: 'x' };
  let now = 1;
  const send = (signal: Signal) => {
    const state = parseHookState(JSON.parse(saved));
    const guard = hostGuard(claudeCode, settings, state.guard, {});
    claudeCode.encode(takeSignal(claudeCode, state, guard, signal, now), signal);
    state.guard = guard.state as unknown as Json;
    saved = JSON.stringify(state);
    now += 2000;
  };
  send({ ...common, place: 'prompt', at: now, text: 'Go on.', by: 'person', id: 'p' });
  for (let n = 0; n < 4; n++)
    for (const [index, [tool, args, output, failed]] of RUNS.entries()) {
      const call = { ...common, at: now, id: `${n}-${index}`, tool, args };
      send({ ...call, place: 'call', round: undefined });
      send({
        ...call,
        place: 'result',
        status: failed ? 'error' : 'ok',
        output: `${output}${index === 4 ? n : ''}`,
      });
      send({ ...common, place: 'batch', at: now, endings: [{ ...call, status: 'ok', output }] });
    }
}
