// An agent that looks for the bug in the wrong file: the fault is in src/tax.js, which it never opens.
const TEST = 'node --test test/invoice.test.js';
const read = { tool: 'read_file', args: { path: 'src/invoice.js' } };
const runTests = { tool: 'bash', args: { command: TEST } };

const edit = (find, replace) => ({ tool: 'edit_file', args: { path: 'src/invoice.js', find, replace } });
const again = (text, ...calls) => ({ text, calls });

export const stuckRun = {
  name: 'stuck',
  task: 'The test in test/invoice.test.js fails. Make it pass.',
  outcome:
    'gave up: the bug is in src/tax.js, and the agent kept running the test and reading src/invoice.js',
  onset: 11,
  files: {
    'package.json': '{ "name": "shop", "type": "module" }\n',
    'src/invoice.js': `import { taxRate } from './tax.js';

export function total(items, country) {
  const net = items.reduce((sum, item) => sum + item.price * item.quantity, 0);
  return Math.round(net * (1 + taxRate(country)) * 100) / 100;
}
`,
    'src/tax.js': `const RATES = { de: 0.19, fr: 0.2, ch: 0.77 };

export function taxRate(country) {
  return RATES[country] ?? 0;
}
`,
    'test/invoice.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from '../src/invoice.js';

test('a Swiss invoice has 7.7 % tax', () => {
  assert.equal(total([{ price: 100, quantity: 1 }], 'ch'), 107.7);
});
`,
  },
  turns: [
    again('I will look at the project first.', { tool: 'list_files', args: {} }),
    again('The test comes first.', { tool: 'read_file', args: { path: 'test/invoice.test.js' } }),
    again('Now the code under test.', read),
    again('Let me see it fail.', runTests),
    again('It looks like a rounding problem.', edit('* 100) / 100', '* 10) / 10')),
    again('Run the test.', runTests),
    again('Not that. Perhaps the sum is wrong.', edit('* 10) / 10', '* 100) / 100')),
    again('The quantity could be a text.', edit('item.quantity', 'Number(item.quantity)')),
    again('Run the test.', runTests),
    again('Let me read the code again.', read),
    again('Run the test again.', runTests),
    again('I must have missed something in the code.', read),
    again('Perhaps it passes now.', runTests),
    again('Let me look at the code once more.', read),
    again('Run the test.', runTests),
    again('The code looks right. I will check it again.', read),
    again('And the test again.', runTests),
    again('Let me read the file carefully.', read),
    again('Run the test again.', runTests),
    ...Array.from({ length: 13 }, () =>
      again('The code is right, so the test should pass. Run it again.', runTests),
    ),
    { text: 'The code is correct, but the test still fails. I could not find out why.' },
  ],
};
