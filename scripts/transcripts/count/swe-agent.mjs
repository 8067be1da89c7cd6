/** Counts a `.traj` of SWE-agent straight from the raw JSON; it has no times, no flags and one sum of tokens. */
export function count(text) {
  const { trajectory, attempts, info } = JSON.parse(text);
  const steps = attempts === undefined ? trajectory : attempts.flatMap((attempt) => attempt.trajectory);
  const acted = steps.filter(({ action }) => action.trim() !== '');
  return {
    calls: acted.length,
    results: acted.length,
    failures: 0,
    input: info.model_stats?.tokens_sent ?? 0,
    output: info.model_stats?.tokens_received ?? 0,
    cachedInput: 0,
    turns: steps.length,
    first: null,
    last: null,
  };
}
