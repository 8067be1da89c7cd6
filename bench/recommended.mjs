// What `recommended` costs, with every result read and normalised: side by side with a peer that sees calls only.
import { createGuard } from '../dist/index.js';
import { makeCalls, makeOutputs } from './calls.mjs';
import { createPeer, peerEvent } from './peer.mjs';

const KB = 1024;
const MB = KB * KB;
const PARALLEL = 4;
const WARM_UP = 20;
const DIGEST_LIMIT = 1.5;

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

/** Nanoseconds a piece of work, the contestants taking turns batch by batch. */
function measure(contestants, rounds, batches) {
  const times = contestants.map(() => []);
  let made = 0;
  for (let batch = -WARM_UP; batch < batches; batch++) {
    contestants.forEach((work, index) => {
      const ready = Array.from({ length: rounds * PARALLEL }, () => work.prepare(made++));
      const start = process.hrtime.bigint();
      for (const piece of ready) work.run(piece);
      const spent = Number(process.hrtime.bigint() - start) / ready.length;
      if (batch >= 0) times[index].push(spent);
    });
  }
  return times.map(median);
}

function guarded(preset, calls, outputs) {
  const guard = createGuard({ preset });
  return {
    prepare: (n) => ({
      call: { ...calls[n % calls.length], id: `call_${n}` },
      output: outputs[n % outputs.length],
    }),
    run({ call, output }) {
      guard.before(call);
      guard.after(call, { output, ok: true });
    },
  };
}

/** Prints the two ratios that are promised of `recommended`. */
export function benchRecommended(quick) {
  const batches = quick ? 9 : 41;
  const peer = createPeer();
  const large = makeCalls(2 * KB, 64);
  const [peerTime, ownTime] = measure(
    [
      {
        prepare: (n) => peerEvent({ ...large[n % large.length], id: `call_${n}` }),
        run: (event) => peer.addAndCheck(event),
      },
      guarded('recommended', makeCalls(KB, 64), makeOutputs(KB, 61)),
    ],
    50,
    batches,
  );
  const ratio = ownTime / peerTime;
  console.log('recommended, before and after a call, 1 KB of arguments and 1 KB of output');
  console.log(`  gemini-cli, 2 KB of arguments   ${peerTime.toFixed(0)} ns`);
  console.log(`  recommended                     ${ownTime.toFixed(0)} ns`);
  console.log(`  ${ratio.toFixed(2)}x (goal: at most 1x) ${ratio <= 1 ? 'reached' : 'missed'}\n`);

  const outputs = makeOutputs(MB, 13);
  const [digestTime, heavyTime] = measure(
    [guarded('atomcode', makeCalls(50, 64), outputs), guarded('recommended', makeCalls(50, 64), outputs)],
    1,
    batches,
  );
  const heavy = heavyTime / digestTime;
  console.log('recommended, 1 MB of output');
  console.log(`  atomcode, which only digests it ${(digestTime / 1000).toFixed(1)} us`);
  console.log(`  recommended, before and after   ${(heavyTime / 1000).toFixed(1)} us`);
  console.log(
    `  ${heavy.toFixed(2)}x (goal: at most ${DIGEST_LIMIT}x) ${heavy <= DIGEST_LIMIT ? 'reached' : 'missed'}\n`,
  );
}
