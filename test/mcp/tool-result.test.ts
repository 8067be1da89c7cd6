import { expect, it } from 'vitest';
import { outcomeOfError, outcomeOfResult } from '../../src/mcp/tool-result.ts';

const text = (words: string) => ({ type: 'text', text: words });

it.each([
  [{ content: [text('a')] }, 'a', 'ok'],
  [{ content: [text('a'), text('b')] }, 'a\nb', 'ok'],
  [{ content: [text('no')], isError: true }, 'no', 'error'],
  [{ content: [], structuredContent: { a: 1 } }, '{"a":1}', 'ok'],
  [{ structuredContent: [1] }, '[1]', 'ok'],
  [{ content: [text('a')], structuredContent: { a: 1 } }, 'a', 'ok'],
  [{ content: [{ type: 'resource_link', uri: 'x://y' }] }, 'resource_link x://y', 'ok'],
  [{ content: [{ type: 'resource', resource: { uri: 'x://y', text: 'z' } }] }, 'resource x://y: z', 'ok'],
  [{ content: [text('MCP error -32602: Tool x not found')], isError: true }, undefined, 'unknown-tool'],
  [{ content: [text('Unknown tool: x')], isError: true }, undefined, 'unknown-tool'],
  [{ content: [text('MCP error -32602: Input validation error: no')], isError: true }, undefined, 'invalid'],
  [{ content: [text('Input validation error: no')], isError: true }, undefined, 'invalid'],
  [{ content: [text('The tool box was not found')], isError: true }, undefined, 'error'],
  [{}, '', 'ok'],
  [null, '', 'ok'],
  [{ content: [null, 5] }, undefined, 'ok'],
])('reads %j', (result, output, status) => {
  const outcome = outcomeOfResult(result);
  expect(outcome.status).toBe(status);
  if (output !== undefined) expect(outcome.output).toBe(output);
});

it('tells two pictures apart, in letters that no mask takes for noise', () => {
  const outputs = ['aaaa', 'aaab', 'aaaa'].map(
    (data) => outcomeOfResult({ content: [{ type: 'image', mimeType: 'image/png', data }] }).output,
  );
  expect(outputs[0]).toBe(outputs[2]);
  expect(outputs[0]).not.toBe(outputs[1]);
  expect(outputs[0]).toMatch(/^image image\/png: [a-z]{10,}$/);
  const blob = outcomeOfResult({ content: [{ type: 'resource', resource: { uri: 'x://y', blob: 'aaaa' } }] });
  expect(blob.output).toMatch(/^resource x:\/\/y: [a-z]{10,}$/);
});

it.each([
  [{ code: -32602, message: 'Unknown tool: x' }, 'unknown-tool'],
  [{ code: -32602, message: 'Tool x not found' }, 'unknown-tool'],
  [{ code: -32602, message: 'path is missing' }, 'invalid'],
  [{ code: -32603, message: 'path is missing' }, 'error'],
  [{}, 'error'],
  [null, 'error'],
])('reads the error %j', (error, status) => {
  expect(outcomeOfError(error).status).toBe(status);
});
