import { describe } from 'vitest';
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
