import { afterEach, describe, expect, it } from 'vitest';
import { presets } from '../../src/index.ts';
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
  say,
  think,
} from './text.ts';

const A = read('a.ts');
const letters: { readonly [letter: string]: Call } = {
  A,
  B: shell('npm test'),
  C: read('c.ts'),
  D: read('d.ts'),
  E: read('e.ts'),
  F: read('f.ts'),
};

/** Parity table 3.6: the first detection = nudge, the next ones = ask, or halt where nobody can answer. */
describe('gemini-cli', () => {
  let session = new Session({ preset: 'gemini-cli' });
  const start = (options: object = {}) => {
    session = new Session({ preset: 'gemini-cli', ...options });
    return session;
  };
  afterEach(() => session.replays());

  const call = (calls: string) => {
    for (const letter of calls) session.call(letters[letter] as Call);
  };
  /** The call at which it first speaks; 0 = never. */
  const firstCall = (calls: string) => {
    start();
    call(calls);
    return session.facts[0]?.call ?? 0;
  };

  it('G01 lets four identical calls pass', () => {
    start();
    call('AAAA');
    expect(session.answers).toEqual([]);
  });

  it('G02 gives feedback at the fifth identical call', () => {
    start();
    call('AAAAA');
    expect(session.facts).toEqual([
      { call: 5, action: 'nudge', level: 'warning', detector: 'call-cycle', tool: 'read_file', count: 5 },
    ]);
  });

  it('G03 it is still the first detection until the feedback has reached the model', () => {
    start();
    call('AAAAAA');
    expect(session.answers).toEqual(['nudge@5', 'nudge@6']);
  });

  it('G04 lets three laps of three calls pass', () => {
    start();
    call('ABCABCABC');
    expect(session.answers).toEqual([]);
  });

  it('G05 a thought in between resets nothing', () => {
    start();
    call('AAAA');
    session.accept(think('Once more.'));
    call('A');
    expect(session.answers).toEqual(['nudge@5']);
  });

  it('G06 says nothing once it is switched off for the session', () => {
    start();
    session.accept({ type: 'control', do: 'disable' });
    call('AAAAA');
    expect(session.answers).toEqual([]);
  });

  it('G07 says nothing more when it is switched off after a detection', () => {
    start();
    call('AAAAA');
    session.accept({ type: 'control', do: 'disable' });
    call('A');
    expect(session.answers).toEqual(['nudge@5']);
  });

  it('G08 says nothing when the configuration switches it off', () => {
    start({ mode: 'off' });
    call('AAAAAAA');
    expect(session.answers).toEqual([]);
  });

  it('G09 sees to and fro at the tenth call', () => {
    expect(firstCall('ABABABABABABABA')).toBe(10);
    expect(session.facts[0]).toMatchObject({ action: 'nudge', detector: 'call-cycle', count: 5 });
  });

  it.each([
    ['ABC', 15],
    ['ABCD', 20],
    ['ABCDE', 25],
    ['ABCDEF', 0],
  ])('G10 sees laps of %s at call %i', (lap, expected) => {
    expect(firstCall(lap.repeat(7))).toBe(expected);
  });

  it('G11 another call breaks the laps', () => {
    expect(firstCall('ABABCABAB')).toBe(0);
  });

  it('G12 the very next matching call after the feedback is the second detection', () => {
    start();
    call('AAAAA');
    session.delivered();
    call('A');
    expect(session.facts.slice(1)).toEqual([
      { call: 6, action: 'ask', level: 'critical', detector: 'call-cycle', tool: 'read_file', count: 6 },
    ]);
  });

  it('G12 halts where nobody can answer', () => {
    start({ attended: false });
    call('AAAAA');
    session.delivered();
    call('A');
    expect(session.answers).toEqual(['nudge@5', 'halt@6']);
  });

  it('G13 text after the feedback is no detection', () => {
    start();
    call('AAAAA');
    session.delivered();
    session.accept(say('I will look at the error first.'));
    expect(session.answers).toEqual(['nudge@5']);
  });

  it('G14 the order of keys makes another call', () => {
    start();
    for (const n of times(10, (index) => index))
      session.call({ tool: 't', args: n % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 } });
    // Two different calls to and fro, not ten times the same one.
    expect(session.facts).toMatchObject([{ call: 10, count: 5 }]);
  });

  it('G15 a new prompt starts everything anew', () => {
    start();
    call('AAAAA');
    session.delivered();
    session.accept({ type: 'user' });
    call('AAAAA');
    expect(session.answers).toEqual(['nudge@5', 'nudge@10']);
  });

  it('GC01 leaves text alone that repeats nothing', () => {
    const pieces = times(1000, (index) => filler(10, index * 7919));
    expect(firstAnswered(start(), pieces)).toBe(0);
  });

  it('GC02 speaks at the tenth time of a chunk of fifty characters', () => {
    expect(hear(start(), Array(11).fill(CHUNK))).toEqual([...Array(9).fill('allow'), 'nudge', 'nudge']);
    expect(session.facts[0]).toEqual({
      call: 0,
      action: 'nudge',
      level: 'warning',
      detector: 'chunk-repeat',
      tool: undefined,
      count: 10,
    });
  });

  it('GC03 leaves a chunk alone that comes back after 500 other characters', () => {
    const pieces = times(10, (index) => [CHUNK, filler(500, index)]).flat();
    expect(firstAnswered(start(), pieces)).toBe(0);
  });

  it('GC04 sees a text that repeats itself within', () => {
    const pattern = 'I am going round in circles now. '.repeat(5).slice(0, 150);
    expect(firstAnswered(start(), Array(12).fill(pattern))).toBe(3);
  });

  it.each([
    [143, BLOCK_143],
    [104, BLOCK_104],
    [75, BLOCK_75],
  ])('GC05 sees a block of %i characters at its tenth time', (length, block) => {
    expect(block).toHaveLength(length);
    expect(firstAnswered(start(), Array(12).fill(block))).toBe(10);
  });

  it('GC06 sees a short phrase at its twelfth time', () => {
    expect(firstAnswered(start(), Array(30).fill('Wait... Let me go '))).toBe(12);
  });

  it('GC07 leaves a list alone whose items begin alike', () => {
    expect(firstAnswered(start(), [LISTING])).toBe(0);
  });

  it('GC08 leaves code alone, and starts anew after it', () => {
    start();
    expect(firstAnswered(session, ['```\n', ...Array(15).fill(CHUNK)])).toBe(0);
    expect(firstAnswered(session, ['\n```\n'])).toBe(0);
    expect(firstAnswered(session, Array(10).fill(CHUNK))).toBe(10);
  });

  it('GC08 the opening of a code block starts the count anew', () => {
    start();
    expect(firstAnswered(session, [...Array(9).fill(CHUNK), '```\nx\n```', CHUNK])).toBe(0);
  });

  it.each(['\n| a | b |\n', '\n* item\n', '\n## heading\n', '\n> quoted\n'])(
    'GC09 %j starts anew',
    (piece) => {
      const pieces = [...Array(9).fill(CHUNK), piece, ...Array(9).fill(CHUNK)];
      expect(firstAnswered(start(), pieces)).toBe(0);
    },
  );

  it.each(['-'.repeat(50), '╭─'.repeat(25)])('GC10 leaves the divider %s alone', (divider) => {
    expect(firstAnswered(start(), Array(15).fill(divider))).toBe(0);
  });

  it('GC11 leaves an empty text alone', () => {
    expect(firstAnswered(start(), Array(15).fill(''))).toBe(0);
  });

  it('GC12 a tool call starts the text anew', () => {
    start();
    expect(firstAnswered(session, Array(9).fill(CHUNK))).toBe(0);
    call('A');
    expect(firstAnswered(session, [CHUNK])).toBe(0);
  });

  it.each(['ABCDE', '01234'])('GC13 quirk: takes %s for a divider', (word) => {
    expect(firstAnswered(start(), Array(30).fill(word.repeat(10)))).toBe(0);
  });

  it('GC13 quirk: does not know the dash of a list', () => {
    expect(firstAnswered(start(), Array(12).fill(`- ${CHUNK}\n`))).toBe(10);
  });

  const turns = (n: number) => {
    for (const _ of times(n, () => session.accept({ type: 'turn' })));
  };
  const verdict = (stuck: number) => session.accept({ type: 'verdict', stuck }).action;
  /** The turns at which a judge was due, as the messages tell. */
  const due = () => session.facts.filter(({ action }) => action === 'observe').length;

  it('GL01 no judge is due for 29 turns', () => {
    start();
    turns(29);
    expect(session.answers).toEqual([]);
  });

  it('GL02 a judge is due at turn 30', () => {
    start();
    turns(30);
    expect(session.facts).toMatchObject([{ action: 'observe', detector: 'verdict', count: 1 }]);
    turns(9);
    expect(due()).toBe(1);
  });

  it('GL03 0.85 makes it due again seven turns later; 0.95 is a loop', () => {
    start();
    turns(30);
    expect(verdict(0.85)).toBe('allow');
    turns(6);
    expect(due()).toBe(1);
    turns(1);
    expect(due()).toBe(2);
    expect(verdict(0.95)).toBe('nudge');
  });

  it('GL04 0.5 is no loop', () => {
    start();
    turns(30);
    expect(verdict(0.5)).toBe('allow');
  });

  it('GL05 0.0 makes it due again fifteen turns later', () => {
    start();
    turns(30);
    verdict(0);
    turns(14);
    expect(due()).toBe(1);
    turns(1);
    expect(due()).toBe(2);
  });

  it('GL06 a judge that fails says nothing, and is due again after the usual ten turns', () => {
    start();
    turns(39);
    expect(due()).toBe(1);
    turns(1);
    expect(session.answers).toEqual(['observe@0', 'observe@0']);
  });

  it('GL07 0.9 is a loop, 0.89 is none and makes it due again six turns later', () => {
    start();
    turns(30);
    expect(verdict(0.9)).toBe('nudge');
    start();
    turns(30);
    expect(verdict(0.89)).toBe('allow');
    turns(5);
    expect(due()).toBe(1);
    turns(1);
    expect(due()).toBe(2);
  });

  it('GL08 one verdict is enough: whether a second model is asked before it is the host to say', () => {
    start();
    turns(30);
    expect(verdict(0.9)).toBe('nudge');
    session.delivered();
    expect(verdict(0.9)).toBe('ask');
  });

  it('a prompt starts the turns anew', () => {
    start();
    turns(29);
    session.accept({ type: 'user' });
    turns(29);
    expect(session.answers).toEqual([]);
  });

  it('is plain data', () => {
    start();
    expect(JSON.parse(JSON.stringify(presets['gemini-cli']))).toEqual(presets['gemini-cli']);
  });
});
