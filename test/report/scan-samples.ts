import type {
  Loop,
  LoopingSession,
  ScanReport,
  Share,
  Spent,
  TimelineCall,
} from '../../src/report/scan-report.ts';

export const UNTOLD: Spent = { calls: 0, input: null, output: null, cachedInput: null, usd: null };
/** Ends every element and attribute, runs scripts, moves the cursor, turns text around and hides some of it. */
export const HOSTILE: string = [
  `"'>--></title></style></pre></table></svg></details>`,
  '<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>',
  '<a href="javascript:alert(4)">[link](javascript:alert(5))</a> javascript:alert(6) https://evil.example/x',
  '<iframe src="https://evil.example"></iframe><style>body{display:none}</style>&lt;b&gt;',
  '\u001B[31mred\u001B[0m\u001B]8;;https://evil.example\u0007\u202Eevil\u2066\u200B\u200D\uFEFF\u0000\u009B2J\uD800',
].join('\n');
const BEGINNING = Date.UTC(2026, 10, 14, 9, 12);

export function spent(calls: number, known: Partial<Spent> = {}): Spent {
  const each = { input: calls * 2_100, output: calls * 140, cachedInput: calls * 18_500, usd: calls * 0.07 };
  return { calls, ...each, ...known };
}

export function loop(own: Partial<Loop> = {}): Loop {
  const { firstCall = 14, lastCall = 75, actedAt = firstCall + 3 } = own;
  return {
    file: '/home/kim/.claude/projects/-home-kim-shop/5b1d.jsonl',
    agent: 'claude-code',
    session: '5b1d',
    model: 'sonnet-9',
    startedAt: '2026-11-14T09:12:00.000Z',
    detector: 'no-progress',
    subject: 'Bash#91c2',
    tool: 'Bash',
    firstCall,
    lastCall,
    calls: lastCall - firstCall + 1,
    actedAt,
    action: 'nudge',
    strongest: 'halt',
    strongestAt: Math.min(lastCall, actedAt + 6),
    message: 'Bash has answered the same 3 times. Change something before you run it again.',
    example: 'npm test -- --run src/basket.test.ts',
    wasted: spent(lastCall - actedAt + 1),
    ...own,
  };
}

export function timelineCall(call: number, own: Partial<TimelineCall> = {}): TimelineCall {
  return {
    call,
    tool: 'Bash',
    label: 'npm test -- --run src/basket.test.ts',
    output: '',
    status: 'ok',
    at: BEGINNING + call * 7_000,
    action: null,
    ...own,
  };
}

/** All calls of a session, with work around the loops and what the guard would have done in them. */
export function looping(
  calls: number,
  loops: readonly Loop[],
  own: Partial<LoopingSession> = {},
): LoopingSession {
  const [{ file, agent, session, model, startedAt } = loop()] = loops;
  const timeline = Array.from({ length: calls }, (_, index) => drawn(index + 1, loops));
  return {
    file,
    agent,
    session,
    model,
    project: '/home/kim/shop',
    startedAt,
    calls,
    spent: spent(calls),
    loops,
    timeline,
    ...own,
  };
}

export function share(name: string, loops: number, calls: number, known: Partial<Spent> = {}): Share {
  return { name, sessions: loops, loops, wasted: spent(calls, known) };
}

/** A report whose sums are those of its sessions and loops. */
export function report(sessions: readonly LoopingSession[], own: Partial<ScanReport> = {}): ScanReport {
  const loops = sessions.flatMap((session) => session.loops);
  const calls = 5_000 + sum(sessions.map((session) => session.calls));
  const silent = loops.filter(({ wasted }) => wasted.input === null).length;
  const unpriced = loops.filter(({ wasted }) => wasted.usd === null).length;
  return {
    sessions: 40 + sessions.length,
    skipped: [],
    loops,
    totals: {
      calls,
      loops: loops.length,
      spent: spent(calls),
      wasted: added(loops),
      unknown: { tokens: silent, usd: unpriced },
    },
    looping: sessions,
    byDay: shares(loops, ({ startedAt }) => startedAt?.slice(0, 10) ?? ''),
    byAgent: shares(loops, ({ agent }) => agent),
    byDetector: shares(loops, ({ detector }) => detector),
    byTool: shares(loops, ({ tool }) => tool ?? ''),
    preset: 'recommended',
    pricesOf: '2026-11-01',
    cancelled: false,
    ...own,
  };
}

