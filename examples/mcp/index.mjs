// A stuck agent before an MCP server, with deloop mcp in between. --wire prints every message.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from './client.mjs';

const wire = process.argv.includes('--wire') ? (way, line) => console.log(`${way} ${line}`) : undefined;
const folder = mkdtempSync(join(tmpdir(), 'deloop-example-'));
const log = join(folder, 'decisions.jsonl');

async function loop({ call }, times, tool, argsOf) {
  const story = [];
  for (let n = 1; n <= times; n++) {
    const { outcome, text } = await call(tool, argsOf(n));
    story.push(outcome);
    if (outcome !== 'ran') console.log(`  call ${n}: ${text}`);
  }
  return story;
}

console.log('1. The same page again and again; nobody can be asked.');
{
  const server = await connect(['--log', log], { wire });
  const story = await loop(server, 7, 'read_page', () => ({ page: 'holidays' }));
  assert.deepEqual(story, ['ran', 'ran', 'nudged', 'ran', 'refused', 'refused', 'refused']);
  await server.close();
}

console.log(
  '\n2. The same search under ever new ids, which the server has declared to mean nothing; a person lets it go on.',
);
{
  const server = await connect(['--log', log], { answer: 'accept', wire });
  const story = await loop(server, 7, 'search', (n) => ({ query: 'holidays', requestId: `r${n}` }));
  assert.deepEqual(story, ['ran', 'ran', 'nudged', 'ran', 'refused', 'refused', 'ran']);
  await server.close();
}

console.log('\n3. A person stops it: no call of any tool is run any more.');
{
  const server = await connect(['--log', log], { answer: 'decline', wire });
  await loop(server, 7, 'read_page', () => ({ page: 'holidays' }));
  const { outcome } = await server.call('search', { query: 'something else' });
  assert.equal(outcome, 'refused');
  await server.close();
}

console.log('\n4. Three servers in turn, judged together: none of them would see the loop alone.');
{
  const names = ['handbook', 'wiki', 'archive'];
  const flags = ['--store', join(folder, 'store'), '--log', log];
  const servers = await Promise.all(names.map((name) => connect([`--name=${name}`, ...flags], { wire })));
  const story = [];
  for (let n = 0; n < 6; n++) {
    const { outcome, text } = await servers[n % 3].call('read_page', { page: 'holidays' });
    story.push(outcome);
    if (outcome !== 'ran') console.log(`  call ${n + 1}: ${text}`);
  }
  assert.deepEqual(story, ['ran', 'ran', 'ran', 'ran', 'ran', 'nudged']);
  await Promise.all(servers.map(({ close }) => close()));
}

rmSync(folder, { recursive: true });
console.log('\nAll four went as told.');
