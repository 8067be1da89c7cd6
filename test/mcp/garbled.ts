import fc from 'fast-check';
import { MODERN_ELICITING } from './talk.ts';

const SAMPLES: readonly object[] = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read_file', arguments: { path: 'a.txt' } },
  },
  {
    jsonrpc: '2.0',
    id: '2',
    method: 'tools/call',
    params: { name: 'x', _meta: MODERN_ELICITING, inputResponses: {} },
  },
  { jsonrpc: '2.0', id: 3, method: 'initialize', params: { capabilities: { elicitation: {} } } },
  { jsonrpc: '2.0', id: 4, method: 'tools/list', params: {} },
  {
    jsonrpc: '2.0',
    id: 4,
    result: { tools: [{ name: 'x', annotations: { readOnlyHint: true }, _meta: {} }] },
  },
  { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'the same' }], isError: true } },
  { jsonrpc: '2.0', id: '2', result: { resultType: 'input_required', inputRequests: {}, requestState: 's' } },
  { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Unknown tool' } },
  { jsonrpc: '2.0', id: 'deloop-approval-test-1', result: { action: 'accept' } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  { jsonrpc: '2.0', id: 5, method: 'tasks/result', params: { taskId: 't' } },
];
/** Words that may change what a message means. */
const WORDS = [
  '__proto__',
  'constructor',
  'toString',
  'id',
  'method',
  'params',
  'result',
  'content',
  '\\',
  '"',
  '[',
  '{',
  ']',
  '}',
  ',',
  ':',
  'null',
  '1e999',
  '\u0000',
  '\ud800',
  '\uFEFF',
];

/** Messages as nobody should send them: samples with parts of them replaced, doubled, cut or swapped, and mere bytes. */
export const garbled: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((text) => Buffer.from(text)),
  fc.constantFrom(...SAMPLES).map((sample) => Buffer.from(JSON.stringify(sample))),
  fc.array(fc.constantFrom(...SAMPLES), { maxLength: 4 }).map((batch) => Buffer.from(JSON.stringify(batch))),
  fc
    .record({
      sample: fc.constantFrom(...SAMPLES),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(20),
      word: fc.oneof(fc.constantFrom(...WORDS), fc.json(), fc.string()),
    })
    .map(({ sample, at, cut, word }) => {
      const text = JSON.stringify(sample);
      const start = Math.floor(at * text.length);
      return Buffer.from(text.slice(0, start) + word + text.slice(start + cut));
    }),
  fc
    .record({ sample: fc.constantFrom(...SAMPLES), name: fc.constantFrom(...WORDS), value: fc.jsonValue() })
    .map(({ sample, name, value }) => Buffer.from(JSON.stringify({ ...sample, [name]: value }))),
);

/** The same, as lines: a line feed within would make two of one. */
export const garbledLine: fc.Arbitrary<Buffer> = garbled.map((bytes) =>
  Buffer.concat([bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)), Buffer.from('\n')]),
);
