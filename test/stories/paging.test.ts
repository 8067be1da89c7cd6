import { describe } from 'vitest';
import type { Json } from '../../src/index.ts';
import { does, laps, times } from './beats.ts';
import { file, hex, page, prose } from './noise.ts';
import { story } from './story.ts';

/** One walk through a file of 800 lines, in pages of this many lines, as `Read` shows them. */
function walk(lines: number) {
  return times(Math.floor(800 / lines), (i) =>
    does(
      'read_file',
      { path: 'src/engine.rs', offset: 1 + i * lines, limit: lines },
      page(1 + i * lines, lines),
    ),
  );
}

/** The same through a shell. */
function shellWalk(lines: number) {
  return times(Math.floor(800 / lines), (i) =>
    does(
      'exec_command',
      { cmd: `sed -n '${1 + i * lines},${(i + 1) * lines}p' src/engine.rs` },
      page(1 + i * lines, lines),
    ),
  );
}

/** What a search finds: these documents. How well they fit is another number for each question. */
function hits(question: number, ...documents: readonly number[]): string {
  const found = documents.map((document, i) => ({
    id: hex(document, 8),
    text: prose(document),
    score: Number(`0.${910 - 37 * i + (question % 17)}`),
  }));
  return JSON.stringify(question % 2 === 0 ? found : found.toReversed());
}

