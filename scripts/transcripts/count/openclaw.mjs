// Counts an OpenClaw transcript straight from its JSON, independently of the parser.
import { count as countPi } from './pi.mjs';

export function count(text, fileName) {
  if (!fileName.endsWith('.json')) return countPi(text, fileName);
  // The document of `openclaw agent --json` counts nothing smaller than the run.
  const { usage } = JSON.parse(text).meta.agentMeta;
  return {
    calls: 0,
    results: 0,
    failures: 0,
    input: usage.input + usage.cacheWrite,
    output: usage.output,
    cachedInput: usage.cacheRead,
    turns: 0,
    first: null,
    last: null,
  };
}
