import { describe } from 'vitest';
import type { Json } from '../../src/index.ts';
import { does, fails, laps, times } from './beats.ts';
import { hex } from './noise.ts';
import { story } from './story.ts';

describe('a database', () => {
  const check = 'select count(*) as invalid from pg_constraint where not convalidated';
  for (const tool of ['execute_sql', 'query', 'exec_sql'])
    story(`table after table is altered, and the same is checked each time, with ${tool}`, {
      run: laps(12, (i) => [
        does(tool, { query: `ALTER TABLE ${hex(i, 6)} ADD COLUMN tenant uuid` }, '[]'),
        does(tool, { query: check }, '[{"invalid":0}]'),
      ]),
    });
  story('forty rows that are changed, each without a word', {
    run: times(40, (i) => does('query', { sql: `UPDATE plans SET a = ${i} WHERE id = ${i}` }, '[]')),
  });
  story('a row that is not there is changed and looked at, again and again', {
    run: laps(30, () => [
      does('execute_sql', { query: 'UPDATE plans SET a = 1 WHERE id = 99' }, 'UPDATE 0'),
      does('execute_sql', { query: 'SELECT * FROM plans' }, '[{"id":1,"a":0}]'),
    ]),
    toldBy: 6,
    endsBy: 14,
  });
  story('a table that may not be written', {
    run: laps(30, (i) => [
      fails('execute_sql', { query: `UPDATE a SET x = ${i}` }, 'ERROR: permission denied for table a'),
      does('execute_sql', { query: 'SELECT * FROM a' }, '[{"id":1,"x":0}]'),
    ]),
    toldBy: 6,
    endsBy: 20,
  });
});

describe('a list', () => {
  story('has nothing in it for most of those who are asked about', {
    run: times(22, (i) =>
      does(
        'stripe_list_subscriptions',
        { customer: `cus_${hex(i, 14)}` },
        { object: 'list', data: [], has_more: false, url: '/v1/subscriptions' },
      ),
    ),
  });
});

describe('a tool that is called after what it knows', () => {
  const ask = (i: number, output: Json) => does('employee_handbook', { query: `leave ${hex(i, 6)}` }, output);
  for (const nothing of ['No matching passages.', '[]', { documents: [] }])
    story(`has no answer, however it is asked: ${JSON.stringify(nothing)}`, {
      run: times(60, (i) => ask(i, nothing)),
      toldBy: 24,
      endsBy: 33,
    });
  story('has an answer now and then', {
    run: times(60, (i) =>
      ask(i, i % 6 === 5 ? `Section ${hex(i, 5)}: ${hex(i, 9)}` : 'No matching passages.'),
    ),
    nudges: 1,
    runsThrough: true,
  });
  for (const [tool, answer] of [
    ['keyword_difficulty', { difficulty: 'low', competition: 'low', cpc: 0.4 }],
    ['domain_available', { available: false }],
    ['classify_comment', { label: 'positive', score: 1 }],
  ] as const)
    story(`says the same of forty things: ${tool}`, {
      run: times(40, (i) => does(tool, { query: hex(i, 8) }, answer)),
    });
});

describe('tools that do not throw', () => {
  for (const [tool, answer] of [
    ['get_customer', { content: [{ type: 'text', text: 'Unauthorized: token expired' }], isError: true }],
    ['get_invoice', { error: 'Unauthorized', message: 'The token has expired.' }],
    ['query_database', 'Error executing query: permission denied for table orders'],
    ['sql_db_query', 'OperationalError: no such table: orders'],
    ['send_slack_message', 'Failed to send message: channel_not_found'],
    ['update_record', { message: 'Unable to update record 7: permission denied' }],
    ['code_interpreter', "Traceback (most recent call last):\nNameError: name 'df' is not defined"],
    ['exchange_rates', 'ToolInvocationError: the service has moved'],
  ] as const)
    story(`say that they failed, whatever they are given: ${tool}`, {
      run: times(40, (i) => does(tool, { value: hex(i, 8) }, answer)),
      toldBy: 6,
      endsBy: 24,
    });
  story('say of most of a list that it is not there', {
    run: times(30, (i) =>
      does('get_user', { id: i }, i % 8 === 7 ? { id: i, name: hex(i, 6) } : { error: 'User not found' }),
    ),
    nudges: 1,
    runsThrough: true,
  });
  story('show errors of something else', {
    run: times(20, (i) =>
      does(
        'get_event',
        { id: i },
        { error: 'TypeError: x is undefined', user: hex(i, 8), release: hex(i, 4) },
      ),
    ),
  });
  story('say of some of a list that they could not do it', {
    run: times(20, (i) =>
      does(
        'send_sms',
        { to: hex(i, 9) },
        i % 4 === 3 ? 'Failed to send: the number is unreachable' : 'Sent.',
      ),
    ),
    nudges: 1,
    runsThrough: true,
  });
});
