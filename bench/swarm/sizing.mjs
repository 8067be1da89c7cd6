// The memory that a swarm takes in Redis, and what that comes to for fleets of any size.
import { boardOf, createRedisStore } from '../../dist/stores/index.js';
import { connect } from './redis.mjs';

const MANY = 20_000;
const BATCH = 50;
const CALLS_OF_AN_AGENT = 20;
const CALLS_A_MINUTE = 6;
/** A failure is told at once, a success goes with the next call. */
const SCRIPTS_A_CALL = 1.2;
const NO_CONTROL = { version: 0, halted: false, why: '', by: '', at: 0 };

export async function sizing(port) {
  const client = await connect(port);
  const board = boardOf(createRedisStore({ client, waitMs: 60_000 }));
  const used = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
  const request = { resent: 0, born: '', control: NO_CONTROL, windowMs: 86_400_000 };
  let batches = 0;
  async function tell(notes) {
    for (let from = 0; from < notes.length; from += BATCH) {
      batches += 1;
      const part = notes.slice(from, from + BATCH);
      await board.tell('memory', { ...request, member: 'm', first: batches * 100, notes: part });
    }
  }
  const keys = Array.from({ length: MANY }, (_, n) => `key${n.toString(36).padStart(8, '0')}`);
  const call = (worker) => (key) => ({ kind: 'call', worker, key });
  await tell([call('worker 0')('first')]);
  const start = await used();
  await tell(keys.map(call('worker 0')));
  const one = ((await used()) - start) / MANY;
  for (let n = 1; n < 10; n++) await tell(keys.map(call(`worker ${n}`)));
  const ten = ((await used()) - start) / MANY;
  const before = await used();
  // Each is a process of its own, with the number of its notes.
  for (let n = 0; n < MANY; n++) {
    const notes = [call(`another worker ${n}`)('one key')];
    await board.tell('memory', {
      ...request,
      member: `member${n.toString(36).padStart(14, '0')}`,
      first: 1,
      notes,
    });
  }
  const agent = ((await used()) - before) / MANY;
  console.log(
    `\nBytes of Redis, ${MANY} of each: a live call ${one.toFixed(0)}, with ten workers ${ten.toFixed(0)}; a live worker ${agent.toFixed(0)}.\n`,
  );
  console.log(
    `Sizing: ${CALLS_OF_AN_AGENT} live calls of each agent; ${CALLS_A_MINUTE} calls a minute; ${SCRIPTS_A_CALL} scripts a call.\n`,
  );
  console.log('| live agents | memory | scripts a second |');
  console.log('| --- | --- | --- |');
  for (const agents of [1000, 100_000, 10_000_000]) {
    const bytes = agents * (agent + CALLS_OF_AN_AGENT * one);
    const scripts = Math.round((agents * CALLS_A_MINUTE * SCRIPTS_A_CALL) / 60);
    console.log(
      `| ${agents.toLocaleString('en-US')} | ${size(bytes)} | ${scripts.toLocaleString('en-US')} |`,
    );
  }
  client.destroy();
}

function size(bytes) {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
