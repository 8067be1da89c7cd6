#!/usr/bin/env node
import { run } from './program.ts';
import { surroundingsOf } from './surroundings.ts';
import { createTerminal } from './terminal.ts';

const terminal = createTerminal(process);
// Not process.exit: what is still on its way to a pipe must arrive.
process.exitCode = await run(process.argv.slice(2), terminal, surroundingsOf(process));
