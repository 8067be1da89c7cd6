import type { Loop, ScanReport, Share, Spent } from './scan-report.ts';

/** What `--json` prints: the keys are a contract, and always in this order; null = unknown. */
export function scanJson(report: ScanReport): object {
  const { sessions, skipped, loops, totals, preset, pricesOf, cancelled } = report;
  return {
    sessions,
    skipped: skipped.map(({ file, why }) => ({ file, why })),
    loops: loops.map(loopJson),
    totals: {
      calls: totals.calls,
      loops: totals.loops,
      wasted: spentJson(totals.wasted),
      spent: spentJson(totals.spent),
      unknown: { tokens: totals.unknown.tokens, usd: totals.unknown.usd },
    },
    byDay: report.byDay.map(shareJson),
    byAgent: report.byAgent.map(shareJson),
    byDetector: report.byDetector.map(shareJson),
    byTool: report.byTool.map(shareJson),
    preset,
    pricesOf,
    cancelled,
  };
}

function loopJson(loop: Loop): object {
  return {
    file: loop.file,
    agent: loop.agent,
    session: loop.session,
    model: loop.model,
    startedAt: loop.startedAt,
    detector: loop.detector,
    subject: loop.subject,
    tool: loop.tool,
    firstCall: loop.firstCall,
    lastCall: loop.lastCall,
    calls: loop.calls,
    actedAt: loop.actedAt,
    action: loop.action,
    wasted: spentJson(loop.wasted),
    strongest: loop.strongest,
    strongestAt: loop.strongestAt,
    message: loop.message,
    example: loop.example,
  };
}

function spentJson({ calls, input, output, cachedInput, usd }: Spent): object {
  return { calls, input, output, cachedInput, usd };
}

function shareJson({ name, sessions, loops, wasted }: Share): object {
  return { name, sessions, loops, wasted: spentJson(wasted) };
}
