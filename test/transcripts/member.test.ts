import { expect, it } from 'vitest';
import { lineWith } from '../../src/transcripts/member.ts';

const isProgress = lineWith('type', 'progress');
const told = (text: string) => isProgress(Buffer.from(text));

it.each([
  '{"type":"progress"}',
  '{"a":null,"b":"x","type":"progress","data":{"type":"user"}}',
  String.raw`{"cwd":"C:\\","branch":"a\"{[","type":"progress"}`,
  '{"done":{"type":"x"},"list":[1,{}],"type":"progress"}',
])('tells what a line is without parsing it: %s', (line) => {
  expect(told(line)).toBe(true);
  expect(JSON.parse(line)).toHaveProperty('type', 'progress');
});

it.each([
  '',
  '{}',
  '{"type":"user"}',
  '{"data":{"type":"progress"}}',
  '{"list":[{"a":1,"type":"progress"}]}',
  String.raw`{"text":",\"type\":\"progress\""}`,
  '["type":"progress"}',
  '{"type":"progress","data":{"cut off',
  `{"long":"${'x'.repeat(2000)}","type":"progress"}`,
])('leaves to the parser whatever it is not sure of: %s', (line) => {
  expect(told(line)).toBe(false);
});

it('knows only bytes of Node', () => {
  expect(isProgress(new TextEncoder().encode('{"type":"progress"}'))).toBe(false);
});
