import { afterEach, describe, expect, it } from 'vitest';
import { type AgentEvent, type Mode, type Preset, presets, type Rung } from '../../src/index.ts';
import { type Call, read, Session, shell, times } from './session.ts';
import {
  BLOCK_75,
  BLOCK_104,
  BLOCK_143,
  CHUNK,
  filler,
  firstAnswered,
  hear,
  LISTING,
  think,
} from './text.ts';

const shipped = presets['qwen-code'];
const A = read('a.ts');
const B = shell('npm test', 'run_shell_command');
const C = read('c.ts');
const git = (command: string) => shell(command, 'run_shell_command');
const unique = (n: number, from = 0) => times(n, (index) => read(`file ${from + index}`));
const retry: AgentEvent = { type: 'rewind' };

/** The preset with a ladder of its own; detectors without a rung are left out. */
function withLadder(ladder: readonly Rung[]): Preset {
  const used = Object.entries(shipped.detectors).filter(([name]) => ladder.some(({ on }) => on === name));
  return { ...shipped, name: 'qwen-code-variant', detectors: Object.fromEntries(used), ladder };
}

/** One of the rules that upstream has switched off, switched on. */
function optedIn(detector: string): Preset {
  const rungs = shipped.ladder.filter(({ on, action }) => on === detector && action === 'observe');
  return withLadder(rungs.map((rung) => ({ ...rung, action: 'halt' })));
}

/** The cap on calls with other numbers: `soft` needs a call that keeps coming back, `hard` does not. */
function capped(numbers: { readonly soft?: number; readonly hard?: number }): Preset {
  const rungs = shipped.ladder.filter(({ on, action }) => on === 'call-cap' && action === 'ask');
  return withLadder(
    rungs.flatMap((rung) => {
      const cap = rung.where === undefined ? numbers.hard : numbers.soft;
      return cap === undefined ? [] : [{ ...rung, at: cap + 1 }];
    }),
  );
}

