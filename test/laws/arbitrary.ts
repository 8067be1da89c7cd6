import * as fc from 'fast-check';
import type { AgentEvent, Json } from '../../src/index.ts';

const agent = fc.option(fc.constantFrom('worker', 'scout', 'x'.repeat(200)), { nil: undefined, freq: 2 });
const id = fc.option(fc.constantFrom('1', '2', '3', '4', '5'), { nil: undefined, freq: 2 });
const tool = fc.constantFrom(
  'bash',
  'read_file',
  'edit_file',
  'exec_shell',
  'write_file',
  '__proto__',
  'constructor',
);
const args: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ path: fc.constantFrom('a', 'b') }),
  fc.record({ command: fc.constantFrom('npm test', 'cat f', 'ls') }),
  fc.constantFrom<Json>('not json', '{"path":"a"}', '{"__proto__":{"x":1}}', null, 7, []),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);
const output = fc.constantFrom('ok', 'again', '3 failed', '4 passed', '');
const status = fc.constantFrom(
  'ok',
  'error',
  'invalid',
  'denied',
  'cancelled',
  'blocked',
  'unknown',
  'unknown-tool',
);

/** Every kind of event, few enough values that runs repeat themselves. */
export const event: fc.Arbitrary<AgentEvent> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('tool-call' as const), id, tool, args, agent }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('tool-result' as const),
      id,
      tool,
      args,
      agent,
      output,
      status: status as fc.Arbitrary<'ok'>,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('turn' as const), text: fc.constantFrom('a', 'b'), agent }),
  },
  fc.record({ type: fc.constant('user' as const), by: fc.constantFrom('person' as const, 'host' as const) }),
  fc.record({
    type: fc.constantFrom(
      'calls-known' as const,
      'round-done' as const,
      'compaction' as const,
      'rewind' as const,
    ),
    agent,
  }),
  fc.record({ type: fc.constant('state-change' as const) }),
  fc.record({
    type: fc.constant('control' as const),
    do: fc.constantFrom('grant' as const, 'approve' as const, 'delivered' as const, 'reset' as const),
    n: fc.nat(5),
    agent,
  }),
  fc.record({
    type: fc.constant('swarm-tally' as const),
    key: fc.constantFrom('k', 'l'),
    calls: fc.nat(20),
    workers: fc.nat(4),
    tool,
  }),
  fc.record({ type: fc.constant('verdict' as const), stuck: fc.double({ min: 0, max: 1, noNaN: true }) }),
);

/** Anything at all, often almost an event. */
export const rubbish: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
  }),
  fc.record(
    {
      type: fc.constantFrom(
        'tool-call',
        'tool-result',
        'turn',
        'user',
        'control',
        'swarm-tally',
        'text-delta',
        'other',
      ),
      id: fc.anything(),
      tool: fc.oneof(tool, fc.anything()),
      args: fc.anything({ withBigInt: true, withDate: true, withMap: true }),
      output: fc.anything(),
      status: fc.oneof(status, fc.anything()),
      agent: fc.oneof(agent, fc.anything()),
      do: fc.anything(),
      n: fc.anything(),
      key: fc.anything(),
      calls: fc.anything(),
      workers: fc.anything(),
      text: fc.anything(),
      call: fc.anything(),
    },
    { requiredKeys: ['type'] },
  ),
);
