// Loaded before a program that is measured: at its end, what it took of the machine goes to the file that PEAK_FILE names.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    writeFileSync(process.env.PEAK_FILE, JSON.stringify({ maxRSS, cpu: userCPUTime + systemCPUTime }));
  });
}
