/** Keeps a value for an agent. Beyond `most`, that of the agent for which one was kept longest ago goes; that of the main agent stays. */
export function keepFor<Value>(kept: Map<string, Value>, agent: string, value: Value, most: number): void {
  kept.delete(agent);
  kept.set(agent, value);
  if (kept.size <= most) return;
  const oldest = [...kept.keys()].find((name) => name !== '');
  if (oldest !== undefined) kept.delete(oldest);
}
