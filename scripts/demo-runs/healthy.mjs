// An agent that works: it runs tests often and reads files twice, but something changes every time.
const SUITES = ['slug', 'words', 'title', 'wrap'];
const test = (name) => ({ tool: 'bash', args: { command: `node --test test/${name}.test.js` } });
const read = (path) => ({ tool: 'read_file', args: { path } });
const edit = (path, find, replace) => ({ tool: 'edit_file', args: { path, find, replace } });
const turn = (text, ...calls) => ({ text, calls });

const testFile = (name, input, expected) => `import assert from 'node:assert/strict';
import test from 'node:test';
import { ${name} } from '../src/${name}.js';

test('${name}', () => {
  assert.deepEqual(${name}(${JSON.stringify(input)}), ${JSON.stringify(expected)});
});
`;

const repair = (name, find, replace) => [
  turn(`Next is ${name}: the test first.`, test(name)),
  turn('I see. What does the code do?', read(`src/${name}.js`)),
  turn('That is the mistake.', edit(`src/${name}.js`, find, replace)),
  turn('Check it.', test(name)),
];

export const healthyRun = {
  name: 'healthy',
  task: 'Four tests in test/ fail. Fix the code, one after the other, then run them all.',
  outcome: 'done: all tests pass',
  files: {
    'package.json': '{ "name": "texts", "type": "module" }\n',
    'src/slug.js': "export const slug = (text) => text.toLowerCase().replace(' ', '-');\n",
    'src/words.js': "export const words = (text) => text.split(' ');\n",
    'src/title.js': 'export const title = (text) => text[0].toUpperCase() + text;\n',
    'src/wrap.js': "export const wrap = (text) => ['<p>', text, '<p>'].join('');\n",
    'test/slug.test.js': testFile('slug', 'How it works', 'how-it-works'),
    'test/words.test.js': testFile('words', 'one  two', ['one', 'two']),
    'test/title.test.js': testFile('title', 'hello', 'Hello'),
    'test/wrap.test.js': testFile('wrap', 'hi', '<p>hi</p>'),
  },
  turns: [
    turn('I will look at the project first.', { tool: 'list_files', args: {} }),
    turn('What do the tests expect?', ...SUITES.map((name) => read(`test/${name}.test.js`))),
    ...repair('slug', "replace(' ', '-')", "replaceAll(' ', '-')"),
    ...repair('words', "split(' ')", 'split(/ +/)'),
    ...repair('title', '+ text;', '+ text.slice(1);'),
    ...repair('wrap', "text, '<p>'", "text, '</p>'"),
    turn('Now all of them together.', { tool: 'bash', args: { command: 'node --test' } }),
    turn('A last look at what I changed.', ...SUITES.map((name) => read(`src/${name}.js`))),
    { text: 'All four are fixed, and all tests pass.' },
  ],
};
