import { expect, it } from 'vitest';
import { lineWith, withoutMember } from '../../src/transcripts/member.ts';

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

const lean = withoutMember('result', 'message', '"interrupted":true');
const leaned = (text: string) => lean(Buffer.from(text));
const LONG = 'x'.repeat(3000);

it.each([
  ['the last member', `{"message":1,"result":{"a":"${LONG}"}}`, '{"message":1}'],
  ['a text', `{"message":1,"result":"${LONG}","b":2}`, '{"message":1,"b":2}'],
  ['a list', `{"message":1,"result":["${LONG}",{}]}`, '{"message":1}'],
  [
    'one with members behind it',
    String.raw`{"message":"ü","result":{"a":"${LONG}\\","c":[{}]},"b":"\\\"}{,","d":{"e":[1,{"f":"]"}]},"g":null}`,
    String.raw`{"message":"ü","b":"\\\"}{,","d":{"e":[1,{"f":"]"}]},"g":null}`,
  ],
  [
    'one that a text speaks of before',
    String.raw`{"message":",\"result\":1","result":"${LONG}"}`,
    String.raw`{"message":",\"result\":1"}`,
  ],
  ['short, in a long line', `{"message":"${LONG}","result":1,"b":2}`, `{"message":"${LONG}","b":2}`],
])('leaves a member out of a line: %s', (_name, line, rest) => {
  expect(leaned(line)).toBe(rest);
  const { result, ...others } = JSON.parse(line);
  expect(JSON.parse(rest)).toEqual(others);
});

it.each([
  ['it is not there', `{"message":"${LONG}"}`],
  ['only a text speaks of it', String.raw`{"message":"${LONG},\"result\":1"}`],
  ['it says something', `{"message":1,"result":{"a":"${LONG}","interrupted":true}}`],
  ['what is needed stands behind it', `{"result":"${LONG}","a":1,"result":2,"message":1}`],
  ['the line is short', '{"message":1,"result":"x"}'],
  ['the line is cut off', `{"message":1,"result":{"a":"${LONG}`],
])('leaves the line as it is when %s', (_name, line) => {
  expect(leaned(line)).toBeNull();
});

it('gives no JSON where the member belongs to another object, so that the line is parsed whole', () => {
  const line = `{"message":{"a":1,"result":"${LONG}"},"b":1}`;
  expect(() => JSON.parse(leaned(line) ?? line)).toThrow();
});
