// One host in a process of its own: runs with and without the guard take turns. Prints microseconds a step, as JSON.
import { promptOf, resultOf, STEPS } from './script.mjs';

const [host, url, pairs, warmUp] = process.argv.slice(2);
const { create } = await import(`./hosts/${host}.mjs`);
let looked = 0;
const { bare, guarded } = create({
  url,
  look({ query }) {
    looked += 1;
    return resultOf(query);
  },
});

let run = 0;
async function measured(way) {
  const before = looked;
  const prompt = promptOf(run++);
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  const text = await way(prompt);
  const wall = Number(process.hrtime.bigint() - start) / 1000 / STEPS;
  const { user, system } = process.cpuUsage(cpu);
  if (text !== 'Done.' || looked - before !== STEPS - 1)
    throw new Error(`${host}: the run ended with ${JSON.stringify(text)} after ${looked - before} calls`);
  return { wall, cpu: (user + system) / STEPS };
}

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
