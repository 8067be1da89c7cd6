// One host in a process of its own. The same session is run as it is (twice: what differs there is noise), with a hook that does nothing where
// hosts have hooks, with the adapter alone (its guard is off), and with the guard: ten steps of one, then ten of the next, so that whatever else
// the machine does slows all of them down.
// Prints microseconds of each step, as JSON.
import { guardAlone } from './alone.mjs';
import { promptOf, STEPS, stepOf } from './script.mjs';

const [host, url] = process.argv.slice(2);
const [rounds, warmUp] = process.argv.slice(4, 6).map(Number);
const preset = process.argv[6];
/**
 * Steps that a session takes in a row, as it does in life; the first of them, after those of the others, does not count. One by one, each way
 * would find the caches full of the four others, and only the host, which is in all of them, would still be there.
 */
const BLOCK = 10;
/** Rounds of all ways before the first that counts. */
const LAST_WARM_UP = 5;
const { create } = await import(`./hosts/${host}.mjs`);
const heard = [];
const onDecision = ({ action, message }) => heard.push(`${action}: ${message}`);
/** The session whose step it is. The others wait within a call of a tool. */
let current;
const { bare, hooked, guarded } = await made({ onDecision, preset });
const { guarded: adapter } = await made({ onDecision, mode: 'off' });
const ways = Object.entries({ bare, again: bare, ...(hooked && { hooked }), adapter, guarded });

function made(options) {
  return create({ url, call, options });
}

/** What a tool of this name gives for these arguments, once it is this session's turn again. */
function call(name, { query }) {
  const session = current;
  const { tool, args, output } = stepOf(session.run, session.step);
  if (name !== tool || query !== args.query)
    throw new Error(`${host}: ${name} of ${query} was not asked for`);
  session.step += 1;
  return new Promise((resolve) => {
    session.go = () => resolve(output);
    session.rests();
  });
}

/** From the result of a call, or from the start, to the next call, or to the end. */
async function stepTaken(session) {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  current = session;
  const rest = new Promise((resolve) => {
    session.rests = resolve;
  });
  session.go();
  await Promise.race([rest, session.ended]);
  const wall = Number(process.hrtime.bigint() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: user + system };
}

function sessionOf([name, way], run) {
  const session = { name, run, step: 0, text: undefined };
  const begun = new Promise((resolve) => {
    session.go = resolve;
  });
  session.ended = begun
    .then(() => way(promptOf(run)))
    .then((text) => {
      session.text = text;
    });
  return session;
}

// Hosts are in every way, and their code would be run five times as often as that of the guard, and be compiled sooner: so first the guard is run
// by itself, as adapters tell it things, and then only the ways that it is in.
for (const mode of ['enforce', 'off']) guardAlone({ onDecision, mode, preset });
const watched = ways.filter(([name]) => name === 'adapter' || name === 'guarded');
const result = Object.fromEntries(ways.map(([name]) => [name, []]));
for (let round = 0; round < rounds + warmUp; round++) {
  const sessions = (round < warmUp - LAST_WARM_UP ? watched : ways).map((way) => sessionOf(way, round));
  const times = Object.fromEntries(ways.map(([name]) => [name, []]));
  for (let block = 0; block < STEPS / BLOCK; block++) {
    // So that everybody comes after everybody.
    const order = sessions.map((_, turn) => sessions[(block + turn) % sessions.length]);
    if ((round + Math.floor(block / sessions.length)) % 2 === 1) order.reverse();
    for (const session of order)
      for (let step = 0; step < BLOCK; step++) {
        const time = await stepTaken(session);
        if (step > 0) times[session.name].push(time);
      }
  }
  for (const { name, step, text } of sessions)
    if (text !== 'Done.' || step !== STEPS - 1 || heard.length > 0)
      throw new Error(
        `${host}, ${name}: the run ended with ${JSON.stringify(text)} after ${step} calls; ${heard}`,
      );
  if (round >= warmUp) for (const [name, steps] of Object.entries(times)) result[name].push(...steps);
}
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
