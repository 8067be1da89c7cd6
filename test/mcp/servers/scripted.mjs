// A server that does what its first argument says, and writes its process id to the file of its second.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode, pidFile, value] = process.argv.slice(2);
if (pidFile) writeFileSync(pidFile, String(process.pid));
const say = (text) => process.stdout.write(text);
const answer = (id, text) =>
  say(`${JSON.stringify({ jsonrpc: '2.0', result: { content: [{ type: 'text', text }] }, id })}\n`);

function answerCalls(onCall = () => {}) {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      say(`not JSON: ${line}\n`);
      return;
    }
    for (const { id, method, params } of [message].flat()) {
      onCall(method, params);
      if (id !== undefined && method !== undefined)
        answer(id, `${method} ${params?.name ?? ''} ${params?.arguments?.number ?? ''}`.trim());
    }
  });
  return lines;
}

switch (mode) {
  case 'answers':
    answerCalls();
    break;
  case 'exits':
    process.exitCode = Number(value);
    break;
  case 'crashes':
    answerCalls((method) => {
      if (method === 'crash') process.kill(process.pid, 'SIGKILL');
    });
    break;
  case 'stays':
    // Neither the end of its input nor a polite word makes it go.
    answerCalls();
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1000);
    break;
  case 'finishes':
    // Takes its time for an answer, longer than one without anything to do may stay.
    createInterface({ input: process.stdin }).on('close', () => setTimeout(() => answer(1, 'at last'), 4000));
    break;
  case 'tidies':
    answerCalls();
    process.on('SIGTERM', () => {
      say('tidied\n');
      process.exitCode = 7;
      process.stdin.destroy();
    });
    break;
  case 'mirrors':
    process.stdin.pipe(process.stdout);
    break;
  case 'says':
    // Words as they are, to whoever listens, then the end.
    say(Buffer.from(value, 'base64'));
    break;
  case 'large':
    answerCalls();
    answer('large', 'x'.repeat(Number(value)));
    break;
  case 'counts': {
    // Every message has the number that follows the last one's, or else it ends at once.
    let last = 0;
    answerCalls((_, params) => {
      last += 1;
      if (params.arguments.number !== last) process.exit(99);
      if (last % 10 === 0) say(`{"jsonrpc":"2.0","method":"notifications/message","params":${last}}\n`);
    });
    break;
  }
  case 'deaf':
    // Never reads.
    setInterval(() => {}, 1000);
    break;
  case 'launcher': {
    // Starts the real server and is in nobody's way, as npx does it.
    const { spawn } = await import('node:child_process');
    spawn(process.execPath, [new URL(import.meta.url).pathname, 'stays', value], { stdio: 'inherit' });
    break;
  }
  default:
    throw new Error(`no mode ${mode}`);
}
