import { describe } from 'vitest';
import { atOnce, by, does, fails, laps, says, times } from './beats.ts';
import { file, hex, prose } from './noise.ts';
import { story } from './story.ts';

const look = (name: string) => does('Read', { file_path: `/app/src/${name}.ts` }, file(`${name}.ts`));

describe('sub-agents', () => {
  story('cindy#2721: five sub-agents that all read the same files have histories of their own', {
    run: ['a', 'b', 'c', 'd', 'e'].flatMap((agent) =>
      ['index', 'cart', 'price'].map((name) => by(agent, look(name))),
    ),
  });
  story('the same, their turns mixed', {
    run: laps(3, (i) =>
      ['a', 'b', 'c', 'd', 'e'].map((agent) => by(agent, look(['index', 'cart', 'price'][i] as string))),
    ),
  });
  story('claude-code#72080: a sub-agent in a loop is told and stopped, and named', {
    run: laps(30, (i) => [
      by('scout', does('Grep', { pattern: 'legacy', path: '/app' }, 'No files found that match the pattern')),
      ...(i < 8 ? [look(`main${i}`)] : []),
    ]),
    hears: ['5 nudge no-progress of scout', '9 block no-progress of scout', '13 ask no-progress of scout'],
  });
  story('what a sub-agent does is not held against the main agent', {
    run: [
      ...times(4, () => by('scout', look('cart'))),
      look('cart'),
      look('price'),
      ...times(3, (i) => by(`helper-${i}`, look('cart'))),
    ],
    hears: ['3 nudge no-progress of scout'],
  });
  story('adk-python PR#6590: handing over and back, with work in between, is how a team works', {
    run: laps(8, (i) => [
      does('transfer_to_agent', { agent_name: 'coder', task: `part ${i}` }, `Handed part ${i} over.`),
      by('coder', does('write_file', { path: `src/p${i}.py`, content: hex(i, 30) }, 'ok')),
      { type: 'handoff', to: 'lead', agent: 'coder' },
    ]),
  });
  story('multica#8753: two agents hand one task to each other and say why', {
    run: laps(15, () => [
      by('planner', says('This task needs research first, so I am handing it over to the researcher.')),
      { type: 'handoff', to: 'researcher', agent: 'planner' } as const,
      by('researcher', says('This task needs a plan first, so I am handing it back to the planner.')),
      { type: 'handoff', to: 'planner', agent: 'researcher' } as const,
    ]),
    hears: [
      '0 nudge turn-repeat of planner',
      '0 nudge turn-repeat of researcher',
      '0 ask turn-repeat of planner',
    ],
  });
  story('a fan-out of reviewers, each with its own question', {
    run: [
      atOnce(
        ...times(6, (i) =>
          does('Task', { subagent_type: 'reviewer', prompt: `Review part ${i}` }, `Part ${i}: ${hex(i, 12)}`),
        ),
      ),
      ...times(6, (i) => by(`reviewer-${i}`, look('shared'))),
      ...times(6, (i) => by(`reviewer-${i}`, look('config'))),
      atOnce(
        ...times(6, (i) =>
          does(
            'Task',
            { subagent_type: 'reviewer', prompt: `Review part ${i} again` },
            `Part ${i}: ${hex(i + 60, 12)}`,
          ),
        ),
      ),
    ],
  });
  story('a lead that lets others change the code and runs the tests itself', {
    run: laps(8, (i) => [
      does(
        'Task',
        { subagent_type: 'coder', prompt: `Port module ${i}` },
        `Module ${i} is ported: ${prose(i)}`,
      ),
      by(
        `coder-${i}`,
        does(
          'Edit',
          { file_path: `/app/src/m${i}.ts`, old_string: 'a', new_string: 'b' },
          `The file /app/src/m${i}.ts has been updated.`,
        ),
      ),
      does('Bash', { command: 'npm test' }, 'Test Files  9 passed (9)\n     Tests  41 passed (41)\n'),
    ]),
  });
  story('twenty sub-agents one after the other leave a small memory and no word', {
    run: laps(20, (i) => [
      by(`w${i}`, look('index')),
      by(
        `w${i}`,
        does(
          'Write',
          { file_path: `/app/out/${i}.md`, content: hex(i, 40) },
          `File created successfully at: /app/out/${i}.md`,
        ),
      ),
    ]),
  });
  story('claude-code#91220: a resumed sub-agent that goes on as before is met by what is known of it', {
    run: [
      ...times(4, () =>
        by(
          'indexer',
          fails('mcp__db__query', { sql: 'select * from orders' }, 'relation "orders" does not exist'),
        ),
      ),
      look('cart'),
      ...times(12, () =>
        by(
          'indexer',
          fails('mcp__db__query', { sql: 'select * from orders' }, 'relation "orders" does not exist'),
        ),
      ),
    ],
    hears: [
      '3 nudge no-progress of indexer',
      '6 block no-progress of indexer',
      '8 ask no-progress of indexer',
    ],
  });
  story('pi-subagents#1779: a limit of 150 calls is one for the run, whoever makes them', {
    run: laps(128, (i) =>
      ['a', 'b', 'c', 'd'].map((agent, k) =>
        by(agent, does('read', { path: `src/${agent}/${i}.ts` }, prose(i * 4 + k))),
      ),
    ),
    config: { detectors: { budget: { calls: 150 } } },
    toldBy: 130,
    endsBy: 160,
  });
});
