// What one tool call costs, side by side in one run. Ratios are what counts: times depend on the machine.
import { createGuard as createCoreGuard } from '../dist/core/index.js';
import { createGuard } from '../dist/index.js';
import { atomcode } from '../dist/presets/atomcode.js';
import { makeCalls } from './calls.mjs';
import { createPeer, peerEvent } from './peer.mjs';
import { benchRecommended } from './recommended.mjs';

const FOUNDING = ['koda', 'attocode', 'atomcode', 'zagens'];
const PARALLEL = 8;
const WARM_UP = 20;
const SIZES = [
  { label: '50 B', size: 50, calls: 64, rounds: 250, batches: 61, goal: 3 },
  { label: '1 KB', size: 1024, calls: 64, rounds: 125, batches: 61, goal: 3 },
  { label: '10 KB', size: 10_240, calls: 64, rounds: 25, batches: 41, goal: null },
  { label: '1 MB', size: 1_048_576, calls: 32, rounds: 1, batches: 31, goal: 5 },
];
const EDIT = { tool: 'edit_file', args: { path: 'src/a.ts', text: 'x' } };
const RESULT = { output: 'Successfully wrote the file.', ok: true };
const PORTABLE_LIMIT = 1.5;
const quick = process.argv.includes('--quick');

let sink = 0;

/** One plain pass over the characters of the arguments: the least that any guard must do. */
function plainPass(text) {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum + text.charCodeAt(i)) | 0;
  return sum;
}

/** A guard with the two things it is asked; a user message and an edit now and then, as in any session. */
function guarded(name, guard) {
  let n = 0;
  return {
    name,
    before(call) {
      if (n++ % 100 === 0) {
        guard.accept({ type: 'user' });
        guard.before(EDIT);
        guard.after(EDIT, RESULT);
      }
      sink += guard.before(call).action.length;
    },
    after(call) {
      sink += guard.after(call, RESULT).action.length;
    },
  };
}

function contestants() {
  const peer = createPeer();
  return [
    { name: 'gemini-cli', prepare: peerEvent, before: (event) => (sink += peer.addAndCheck(event).count) },
    { name: 'plain pass', before: ({ args }) => (sink += plainPass(args.content)) },
    ...FOUNDING.map((preset) => guarded(preset, createGuard({ preset }))),
    guarded('atomcode, portable core', createCoreGuard({ preset: atomcode })),
  ];
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

/** Nanoseconds a call, the contestants taking turns batch by batch; a batch is a round of parallel calls. */
function measure({ size, calls: count, rounds, batches }) {
  const pool = makeCalls(size, count);
  const runners = contestants().map((one) => ({ ...one, befores: [], afters: [] }));
  let made = 0;
  for (let batch = -WARM_UP; batch < (quick ? batches / 8 : batches); batch++) {
    for (const { prepare, before, after, befores, afters } of runners) {
      let asked = 0n;
      let told = 0n;
      for (let round = 0; round < rounds; round++) {
        const calls = Array.from({ length: PARALLEL }, () => ({
          ...pool[made % count],
          id: `call_${made++}`,
        }));
        const ready = prepare === undefined ? calls : calls.map(prepare);
        const start = process.hrtime.bigint();
        for (const call of ready) before(call);
        const middle = process.hrtime.bigint();
        if (after !== undefined) for (const call of ready) after(call);
        told += process.hrtime.bigint() - middle;
        asked += middle - start;
      }
      if (batch < 0) continue;
      befores.push(Number(asked) / (rounds * PARALLEL));
      afters.push(after === undefined ? 0 : Number(told) / (rounds * PARALLEL));
    }
  }
  return runners.map(({ name, befores, afters }) => ({
    name,
    before: median(befores),
    after: median(afters),
  }));
}

const show = (ns) => (ns < 10_000 ? `${ns.toFixed(0)} ns` : `${(ns / 1000).toFixed(1)} us`).padStart(11);
console.log(
  'Median cost of one tool call. x = how often it fits into the cost of @google/gemini-cli-core, which sees',
);
console.log('the call only; deloop is asked before the call and told the result after it.\n');
for (const setting of SIZES) {
  const rows = measure(setting);
  const { goal } = setting;
  const peer = rows[0].before;
  console.log(`${setting.label} of arguments${goal === null ? '' : ` (goal: ${goal}x)`}`);
  console.log(
    `  ${''.padEnd(24)}${'before'.padStart(11)}${'x'.padStart(9)}${'with after'.padStart(13)}${'x'.padStart(9)}`,
  );
  for (const { name, before, after } of rows) {
    const ratio = peer / before;
    const whole =
      after === 0 ? '' : `  ${show(before + after)}${`${(peer / (before + after)).toFixed(2)}x`.padStart(9)}`;
    const founding = FOUNDING.includes(name);
    const verdict =
      goal === null || !founding
        ? ''
        : ratio >= goal
          ? '  reached'
          : `  short by ${(goal / ratio).toFixed(2)}x`;
    console.log(`  ${name.padEnd(24)}${show(before)}${`${ratio.toFixed(2)}x`.padStart(9)}${whole}${verdict}`);
  }
  if (setting.label === '1 MB') {
    const of = (wanted) => rows.find(({ name }) => name === wanted).before;
    const ratio = of('atomcode, portable core') / of('plain pass');
    const verdict = ratio <= PORTABLE_LIMIT ? 'reached' : 'missed';
    console.log(
      `  portable core to plain pass: ${ratio.toFixed(2)}x (goal: at most ${PORTABLE_LIMIT}x) ${verdict}`,
    );
  }
  console.log();
}
benchRecommended(quick);
if (sink === Number.MIN_VALUE) console.log(sink);
