// Starts a command as a client does and goes on living, so that somebody can kill it.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [pidFile, ...command] = process.argv.slice(2);
const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
child.stdout.once('data', () => {
  writeFileSync(pidFile, String(child.pid));
  process.stdout.write('ready\n');
});
setInterval(() => {}, 1000);
