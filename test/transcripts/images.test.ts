import { expect, it } from 'vitest';
import type { Format } from '../../src/transcripts/format.ts';
import { claudeCode } from '../../src/transcripts/formats/claude-code.ts';
import { cline } from '../../src/transcripts/formats/cline.ts';
import { codex } from '../../src/transcripts/formats/codex.ts';
import { openhands } from '../../src/transcripts/formats/openhands.ts';
import { pi } from '../../src/transcripts/formats/pi.ts';
import { qwenCode } from '../../src/transcripts/formats/qwen-code.ts';
import { readRecords } from './records.ts';

/** A result that is an image, in the words of each format. */
const WORDS: readonly (readonly [string, Format, (data: string) => readonly object[]])[] = [
  [
    'Claude Code',
    claudeCode,
    (data) => [
      {
        type: 'user',
        sessionId: 's',
        message: {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              content: [
                { type: 'text', text: 'a.png' },
                { type: 'image', source: { data } },
              ],
            },
          ],
        },
      },
    ],
  ],
  [
    'a rollout of Codex',
    codex,
    (data) => [
      {
        type: 'response_item',
        payload: {
          type: 'function_call_output',
          call_id: 'a',
          output: [{ type: 'input_image', image_url: data }],
        },
      },
    ],
  ],
  [
    'the stream of Codex',
    codex,
    (data) => [
      {
        type: 'item.completed',
        item: {
          id: 'a',
          type: 'mcp_tool_call',
          server: 'shots',
          tool: 'take',
          status: 'completed',
          result: { content: [{ type: 'image', data }] },
        },
      },
    ],
  ],
  [
    'pi',
    pi,
    (data) => [
      {
        type: 'message',
        id: 'm',
        message: { role: 'toolResult', toolCallId: 'a', content: [{ type: 'image', data }] },
      },
    ],
  ],
  [
    'OpenHands',
    openhands,
    (data) => [
      {
        kind: 'ObservationEvent',
        tool_call_id: 'a',
        observation: { content: [{ type: 'image', image_urls: [data] }] },
        extended_content: [{ type: 'text', text: 'Mind the time.' }],
      },
    ],
  ],
  [
    'OpenHands, of an agent behind it',
    openhands,
    (data) => [
      {
        kind: 'ACPToolCallEvent',
        tool_call_id: 'a',
        status: 'completed',
        content: [{ type: 'content', content: { type: 'image', data } }],
      },
    ],
  ],
  [
    'the stream of Qwen Code',
    qwenCode,
    (data) => [
      { type: 'system', subtype: 'init', session_id: 's', qwen_code_version: '0.24.4' },
      {
        type: 'user',
        session_id: 's',
        message: {
          content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', data }] }],
        },
      },
    ],
  ],
  [
    'Cline',
    cline,
    (data) => [
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source: { data } }] }],
      },
    ],
  ],
];

it.each(WORDS)('%s tells an image from another, and not from itself', (_name, format, words) => {
  const output = (data: string) => {
    const records = words(data).map((value, index) => ({ line: index + 1, key: '', value }));
    const { events } = readRecords(format, records);
    return events.flatMap((event) => (event.type === 'tool-result' ? [JSON.stringify(event.output)] : []));
  };
  expect(output('iVBORw0A')).toHaveLength(1);
  expect(output('iVBORw0A')).not.toEqual(output('iVBORw0B'));
  expect(output('iVBORw0B')).toEqual(output('iVBORw0B'));
});
