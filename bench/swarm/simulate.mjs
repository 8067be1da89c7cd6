// A fleet of agents on the tallies of one swarm, in made-up time: how soon a dead end is noticed, and how many healthy calls are taken for one.
// Usage: node bench/swarm/simulate.mjs; needs dist/. The dice are seeded: the same numbers every time.
import { createTallies } from '../../dist/swarm/tallies.js';

const FLEETS = [10, 100, 1000, 10_000, 100_000];
const MINUTES = 30;
const MINUTE = 60_000;
/** What the rule `dead-end` asks for. */
const [TOLD_AT, MIN_WORKERS] = [5, 3];
/** Calls of an agent in a minute, and how they are spread. */
const CALLS = 4;
const SHARES = { instructions: 0.03, tests: 0.15, flaky: 0.04 };
/** How often a service fails. */
const FLAKY = 0.05;
/** One agent in a hundred runs into the wall, and tries it every other minute. */
const STUCK = 0.01;
const STUCK_CALLS = 0.5;

console.log(
  `${MINUTES} minutes of made-up time; each agent makes ${CALLS} calls a minute; ${STUCK * 100} % of them, three at least, run into one wall every other minute.\n`,
);
console.log(
  '| agents | calls | wall noticed after | failures until then | false alarms: the same README | own tests that fail | services that fail now and then |',
);
console.log(
  '| ------ | ----- | ------------------ | ------------------- | ----------------------------- | ------------------- | --------------------------------- |',
);
for (const agents of FLEETS) row(agents);

function row(agents) {
  const dice = createDice(agents);
  const tallies = createTallies(null, () => 'born', { records: 1e7, marks: 1e8, agents: 1e7 });
  const stuck = Math.max(3, Math.round(agents * STUCK));
  const alarms = { instructions: 0, tests: 0, flaky: 0, own: 0 };
  const alarmed = new Set();
  let sequence = 1;
  let calls = 0;
  let firstWall = null;
  let noticed = null;
  let failures = 0;
  const control = { version: 0, halted: false, why: '', by: '', at: 0 };

  function tell(now, worker, key, outcome, failed) {
    calls += 1;
    const notes = [
      { kind: 'call', worker, key },
      { kind: 'result', worker, key, outcome, failed },
    ];
    const request = {
      member: 'm',
      first: sequence,
      notes,
      resent: 0,
      born: 'born',
      control,
      windowMs: 10 * MINUTE,
    };
    sequence += 2;
    const { wasted, wasters } = tallies.tell(request, now).counts[1];
    return wasted >= TOLD_AT && wasters >= MIN_WORKERS;
  }

  function healthy(now, worker, number) {
    const roll = dice();
    if (roll < SHARES.instructions)
      return ['instructions', tell(now, worker, `readme-${number % 20}`, 'text', false)];
    if (roll < SHARES.instructions + SHARES.tests) {
      // Each works on something else, so its tests fail in its own way, and differently each time.
      return ['tests', tell(now, worker, 'npm-test', `${worker}-${Math.floor(dice() * 1e6)}`, dice() < 0.7)];
    }
    if (roll < SHARES.instructions + SHARES.tests + SHARES.flaky) {
      const failed = dice() < FLAKY;
      return ['flaky', tell(now, worker, `service-${number % 50}`, failed ? 'timeout' : 'fine', failed)];
    }
    // Work of its own, of which nobody else makes the same call: it is counted, and it can alarm nobody.
    calls += 1;
    return ['own', false];
  }

  for (let second = 0; second < MINUTES * 60; second++) {
    const now = 1_800_000_000_000 + second * 1000;
    for (let n = amount((agents * CALLS) / 60, dice); n > 0; n--) {
      const number = Math.floor(dice() * agents);
      const [kind, alarm] = healthy(now, `agent ${number}`, number);
      const name = `${kind} ${kind === 'flaky' ? number % 50 : kind === 'instructions' ? number % 20 : 0}`;
      if (alarm && !alarmed.has(name)) {
        alarmed.add(name);
        alarms[kind] += 1;
      }
    }
    for (let n = amount((stuck * STUCK_CALLS) / 60, dice); n > 0 && noticed === null; n--) {
      firstWall ??= now;
      failures += 1;
      if (tell(now, `agent ${Math.floor(dice() * stuck)}`, 'the wall', '404', true)) noticed = now;
    }
  }
  const after = noticed === null ? 'never' : `${((noticed - firstWall) / 1000).toFixed(0)} s`;
  console.log(
    `| ${agents.toLocaleString('en-US')} | ${calls.toLocaleString('en-US')} | ${after} | ${failures} | ${alarms.instructions} of 20 | ${alarms.tests} of 1 | ${alarms.flaky} of 50 |`,
  );
}

/** A whole number that is `mean` on average. */
function amount(mean, dice) {
  const whole = Math.floor(mean);
  return whole + (dice() < mean - whole ? 1 : 0);
}

/** mulberry32: small, seeded, good enough for a simulation. */
function createDice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
