// What happens in a session, before anybody writes it down.

const START = Date.UTC(2026, 10, 1);
const MINUTE_MS = 60_000;
/** Sessions in which the agent is stuck for a while. */
const STUCK = 0.1;
/**
 * Characters: of what a tool gives back, of what the model thinks and says, of a file that is edited. Together they make what
 * `node bench/scan/shape.mjs` counts in the sessions of people.
 */
const OUTPUT = { median: 1700, spread: 0.9, most: 24_000 };
const THOUGHT = { median: 240, spread: 0.9, most: 6000 };
const FILE = { median: 15_000, spread: 0.8, most: 200_000 };

/** Turns of one session without end: what the model thinks and says, its calls with their results, and its tokens. */
export function* turnsOf(texts) {
  const { dice } = texts;
  let at = START + dice.whole(0, 14 * 24 * 60) * MINUTE_MS;
  let context = 9000;
  const stuckAt = dice.chance(STUCK) ? dice.whole(10, 60) : -1;
  const stuckFor = dice.whole(5, 25);
  let again = null;
  for (let number = 1; ; number++) {
    at += dice.whole(2000, 40_000);
    const isStuck = number >= stuckAt && stuckAt > 0 && number < stuckAt + stuckFor;
    if (isStuck) again ??= callOf(texts);
    const calls = isStuck ? [again] : Array.from({ length: countOf(dice) }, () => callOf(texts));
    const output = dice.whole(60, 900);
    yield {
      number,
      at,
      person: number % 12 === 1 ? texts.text('prose', dice.whole(80, 600)) : null,
      thought: dice.chance(0.6) ? texts.text('prose', sized(dice, THOUGHT)) : '',
      said: dice.chance(0.7) || calls.length === 0 ? texts.text('prose', dice.whole(30, 280)) : '',
      calls,
      usage: { cached: context, fresh: dice.whole(200, 4000), output },
    };
    context = Math.min(180_000, context + output + 1500);
  }
}

function countOf(dice) {
  const thrown = dice.next();
  return thrown < 0.06 ? 0 : thrown < 0.8 ? 1 : thrown < 0.95 ? 2 : 3;
}

/** A call, its result, and whether it failed. */
function callOf(texts) {
  const { dice } = texts;
  const kind = dice.of(['shell', 'shell', 'shell', 'read', 'read', 'edit', 'search']);
  const path = texts.path();
  const failed = kind === 'shell' && dice.chance(0.12);
  const length = sized(dice, OUTPUT);
  const before = texts.text('code', dice.whole(60, 1500));
  switch (kind) {
    case 'shell':
      return {
        kind,
        command: `${dice.of(['npm test --', 'git diff', 'cat', 'go test', 'ls -la', 'rg -n'])} ${path}`,
        output: texts.text(texts.kind(), length),
        failed,
      };
    case 'read':
      return { kind, path, output: texts.text('code', length), failed };
    case 'search':
      return { kind, path, pattern: texts.camel(), output: texts.text('search', length), failed };
    default:
      return {
        kind,
        path,
        before,
        original: texts.text('code', sized(dice, FILE)),
        after: `${before}\n${texts.text('code', 60)}`,
        output: `Updated ${path}`,
        failed,
      };
  }
}

function sized(dice, { median, spread, most }) {
  return Math.min(most, Math.max(20, dice.size(median, spread)));
}
