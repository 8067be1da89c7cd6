// One host in a process of its own: runs with and without the guard take turns. Prints microseconds a step, as JSON.
import { guardAlone } from './alone.mjs';
import { promptOf, STEPS, stepOf } from './script.mjs';

const [host, url, pairs, warmUp] = process.argv.slice(2);
const { create } = await import(`./hosts/${host}.mjs`);
let run = -1;
let step = 0;
const heard = [];
const { bare, guarded } = await create({
  url,
  /** What a tool of this name gives for these arguments. */
  call(name, { query }) {
    const { tool, args, output } = stepOf(run, step++);
    if (name !== tool || query !== args.query)
      throw new Error(`${host}: ${name} of ${query} was not asked for`);
    return output;
  },
  options: { onDecision: ({ action, message }) => heard.push(`${action}: ${message}`) },
});

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
const result = { bare: [], guarded: [] };
for (let pair = 0; pair < Number(pairs) + Number(warmUp); pair++) {
  // Whoever comes second finds the garbage of the first.
  const order = pair % 2 === 0 ? ['bare', 'guarded'] : ['guarded', 'bare'];
  for (const name of order) {
    const one = await measured(name === 'bare' ? bare : guarded);
    if (pair >= Number(warmUp)) result[name].push(one);
  }
}
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