/** A week of work: several agents, one that does not tell its tokens, one loop of text only. */
export function weekReport(own: Partial<ScanReport> = {}): ScanReport {
  const sessions = [
    looping(142, [
      loop(),
      loop({ firstCall: 101, lastCall: 118, detector: 'call-cycle', tool: 'Edit', example: 'src/basket.ts' }),
    ]),
    looping(64, [
      loop({
        file: '/home/kim/.codex/sessions/2026/11/12/rollout-77.jsonl',
        agent: 'codex',
        session: '77',
        model: 'codex-mini',
        startedAt: '2026-11-12T22:40:00.000Z',
        firstCall: 22,
        lastCall: 61,
        tool: 'exec_command',
        example: 'cargo build --release 2>&1 | tail -n 20',
        detector: 'same-failure',
        strongest: 'block',
      }),
    ]),
    looping(48, [
      loop({
        file: '/home/kim/.gemini/tmp/chats/session-03.jsonl',
        agent: 'gemini-cli',
        session: '03',
        model: null,
        startedAt: '2026-11-09T07:05:00.000Z',
        firstCall: 30,
        lastCall: 41,
        tool: 'read_file',
        example: 'docs/plan.md',
        wasted: { ...UNTOLD, calls: 9 },
        strongest: 'nudge',
        strongestAt: 33,
      }),
    ]),
    looping(12, [
      loop({
        file: '/home/kim/.pi/agent/sessions/a.jsonl',
        agent: 'pi',
        session: null,
        model: 'haiku-7',
        startedAt: null,
        detector: 'turn-repeat',
        tool: null,
        subject: 'text',
        example: 'I will now look at the file again.',
        firstCall: 9,
        lastCall: 12,
        actedAt: 11,
        wasted: spent(2),
      }),
    ]),
  ];
  return report(sessions, own);
}

/** The worst that transcripts may hold, in every text of a report. */
export function hostileReport(): ScanReport {
  const texts = { file: HOSTILE, agent: HOSTILE, session: HOSTILE, model: HOSTILE, startedAt: HOSTILE };
  const own = loop({
    ...texts,
    detector: HOSTILE,
    subject: HOSTILE,
    tool: HOSTILE,
    message: HOSTILE,
    example: HOSTILE,
  });
  const session = looping(90, [
    own,
    loop({ ...texts, firstCall: 80, lastCall: 90, example: 'x'.repeat(3_000) }),
  ]);
  const timeline = session.timeline.map((call) => ({
    ...call,
    tool: HOSTILE,
    label: HOSTILE,
    output: `${HOSTILE}${call.call}${'y'.repeat(2_000)}`,
    at: call.call % 2 === 0 ? Number.POSITIVE_INFINITY : 9e15,
  }));
  return report([{ ...session, timeline, project: HOSTILE }], {
    skipped: [{ file: HOSTILE, why: HOSTILE }],
    byDay: [share(HOSTILE, 1, 3), share('2026-11-14', 1, 3), share('2026-99-99', 1, 3)],
    preset: HOSTILE,
    pricesOf: HOSTILE,
  });
}

function drawn(call: number, loops: readonly Loop[]): TimelineCall {
  const own = loops.find(({ firstCall, lastCall }) => call >= firstCall && call <= lastCall);
  if (own === undefined) {
    const [tool, label] = WORK[call % WORK.length] as (typeof WORK)[number];
    return timelineCall(call, {
      tool,
      label,
      output: `done ${call}`,
      status: call % 11 === 5 ? 'error' : 'ok',
    });
  }
  const action = call === own.actedAt ? own.action : call === own.strongestAt ? own.strongest : null;
  return timelineCall(call, {
    tool: own.tool ?? 'Bash',
    label: own.example,
    status: call % 3 === 0 ? 'error' : 'ok',
    output: 'FAIL src/basket.test.ts > adds up\nexpected 12 to be 11\n1 failed, 8 passed',
    action,
  });
}

const WORK = [
  ['Read', 'src/basket.ts'],
  ['Grep', 'total\\('],
  ['Edit', 'src/basket.ts'],
  ['Bash', 'git diff --stat'],
] as const;

function shares(loops: readonly Loop[], nameOf: (loop: Loop) => string): readonly Share[] {
  const names = [...new Set(loops.map(nameOf))];
  return names.toSorted().map((name) => {
    const own = loops.filter((candidate) => nameOf(candidate) === name);
    return { name, sessions: own.length, loops: own.length, wasted: added(own) };
  });
}

function added(loops: readonly Loop[]): Spent {
  const of = (key: keyof Spent) => loops.map(({ wasted }) => wasted[key]).filter((value) => value !== null);
  const total = (key: keyof Spent) => (of(key).length === 0 ? null : sum(of(key)));
  return {
    calls: sum(of('calls')),
    input: total('input'),
    output: total('output'),
    cachedInput: total('cachedInput'),
    usd: total('usd'),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
