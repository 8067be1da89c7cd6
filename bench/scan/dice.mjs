/** Random numbers that are the same in every run: mulberry32. */
export function createDice(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const whole = (from, to) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    whole,
    of: (list) => list[Math.floor(next() * list.length)],
    chance: (share) => next() < share,
    hex: (length) => Array.from({ length }, () => whole(0, 15).toString(16)).join(''),
    /** Many small ones, a few large ones: log-normal around `median`, `spread` = of its logarithm. */
    size: (median, spread) => {
      const bell = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return median * Math.exp(spread * bell);
    },
  };
}
