import type { StatusRow, SwarmStatus } from '../../swarm/swarm-status.ts';
import type { Colors } from '../terminal.ts';
import { counted, printable, shortened } from '../text.ts';

const KEY_WIDTH = 28;
const MILLION = 1_000_000;

/** A swarm for people. */
export function statusText(swarm: string, status: SwarmStatus, width: number, colors: Colors): string {
  const { calls, tokens, money, active, agents, control, records, wasted } = status;
  const { bold, red, dim } = colors;
  const lines = [
    `${bold(printable(swarm))}  ${active} active of ${counted(agents, 'worker')}, ${counted(calls, 'call')}, ${counted(tokens, 'token')}${money > 0 ? `, ${(money / MILLION).toFixed(2)} spent` : ''}`,
  ];
  if (control.halted)
    lines.push(
      red(
        `  HALTED by ${printable(control.by)}: ${printable(control.why)} (${new Date(control.at).toISOString()})`,
      ),
    );
  lines.push(
    dim(
      `  in the last ${Math.round(status.windowMs / 60_000)} minutes: ${counted(records, 'record')}, ${counted(wasted, 'wasted failure')}`,
    ),
  );
  for (const [title, rows, what] of [
    ['dead ends', status.deadEnds, 'wasted'],
    ['errors', status.errors, 'calls'],
    ['handoffs', status.handoffs, 'calls'],
    ['children', status.parents, 'calls'],
  ] as const) {
    if (rows.length === 0) continue;
    lines.push(`  ${title}`);
    for (const row of rows) lines.push(shortened(rowText(row, row[what]), width));
  }
  return `${lines.join('\n')}\n`;
}

function rowText({ key, workers, failures, first, names }: StatusRow, count: number): string {
  const failed = failures > 0 ? `, failed ${failures}` : '';
  const who = `${counted(workers, 'worker')}; first ${printable(first)}, lately ${names.map(printable).join(', ')}`;
  return `    ${String(count).padStart(6)}  ${printable(key).padEnd(KEY_WIDTH)}  ${who}${failed}`;
}

/** A swarm for a monitoring system, in the text format that Prometheus reads. */
export function metricsText(tenant: string, all: readonly (readonly [string, SwarmStatus])[]): string {
  const families: readonly (readonly [string, string, string, (status: SwarmStatus) => number])[] = [
    ['calls_total', 'counter', 'Tool calls of the swarm.', ({ calls }) => calls],
    ['tokens_total', 'counter', 'Tokens of the swarm.', ({ tokens }) => tokens],
    ['money_total', 'counter', 'Money of the swarm, in millionths.', ({ money }) => money],
    ['active_workers', 'gauge', 'Workers that were active within the window.', ({ active }) => active],
    ['workers', 'gauge', 'Workers that are remembered.', ({ agents }) => agents],
    ['records', 'gauge', 'Calls, errors, pairs and parents that are remembered.', ({ records }) => records],
    [
      'wasted_failures',
      'gauge',
      'Failures within the window that were known already.',
      ({ wasted }) => wasted,
    ],
    [
      'dead_ends',
      'gauge',
      'Calls with wasted failures within the window.',
      ({ deadEnds }) => deadEnds.length,
    ],
    ['halted', 'gauge', '1 when the swarm is stopped.', ({ control }) => (control.halted ? 1 : 0)],
  ];
  return families
    .map(([name, type, about, of]) => {
      const full = `deloop_swarm_${name}`;
      const rows = all.map(
        ([swarm, status]) => `${full}{tenant="${label(tenant)}",swarm="${label(swarm)}"} ${of(status)}\n`,
      );
      return `# HELP ${full} ${about}\n# TYPE ${full} ${type}\n${rows.join('')}`;
    })
    .join('');
}

function label(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
