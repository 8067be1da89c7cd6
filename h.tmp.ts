import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSource } from './src/cli/scan/read-source.ts';
import { createSessionScan } from './src/cli/scan/scan-session.ts';
import { sessionOptions, scanSource } from './src/cli/scan/scan-source.ts';
import { LIST_PRICES } from './src/report/list-prices.ts';

const [mode, folder] = process.argv.slice(2) as [string, string];
const files = (readdirSync(folder, { recursive: true }) as string[]).filter((n) => n.endsWith('.jsonl')).map((n) => join(folder, n));
const sinkless = { event() {}, facts() {}, problem() {} };
const nothing = { accept() { return {action:'allow'} }, delivered() {}, get calls() { return n; }, state: { agents: [], open: [] } } as any;
let n = 0;
const run = (mode: string) => {
  for (const path of files) {
    const source = { kind: 'files', path, size: 0 } as const;
    if (mode === 'bare') { for (const l of readFileSync(path, 'utf8').split('\n')) if (l !== '') JSON.parse(l); }
    else if (mode === 'parse') readSource(source, sinkless);
    else if (mode === 'noguard') {
      n = 0;
      const scan = createSessionScan({ makeGuard: () => ({ ...nothing, accept(e: any) { if (e.type === 'tool-call') n++; }, get calls() { return n; } }), prices: LIST_PRICES, redaction: 'outputs' });
      readSource(source, scan.sink); scan.finish(path, 'x');
    } else scanSource(source, options);
  }
};
const options = sessionOptions({ guard: { preset: 'recommended' } as any, prices: LIST_PRICES, redaction: 'outputs' });
const c0 = process.cpuUsage();
const t0 = performance.now();
run(mode);
const c = process.cpuUsage(c0);
console.log(mode.padEnd(8), 'cpu', ((c.user + c.system) / 1e6).toFixed(2), 'wall', ((performance.now() - t0) / 1e3).toFixed(2), 'rss', (process.resourceUsage().maxRSS / 1e3).toFixed(0));