describe('pages', () => {
  story('stella#4034: a file read through, and then again from its start, without end', {
    run: laps(8, () => walk(40)),
    hears: ['23 nudge stale-rounds', '36 ask stale-run'],
  });
  story('stella#4034: the second walk in pages of another size', {
    run: [...walk(40), ...walk(50), ...walk(32), ...walk(80), ...walk(25)],
    hears: ['26 nudge seen-pages', '36 ask seen-pages'],
  });
  story('the same through sed in a shell, as Codex reads', {
    run: [...shellWalk(40), ...shellWalk(50), ...shellWalk(32), ...shellWalk(80), ...shellWalk(25)],
    toldBy: 30,
    endsBy: 60,
  });
  story('a search paged through, and then paged through again', {
    run: laps(6, () =>
      times(5, (p) =>
        does(
          'search_code',
          { query: 'TODO', page: p + 1 },
          times(
            8,
            (i) => `src/p${p}/${hex(p * 9 + i, 5)}.ts:${i * 11 + 2}: // TODO ${hex(p + i * 3, 6)}`,
          ).join('\n'),
        ),
      ),
    ),
    hears: ['8 nudge stale-rounds', '11 block stale-rounds', '13 ask stale-rounds'],
  });

  story('one question in ever other words: the same hits, fitting more or less', {
    run: times(30, (i) => does('search_knowledge_base', { query: prose(i) }, hits(i, 0, 1, 2))),
    hears: ['7 nudge seen-pages', '17 ask seen-pages'],
  });
  story('the same, as frameworks give it: no text, and the best hits first', {
    run: times(30, (i) =>
      does(
        'search_knowledge_base',
        { query: prose(i) },
        { matches: JSON.parse(hits(i, 0, 1, 2)) as Json, total: 3 },
      ),
    ),
    hears: ['7 nudge seen-pages', '17 ask seen-pages'],
  });
  for (const [title, tool, args] of [
    ['as its only text', 'retriever', (i) => ({ input: prose(i) })],
    ['as a list', 'file_search', (i) => ({ queries: [prose(i)] })],
    ['without a name', 'vector_search', prose],
  ] as const satisfies readonly [string, string, (i: number) => Json][])
    story(`the same, where a search is told ${title} what to look for`, {
      run: times(30, (i) => does(tool, args(i), hits(i, 0, 1, 2))),
      hears: ['7 nudge seen-pages', '17 ask seen-pages'],
    });
  story('the same in words', {
    run: times(30, (i) =>
      does(
        'search_docs',
        { query: prose(i) },
        times(3, (n) => `${n + 1}. ${prose(n)} (score: 0.${900 - 70 * n + i})\nSee page ${n}.`).join('\n'),
      ),
    ),
    hears: ['7 nudge seen-pages', '17 ask seen-pages'],
  });
  story('one board that is looked at while others play', {
    run: times(30, (i) => does('get_leaderboard', { game: 7 }, hits(2 * i, 0, 1, 2))),
  });
  for (const [title, tool, args] of [
    ['how the same players stood on other days', 'get_leaderboard', (i) => ({ date: `2026-03-${i + 1}` })],
    ['the same measures of other runs', 'get_eval_results', (i) => ({ run: hex(i, 8) })],
    ['the same depots, from elsewhere', 'list_depots', (i) => ({ from: hex(i, 4) })],
    [
      'the same teams in other weeks, by SQL',
      'query_database',
      (i) => ({ query: `SELECT team, score FROM games WHERE week = ${i}` }),
    ],
  ] as const satisfies readonly [string, string, (i: number) => Json][])
    story(`scores are what is asked for: ${title}`, {
      run: times(30, (i) =>
        does(tool, args(i), {
          rows: times(3, (n) => ({ name: prose(n), score: (i * 7 + n * 5) % 31, distance: i + n })),
        }),
      ),
    });
  story('the same few memories come to mind with each ticket that is read', {
    run: laps(30, (i) => [
      does('search_memory', { query: prose(i) }, hits(i, 0, 1, 2)),
      does('get_ticket', { id: i }, { id: i, text: prose(i * 11) }),
    ]),
  });
  story('how well the same few labels fit each question', {
    run: times(24, (i) =>
      does(
        'query_classifier',
        { query: prose(i) },
        { labels: ['billing', 'shipping'].map((label, n) => ({ label, score: ((7 + n) * i) / 400 })) },
      ),
    ),
  });
  story('many questions to few documents', {
    run: times(24, (i) =>
      does(
        'search_knowledge_base',
        { query: prose(i) },
        hits(i, i % 10, (i * 7 + 3 + Math.floor(i / 10)) % 10, (i * 3 + 5) % 10),
      ),
    ),
  });
  story('other questions, other hits', {
    run: times(30, (i) => does('search_knowledge_base', { query: prose(i) }, hits(i, i, i + 1))),
  });
  story('the same candidates scored again after each change', {
    run: laps(20, (i) => [
      does('Edit', { file_path: '/app/rank.ts', old_string: `${i}`, new_string: `${i + 1}` }, 'edited'),
      does('search_candidates', { model: 'a' }, hits(i, 0, 1, 2)),
    ]),
  });

  story('Roo-Code#5879: one long file, chunk by chunk', {
    run: walk(20),
  });
  story('Roo-Code#9502: the same call fifty times, each time with what came since', {
    run: times(50, (i) => does('read_command_output', { artifact_id: 'cmd-1.txt' }, page(1 + i * 12, 12))),
  });
  story('through a shell, once', {
    run: shellWalk(20),
  });
  story('overlapping pages: half of each is known, and half is new', {
    run: times(30, (i) =>
      does('Read', { file_path: '/app/big.ts', offset: i * 20 + 1, limit: 40 }, page(i * 20 + 1, 40)),
    ),
  });
  story('a list of a shop, page after page, each with the same head and foot', {
    run: times(20, (p) =>
      does(
        'browser_navigate',
        { url: `https://shop.example.com/list?page=${p + 1}` },
        `- banner "Shop"\n- navigation "Main"\n${times(12, (i) => `- link "${prose(p * 12 + i)}"`).join('\n')}\n- contentinfo "Imprint"`,
      ),
    ),
  });
  story('back to four known places to compare them, then on', {
    run: [
      ...walk(100),
      does('read_file', { path: 'src/engine.rs', offset: 1, limit: 30 }, page(1, 30)),
      does('read_file', { path: 'src/engine.rs', offset: 301, limit: 30 }, page(301, 30)),
      does('write_file', { path: 'notes.md', content: 'compared' }, 'File written: notes.md'),
      does('read_file', { path: 'src/other.rs' }, file('other.rs')),
    ],
  });
});