/** Parity table 3.7: a halt upstream = ask, which halts where nobody can answer; a directive = nudge. */
describe('qwen-code', () => {
  let session = new Session({ preset: 'qwen-code' });
  const start = (preset: 'qwen-code' | Preset = 'qwen-code', mode: Mode = 'enforce') => {
    session = new Session({ preset, mode });
    return session;
  };
  afterEach(() => session.replays());

  const turn = () => session.accept({ type: 'turn' });
  const done = () => session.accept({ type: 'round-done' });
  const call = (...calls: readonly Call[]) => {
    for (const one of calls) session.before(one);
  };
  /** What was decided, reports left out. */
  const acted = () => session.facts.filter(({ action }) => action !== 'observe');

  it('Q01 asks at the fifth identical call in a row, whatever the order of keys', () => {
    start();
    for (const n of times(5, (index) => index))
      call({ tool: 'edit', args: n % 2 === 0 ? { path: 'a', text: 'b' } : { text: 'b', path: 'a' } });
    expect(session.facts).toEqual([
      { call: 5, action: 'ask', level: 'critical', detector: 'call-streak', tool: 'edit', count: 5 },
    ]);
  });

  it('Q01 halts where nobody can answer', () => {
    session = new Session({ preset: 'qwen-code', attended: false });
    call(...Array(5).fill(A));
    expect(session.answers).toEqual(['halt@5']);
  });

  it('Q02 a retry takes the calls of the failed attempt back', () => {
    start();
    turn();
    call(A, A, A, A);
    session.accept(retry);
    call(A, A, A, A);
    expect(session.answers).toEqual([]);
  });

  it('Q03 says nothing once it is switched off for the session', () => {
    start();
    session.accept({ type: 'control', do: 'disable' });
    call(...Array(7).fill(A));
    expect(session.answers).toEqual([]);
  });

  const LOOKS = [
    'git status --short',
    'git diff --stat && git status --short',
    'git diff --name-only HEAD',
    'git -C . status',
    'git --no-pager diff --stat HEAD~2',
    'git ls-files --modified',
    'git diff main..topic\ngit status',
    'git ls-files --others; git diff',
  ];

  it('Q04 asks at the eighth command in a row that only looks the repository over', () => {
    start();
    call(...LOOKS.map(git));
    expect(session.facts).toMatchObject([
      { call: 8, action: 'ask', detector: 'git-overview', tool: 'run_shell_command', count: 8 },
    ]);
  });

  it('Q05 another call, or a retry, ends the run of looks', () => {
    start();
    call(...LOOKS.slice(0, 7).map(git), A, ...LOOKS.slice(0, 7).map(git));
    expect(acted()).toEqual([]);
    start();
    turn();
    call(...LOOKS.slice(0, 7).map(git));
    session.accept(retry);
    call(...LOOKS.slice(0, 7).map(git));
    expect(acted()).toEqual([]);
  });

  it.each([
    ['a commit', times(8, (n) => `git add f${n} && git status && git commit -m step-${n}`)],
    ['a test', times(8, (n) => `git status && npm test ${n}`)],
    ['no git at all', times(10, (n) => `npm test ${n}`)],
    ['diffs of files after --', [...LOOKS.slice(0, 2), ...times(6, (n) => `git diff -- src/${n}.ts`)]],
    ['diffs of files', [...LOOKS.slice(0, 2), ...times(6, (n) => `git diff src/${n}.ts`)]],
  ])('Q06 leaves commands alone that do more than look: %s', (_name, commands) => {
    start();
    call(...commands.map(git));
    expect(acted()).toEqual([]);
  });

  it('Q07 different calls may go on to the hard cap', () => {
    start(capped({ soft: 10, hard: 100 }));
    call(...unique(101));
    expect(session.facts).toMatchObject([{ call: 101, action: 'ask', detector: 'call-cap', count: 101 }]);
  });

  it('Q07 ships with a hard cap of 1000', () => {
    start();
    call(...unique(1001).map((one, index) => (index % 7 === 0 ? git(`make ${index}`) : one)));
    expect(acted()).toMatchObject([{ call: 1001, action: 'ask', detector: 'call-cap', count: 1001 }]);
  });

  it('Q08 past the soft cap it asks as soon as one call was made six times', () => {
    start(capped({ soft: 10, hard: 100 }));
    call(...unique(11), ...unique(6, 100).flatMap((one) => [A, one]));
    expect(session.facts[0]).toMatchObject({ call: 11 + 11, action: 'ask', detector: 'call-cap' });
  });

  it('Q08 ships with a soft cap of 100', () => {
    start();
    call(...unique(6).flatMap((one) => [A, one]), ...unique(90, 100));
    expect(acted()).toMatchObject([
      { call: 101, action: 'ask', detector: 'call-cap' },
      { call: 102, action: 'ask', detector: 'call-cap' },
    ]);
  });

  it('Q09 an explicit cap is hard; the same number as the soft cap is not', () => {
    start(capped({ hard: 2 }));
    call(...unique(3));
    expect(session.answers).toEqual(['ask@3']);
    start(capped({ soft: 2 }));
    call(...unique(3));
    expect(session.answers).toEqual([]);
  });

  it('Q10 a retry takes its calls back from the cap, finished rounds stay counted', () => {
    start(capped({ hard: 100 }));
    turn();
    call(...unique(6));
    session.accept(retry);
    call(...unique(100, 10));
    expect(session.answers).toEqual([]);
    call(...unique(1, 200));
    expect(session.answers).toEqual(['ask@107']);
    start(capped({ hard: 100 }));
    turn();
    call(...unique(6));
    done();
    turn();
    call(...unique(4, 10));
    session.accept(retry);
    call(...unique(94, 20));
    expect(session.answers).toEqual([]);
    call(...unique(1, 200));
    expect(session.answers).toEqual(['ask@105']);
  });

  it('Q11 a retry takes the sign of being stuck back', () => {
    start(capped({ soft: 20 }));
    turn();
    call(...unique(6).flatMap((one) => [A, one]));
    session.accept(retry);
    call(...unique(25, 100));
    expect(session.answers).toEqual([]);
  });

  it('Q12 no cap, or switched off for the session: nothing', () => {
    start(withLadder(shipped.ladder.filter(({ on }) => on === 'call-streak')));
    call(...unique(1200));
    expect(session.answers).toEqual([]);
    start(capped({ hard: 2 }));
    session.accept({ type: 'control', do: 'disable' });
    call(...unique(9));
    expect(session.answers).toEqual([]);
  });

  it('Q13 the same call six times in a turn', () => {
    start(optedIn('call-cap'));
    call(...unique(6).flatMap((one) => [one, A]));
    expect(session.facts).toMatchObject([{ call: 12, action: 'halt', detector: 'call-cap', count: 12 }]);
    start(optedIn('call-cap'));
    call(...Array(6).fill(A));
    expect(session.answers).toEqual(['halt@6']);
    start(optedIn('call-cap'));
    turn();
    call(A, A, A);
    session.accept(retry);
    call(A, A, A);
    expect(session.answers).toEqual([]);
  });

  it('Q13 as it ships, that is only reported', () => {
    start();
    call(...unique(6).flatMap((one) => [one, A]));
    expect(session.facts.filter(({ detector }) => detector === 'call-cap')).toMatchObject([
      { call: 12, action: 'observe', detector: 'call-cap' },
    ]);
  });

  it('Q14 to and fro three times', () => {
    start(optedIn('alternation'));
    call(A, B, A, B, A, B);
    expect(session.facts).toMatchObject([{ call: 6, action: 'halt', detector: 'alternation', count: 3 }]);
    start(optedIn('alternation'));
    call(...unique(6).flatMap((one, index) => [one, git(`make ${index}`)]));
    expect(session.answers).toEqual([]);
    start(optedIn('alternation'));
    call(A, B, A, B, C, A, B, A, B, A, B);
    expect(session.answers).toEqual(['halt@11']);
    start(optedIn('alternation'));
    call(...Array(9).fill(A));
    expect(session.answers).toEqual([]);
  });

  const tools = (...names: readonly string[]) =>
    call(...names.map((tool, index) => ({ tool, args: { index } })));

  it('Q15 eight readings among the last fifteen calls', () => {
    start(optedIn('read-share'));
    tools('write_file', 'read_file', 'read_many_files', 'list_directory', 'zoom_image');
    tools('read_resource', 'list_projects', 'read_file', 'read_file');
    expect(session.facts).toMatchObject([{ call: 9, action: 'halt', detector: 'read-share', count: 8 }]);
    start(optedIn('read-share'));
    tools(
      'write_file',
      ...['review', 'concat_chunks', 'viewport_set', 'listener_bind'].flatMap((t) => [t, t, t]),
    );
    expect(session.answers).toEqual([]);
  });

  it('Q16 reading is free until something else was done', () => {
    start(optedIn('read-share'));
    tools(...times(20, (index) => (index % 2 === 0 ? 'read_file' : 'list_directory')));
    expect(session.answers).toEqual([]);
    tools('write_file');
    expect(session.facts).toMatchObject([{ call: 21, action: 'halt', detector: 'read-share' }]);
  });

  it('Q17 one tool eight times in a row', () => {
    start(optedIn('tool-streak'));
    tools(...Array(8).fill('search_code'));
    expect(session.facts).toMatchObject([
      { call: 8, action: 'halt', detector: 'tool-streak', tool: 'search_code', count: 8 },
    ]);
    start(optedIn('tool-streak'));
    tools(...Array(5).fill('search_code'), 'write_file', ...Array(5).fill('search_code'));
    expect(session.answers).toEqual([]);
  });

  it('Q18 the same thought three times in a row', () => {
    start(optedIn('thought-streak'));
    const thoughts = (...texts: readonly string[]) => texts.map((text) => session.accept(think(text)).action);
    expect(thoughts('Look again.', ' look again. ', 'Look again.')).toEqual(['allow', 'allow', 'halt']);
    start(optedIn('thought-streak'));
    thoughts('Look again.', 'Look again.', 'Build it.', 'Look again.');
    thoughts('Look again.');
    call(A);
    thoughts('Look again.');
    expect(firstAnswered(session, Array(5).fill('Look again.'))).toBe(0);
    expect(session.answers).toEqual([]);
  });

  const chanting = () => start(optedIn('chunk-repeat'));

  it('Q19 a chunk of fifty characters speaks at its tenth time, not with other text in between', () => {
    expect(firstAnswered(chanting(), Array(12).fill(CHUNK))).toBe(10);
    expect(firstAnswered(chanting(), times(10, (index) => [CHUNK, filler(500, index)]).flat())).toBe(0);
  });

  it('Q19 leaves code alone and starts anew after it', () => {
    chanting();
    expect(firstAnswered(session, ['```\n', ...Array(15).fill(CHUNK), '\n```\n'])).toBe(0);
    expect(firstAnswered(session, Array(10).fill(CHUNK))).toBe(10);
  });

  it.each(['\n| a | b |\n', '\n- item\n', '\n* item\n', '\n+ item\n', '\n## heading\n', '\n> quoted\n'])(
    'Q19 %j starts anew',
    (piece) => {
      const pieces = [...Array(9).fill(CHUNK), piece, ...Array(9).fill(CHUNK)];
      expect(firstAnswered(chanting(), pieces)).toBe(0);
    },
  );

  it.each(['ABCDE', '01234', 'SELEC'])('Q19 hears a chant of %s at the second piece', (word) => {
    expect(hear(chanting(), Array(2).fill(word.repeat(10)))).toEqual(['allow', 'halt']);
  });

  it.each([...'-=*_+─━'])('Q19 leaves the divider %s alone', (character) => {
    expect(firstAnswered(chanting(), Array(15).fill(character.repeat(50)))).toBe(0);
  });

  it.each([
    [143, BLOCK_143, 0],
    [104, BLOCK_104, 0],
    [75, BLOCK_75, 10],
  ])('Q20 a block of %i characters', (_length, block, expected) => {
    expect(firstAnswered(chanting(), Array(30).fill(block))).toBe(expected);
  });

  it('Q20 quirk: a list in one piece whose items begin alike is taken for a chant', () => {
    expect(firstAnswered(chanting(), [LISTING])).toBe(1);
  });

  /** A round of calls that all end in the same way. */
  const round = (...results: readonly [tool: string, status: string, more?: object][]) => {
    turn();
    const ids = times(results.length, () => `${++made}`);
    results.forEach(([tool], index) => {
      session.accept({ type: 'tool-call', id: ids[index], tool, args: { id: ids[index] ?? '' } });
    });
    results.forEach(([, status, more], index) => {
      session.accept({
        type: 'tool-result',
        id: ids[index],
        output: '',
        status,
        ...more,
      } as AgentEvent);
    });
    return done();
  };
  let made = 0;
  const refused = (tool = 'edit', output = 'path is missing') =>
    [tool, 'invalid', { output }] as [string, string, object];

  it('QV01 the same refusal in three rounds', () => {
    start();
    round(refused(), refused(), refused());
    round(refused());
    expect(acted()).toEqual([]);
    round(refused());
    expect(acted()).toEqual([
      { call: 5, action: 'nudge', level: 'warning', detector: 'invalid-rounds', tool: 'edit', count: 3 },
    ]);
  });

  it.each([
    ['a round of another tool', () => round(['write', 'ok'])],
    ['a success of the tool', () => round(['edit', 'ok'])],
    ['another refusal', () => round(refused('edit', 'text is missing'))],
  ])('QV01 %s starts anew', (_name, between) => {
    start();
    round(refused());
    round(refused());
    between();
    round(refused());
    round(refused());
    expect(acted()).toEqual([]);
  });

  it('QV01 counts each tool for itself', () => {
    start();
    round(refused('edit'), refused('write'));
    round(refused('edit'), refused('write'));
    round(refused('edit'), ['write', 'ok']);
    expect(acted()).toMatchObject([{ action: 'nudge', tool: 'edit', count: 3 }]);
  });

  const onCause = { on: 'cause-repeat', at: 8, message: '{tool} {count}' } as const;
  const again = { again: true };
  /** Warns once, then stops; but only warns where an ending was not known. */
  const enforced = withLadder([
    { ...onCause, where: { again: true, sure: true }, strikes: 1, below: 2, action: 'halt' },
    { ...onCause, where: again, below: 1, action: 'nudge' },
  ]);
  const warning = withLadder([{ ...onCause, where: again, below: 1, action: 'nudge' }]);
  const failed = (tool = 'fetch', errorType = 'timeout') =>
    [tool, 'error', { errorType }] as [string, string, object];
  const failures = (n: number) => round(...times(n, () => failed()));
  const heeded = () => session.facts.map(({ action }) => action);

  it('QF01 eight failures in one round are not enough, one more in a second round is', () => {
    start(enforced);
    failures(8);
    expect(heeded()).toEqual([]);
    failures(1);
    expect(session.facts).toMatchObject([
      { action: 'nudge', detector: 'cause-repeat', tool: 'fetch', count: 9 },
    ]);
    start(enforced, 'off');
    failures(8);
    failures(8);
    expect(heeded()).toEqual([]);
  });

  it('QF02 warns at four and four, stops at the next round, then says nothing more', () => {
    start(enforced);
    failures(4);
    failures(4);
    expect(heeded()).toEqual(['nudge']);
    session.delivered();
    failures(1);
    expect(heeded()).toEqual(['nudge', 'halt']);
    failures(1);
    expect(heeded()).toEqual(['nudge', 'halt']);
  });

  it('QF02 a mode that only warns does not stop', () => {
    start(warning);
    failures(4);
    failures(4);
    session.delivered();
    failures(4);
    expect(heeded()).toEqual(['nudge']);
  });

  it('QF03 in shadow it tells what it would have done, once each', () => {
    start(enforced, 'shadow');
    failures(4);
    failures(4);
    failures(1);
    failures(1);
    expect(heeded()).toEqual(['nudge', 'halt']);
  });

  it('QF03 as it ships, it only reports', () => {
    start();
    failures(4);
    failures(4);
    expect(session.facts.filter(({ detector }) => detector === 'cause-repeat')).toMatchObject([
      { action: 'observe', count: 8 },
    ]);
  });

  it.each([
    ['a success of the tool', () => round(['fetch', 'ok'])],
    ['a cancelled call', () => round(['other', 'cancelled'])],
    ['a call that did not start', () => round(['other', 'denied'])],
    ['refused arguments', () => round(failed(), ['other', 'invalid'])],
    ['two causes in one round', () => round(failed(), failed('fetch', 'no-route'))],
    [
      'a call without a result',
      () => {
        turn();
        call(A);
        return done();
      },
    ],
    ['what a person says', () => session.accept({ type: 'user' })],
    ['an ending that is not known', () => round(['other', 'unknown'])],
  ])('QF04 %s starts anew', (_name, between) => {
    start(enforced);
    failures(7);
    between();
    failures(1);
    expect(heeded()).toEqual([]);
    failures(7);
    expect(heeded()).toEqual(['nudge']);
  });

  it('QF05 successes of other tools do not matter, in the same round or in one of their own', () => {
    start(enforced);
    round(failed(), failed(), failed(), failed(), ['read', 'ok']);
    round(['read', 'ok']);
    failures(4);
    expect(heeded()).toEqual(['nudge']);
  });

  it('QF05 the same id again counts once, and another cause is another count', () => {
    start(enforced);
    failures(7);
    turn();
    const call = { type: 'tool-call', id: 'twice', tool: 'fetch', args: {} } as const;
    const ended = {
      type: 'tool-result',
      id: 'twice',
      status: 'error',
      errorType: 'timeout',
      output: '',
    } as const;
    for (const event of [call, call, ended, ended]) session.accept(event);
    done();
    expect(session.facts).toMatchObject([{ action: 'nudge', count: 8 }]);
    start(enforced);
    failures(7);
    round(...times(7, () => failed('fetch', 'no-route')));
    round(failed('fetch', 'no-route'));
    expect(session.facts).toMatchObject([{ action: 'nudge', count: 8 }]);
  });

  it('QF06 after an ending that is not known it warns, but does not stop, for the rest of the session', () => {
    start(enforced);
    round(['fetch', 'unknown']);
    session.accept({ type: 'user' });
    failures(4);
    failures(4);
    session.delivered();
    failures(4);
    expect(heeded()).toEqual(['nudge']);
  });
});
