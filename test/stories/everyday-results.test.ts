import { describe } from 'vitest';
import type { AgentEvent } from '../../src/index.ts';
import { type Beat, does, fails, laps, says, times } from './beats.ts';
import { hex, page } from './noise.ts';
import { story } from './story.ts';

const PAGE = page(3, 12);
const PICTURE = { type: 'image', data: `iVBORw0KGgo${'A'.repeat(400)}` };
/** A page as Playwright shows it: its elements have new names with each look. */
const form = (look: number) =>
  ['Name', 'Street', 'Town', 'Country', 'Telephone', 'Notes']
    .map((field, n) => `- textbox "${field}" as it stands on the page [ref=s${look}e${n + 3}]`)
    .join('\n');

describe('the same page for other things', () => {
  story('fourteen statements are downloaded from one page', {
    run: times(14, (i) => does('browser_click', { element: `Download ${hex(i, 6)}`, ref: `e${i}` }, PAGE)),
    runsThrough: true,
    nudges: 1,
  });
  story('fourteen statements, and the page tells which link was clicked', {
    run: times(14, (i) =>
      does('browser_click', { ref: `e${i}` }, `page.getByRole('link').nth(${i}).click();\n${PAGE}`),
    ),
  });
  story('ten folders, none of which has anything to apply', {
    run: times(10, (i) => does('terraform_plan', { dir: `envs/${hex(i, 5)}` }, PAGE)),
    runsThrough: true,
    nudges: 1,
  });
  story('back to the list after each item', {
    run: laps(15, (i) => [
      does('browser_navigate', { url: 'https://shop.example/list' }, PAGE),
      does('browser_click', { element: `row ${i}`, ref: `e${i}` }, page(i + 9, 12)),
    ]),
    runsThrough: true,
    nudges: 1,
  });
  story('one command on twenty hosts', {
    run: times(20, (i) =>
      does(
        'bash',
        { command: `ssh -p 22 web${i}.prod 'systemctl status nginx | head -4'` },
        'nginx.service - A high performance web server and a reverse proxy server\n   Active: active (running)',
      ),
    ),
  });
  story('a button that does nothing, on a page with new names for its elements', {
    run: times(60, (i) => does('browser_click', { element: 'Submit', ref: `s${i}e12` }, form(i + 1))),
    toldBy: 7,
    endsBy: 20,
  });
  story('clicks here and there, and the screen stays as it is', {
    run: laps(30, (i) => [
      does('computer', { action: 'left_click', coordinate: [400 + i, 300] }, 'Clicked'),
      does('computer', { action: 'screenshot' }, PICTURE),
    ]),
    toldBy: 6,
    endsBy: 16,
  });
  story('clicks that each show the same screen', {
    run: times(60, (i) => does('computer', { action: 'left_click', coordinate: [400 + i, 300] }, PICTURE)),
    toldBy: 3,
    endsBy: 8,
  });
});

describe('nothing there', () => {
  story('twenty senders who have written nothing', {
    run: times(20, (i) =>
      does('gmail_search', { q: `from:${hex(i, 6)}@corp.example` }, 'No messages matched your search.'),
    ),
  });
  story('fifteen modules without a flaw', {
    run: times(15, (i) =>
      does(
        'task',
        { prompt: `Audit the module ${hex(i, 6)}` },
        'I reviewed it and found no vulnerabilities.',
      ),
    ),
  });
  story('twenty names that a command does not find', {
    run: times(20, (i) => fails('bash', { command: `grep -rn "${hex(i, 6)}" src/` }, 'Exit code 1')),
  });
  for (const [title, tool, args, answer] of [
    [
      'a question in other words',
      'web_search',
      (i) => ({ q: hex(i, 6) }),
      () => 'No messages matched your search.',
    ],
    [
      'a page after the last one',
      'list_orders',
      (page) => ({ page }),
      (page) => ({ page, per_page: 50, items: [], total: 0 }),
    ],
    ['a page after the last one, as a list', 'get_orders', (page) => ({ page }), () => '[]'],
  ] as const satisfies readonly [string, string, (i: number) => object, (i: number) => unknown][])
    story(`for ever: ${title}`, {
      run: times(60, (i) => does(tool, args(i), answer(i))),
      toldBy: 24,
      endsBy: 32,
    });
  story('for ever: a name that a command does not find', {
    run: times(60, (i) => fails('bash', { command: `grep -rn "${hex(i, 6)}" src/` }, 'Exit code 1')),
    toldBy: 24,
    endsBy: 32,
  });
});

describe('an agent that a timer wakes', () => {
  const START = Date.UTC(2026, 4, 4, 8);
  const timer = (n: number, minutes: number): AgentEvent => ({
    type: 'user',
    by: 'host',
    text: 'Check whether anything needs attention.',
    at: START + n * minutes * 60_000,
  });
  const checks: Beat[] = [
    does('list_tickets', {}, 'There are no open tickets at the moment.'),
    says('All well.'),
  ];
  story('every half an hour, and all is well', { run: laps(20, (n) => [timer(n, 30), ...checks]) });
  story('every half an hour, and it has only a word to say', {
    run: laps(30, (n) => [timer(n, 30), says('HEARTBEAT_OK')]),
  });
  story('twice a day, to switch the lights', {
    run: laps(16, (n) => [
      timer(n, 700),
      does('set_light', { room: 'living', on: n % 2 === 0 }, 'Light updated'),
      says(n % 2 === 0 ? 'The lights are on.' : 'The lights are off.'),
    ]),
  });
  story('and one that is told to go on, each time it says that it is done', {
    run: laps(30, (n) => [timer(n, 1), says('The work is done, there is nothing left to do here.')]),
    toldBy: 0,
    endsBy: 0,
  });
});
