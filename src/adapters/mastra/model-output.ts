import { resultOf } from '../ai-sdk/model-output.ts';
import { fieldsOf } from '../fields.ts';
import type { HostResult } from '../run.ts';
import type { Tool } from './shapes.ts';

/** A result that was read before Mastra asked for it. */
export type Reading = { readonly tool: Tool; readonly output: unknown; readonly given: unknown };

/** Results that Mastra does not ask for are not kept for long. */
const MAX_READINGS = 64;

/** What came of a call, as the model reads it. It is made once: Mastra gets the same when it asks for it. */
export function readResult(
  readings: Reading[],
  tool: Tool,
  output: unknown,
): HostResult | Promise<HostResult> {
  if (tool.toModelOutput === undefined || output === undefined || output === null) return { output };
  try {
    const given = tool.toModelOutput(output);
    if (!(given instanceof Promise)) return kept(readings, { tool, output, given });
    return given.then(
      (later) => kept(readings, { tool, output, given: later }),
      () => ({ output }),
    );
  } catch {
    // Mastra asks for it again, and hears of it then.
    return { output };
  }
}

function kept(readings: Reading[], reading: Reading): HostResult {
  readings.push(reading);
  if (readings.length > MAX_READINGS) readings.shift();
  return modelReads(reading.given, reading.output);
}

/** What `toModelOutput` gives, which Mastra does not do again after `readResult`. */
export function readOnce(readings: Reading[], tool: Tool, output: unknown): unknown {
  const index = readings.findIndex((one) => one.tool === tool && one.output === output);
  const [known] = index === -1 ? [] : readings.splice(index, 1);
  return known === undefined ? tool.toModelOutput?.(output) : known.given;
}

/** `given` = by a tool's `toModelOutput`; it need not have a type. */
export function modelReads(given: unknown, output: unknown): HostResult {
  if (fieldsOf(given)['value'] !== undefined) return resultOf(given);
  return { output: given ?? output };
}
