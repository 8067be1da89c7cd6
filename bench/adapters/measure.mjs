// One host in a process of its own: runs as they are, with a hook that does nothing where hosts have hooks, with the adapter alone
// (its guard is off), and with the guard take turns.
// Prints microseconds a step, as JSON.
import { guardAlone } from './alone.mjs';
import { promptOf, STEPS, stepOf } from './script.mjs';

const [host, url, rounds, warmUp] = process.argv.slice(2);
const { create } = await import(`./hosts/${host}.mjs`);
let run = -1;
let step = 0;
const heard = [];
const onDecision = ({ action, message }) => heard.push(`${action}: ${message}`);
const { bare, hooked, guarded } = await made({ onDecision });
const { guarded: adapter } = await made({ onDecision, mode: 'off' });
const ways = Object.entries({ bare, ...(hooked && { hooked }), adapter, guarded });

function made(options) {
  return create({ url, call, options });
}

/** What a tool of this name gives for these arguments. */
function call(name, { query }) {
  const { tool, args, output } = stepOf(run, step++);
  if (name !== tool || query !== args.query)
    throw new Error(`${host}: ${name} of ${query} was not asked for`);
  return output;
}

async function measured(way) {
  run += 1;
  step = 0;
  const prompt = promptOf(run);
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  const text = await way(prompt);
  const wall = Number(process.hrtime.bigint() - start) / 1000 / STEPS;
  const { user, system } = process.cpuUsage(cpu);
  if (text !== 'Done.' || step !== STEPS - 1 || heard.length > 0)
    throw new Error(`${host}: the run ended with ${JSON.stringify(text)} after ${step} calls; ${heard}`);
  return { wall, cpu: (user + system) / STEPS };
}

// The code of the host is run twice as often as that of the guard, and would be compiled sooner.
guardAlone();
const result = Object.fromEntries(ways.map(([name]) => [name, []]));
for (let round = 0; round < Number(rounds) + Number(warmUp); round++) {
  // Whoever comes next finds the garbage of the one before: so everybody comes after everybody.
  const order = ways.map((_, turn) => ways[(round + turn) % ways.length]);
  if (Math.floor(round / ways.length) % 2 === 1) order.reverse();
  for (const [name, way] of order) {
    const one = await measured(way);
    if (round >= Number(warmUp)) result[name].push(one);
  }
}
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
