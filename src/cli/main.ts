#!/usr/bin/env node
const argv = process.argv.slice(2);
// Not process.exit: what is still on its way to a pipe must arrive.
process.exitCode = isProxy(argv) ? await proxy(argv.slice(1)) : await command();

function isProxy([name, verb]: readonly string[]): boolean {
  return name === 'mcp' && verb !== 'wrap' && verb !== 'unwrap';
}

/** A client waits for the server behind it, so this one loads no more than it needs. */
async function proxy(flags: readonly string[]): Promise<number> {
  const built = new URL('./mcp.js', import.meta.url).href;
  const { mcp } = (await import(built)) as typeof import('./mcp/main.ts');
  return mcp(flags, process);
}

async function command(): Promise<number> {
  const [{ run }, { surroundingsOf }, { createTerminal }] = await Promise.all([
    import('./program.ts'),
    import('./surroundings.ts'),
    import('./terminal.ts'),
  ]);
  return run(argv, createTerminal(process), surroundingsOf(process));
}

export {};
