import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish, startDigest } from '../../src/core/digest.ts';
import { digestText } from '../../src/core/digest-text.ts';
import { digestNormalised, normalised } from '../../src/core/normalise.ts';

/** The masked text, with a sign that can be read where something was masked. */
const seen = (text: string) => normalised(text, digestText).replaceAll('\u0001', '¤');
const digestOf = (text: string) => {
  const digest = startDigest(digestText);
  digestNormalised(digest, text);
  return finish(digest);
};

describe('what changes on every run is masked', () => {
  it.each([
    // Times and dates.
    ['12:34', '¤'],
    ['9:05', '¤'],
    ['at 12:34:56 sharp', 'at ¤ sharp'],
    ['12:34:56.789', '¤'],
    ['12:34:56,789', '¤'],
    ['12:34:56Z', '¤'],
    ['12:34:56+02', '¤'],
    ['12:34:56-02:00', '¤'],
    ['2026-05-15', '¤'],
    ['2026-05-15 is a Friday', '¤ is a Friday'],
    ['2026-05-15T05:53:41Z', '¤'],
    ['2026-05-15T05:53:41.123+02:00', '¤'],
    ['[2026-05-15 05:53:41,123] INFO', '[¤] INFO'],
    ['2026-05-15 05 files', '¤ 05 files'],
    ['backup-20260515T055341Z', 'backup-¤'],
    ['backup-20260515T055341', 'backup-¤'],
    ['May 15 10:00', 'May ¤ ¤'],
    ['1715752421', '¤'],
    ['1715752421.123456', '¤'],
    // Durations.
    ['12ms', '¤'],
    ['1m23s', '¤'],
    ['1h2m3s', '¤'],
    ['3mins', '¤'],
    ['took 1.23s', 'took ¤'],
    ['in 1.2 s', 'in ¤'],
    ['(0.34 seconds)', '(¤)'],
    ['5 Minutes ago', '¤ ago'],
    ['12.5µs', '¤'],
    ['12.5 μs', '¤'],
    ['1.5h', '¤'],
    ['2 days', '¤'],
    ['took 0.0341', 'took ¤'],
    ['Elapsed: 12.75', 'Elapsed: ¤'],
    ['time=0.25', 'time=¤'],
    ['# duration_ms 45.211', '# duration_ms ¤'],
    ['# duration_ms 45', '# duration_ms ¤'],
    ['{"duration_ms":45}', '{"duration_ms":¤}'],
    // Ids, hashes, addresses.
    ['550e8400-e29b-41d4-a716-446655440000', '¤'],
    ['12345678-1234-1234-1234-123456789012 x', '¤ x'],
    ['id=A50E8400-E29B-41D4-A716-446655440000;', 'id=¤;'],
    ['commit 4f3a9c1', 'commit ¤'],
    ['abcdef1', '¤'],
    ['sha256:0123456789abcdef', 'sha256:¤'],
    ['req_011CXyz8fGh2KlMn4pQr', 'req_¤'],
    ['at 0x7ffd', 'at ¤'],
    ['0XDEADBEEF', '¤'],
    // Places and processes.
    ['pid 1234', 'pid ¤'],
    ['PID=1234', 'PID=¤'],
    ['Process Group PGID: 52', 'Process Group PGID: ¤'],
    ['Chunk ID: 38cf0d', 'Chunk ID: ¤'],
    ['Chunk ID: 123456', 'Chunk ID: ¤'],
    ['process: 77', 'process: ¤'],
    ['job #4', 'job #¤'],
    ['"pid": 77', '"pid": ¤'],
    ['line 12, column 5', 'line ¤, column ¤'],
    ['File "a.py", line 12, in f', 'File "a.py", line ¤, in f'],
    ['main.go:12', 'main.go:¤'],
    ['src/main.rs:12:5: error', 'src/main.rs:¤:¤: error'],
    ['a.test.ts:3:45', 'a.test.ts:¤:¤'],
    ['src/a.ts(12,5): error TS2304', 'src/a.ts(¤,¤): error TS2304'],
    // Temporary paths.
    ['open /tmp/tmpabc/x.py', 'open /¤/x.py'],
    ['/tmp/run-17', '/¤'],
    ['"/tmp/a1":', '"/¤":'],
    ['/var/folders/xy/zz/T/file.txt', '/¤'],
    ["in '/var/folders/a/b' now", "in '/¤' now"],
    ['/private/tmp/pytest-4/x', '/private/¤/x'],
    // The numbers of elements on a page.
    ['[a1099] link "Home"', '[¤] link "Home"'],
    ['- button "Send" [ref=s12e3] [cursor=pointer]', '- button "Send" [¤] [cursor=pointer]'],
    ['uid=1_17 button "Send"', 'uid=¤ button "Send"'],
    ['[1534] button', '[¤] button'],
    // Bars and rules, as long as they may be.
    ['===== PASS =====', '= PASS ='],
    ['----', '-'],
    ['....F', '.F'],
    ['████', '█'],
  ])('%j is %j', (text, expected) => {
    expect(seen(text)).toBe(expected);
  });
});

describe('what tells how things stand stays', () => {
  it.each([
    // Counts: one that falls is progress.
    '3 failed, 41 passed',
    'failed:3',
    'errors: 3',
    'passed=3',
    '{"failed":3,"total":12}',
    'Tests 12',
    'lines 120',
    'Found 2 errors in 3 files',
    'step 3/10',
    'Attempt 3 of 5',
    'this time 3 failed',
    'took 3 attempts',
    '1234567',
    '123456789',
    '10 files',
    '10:3',
    'score 7:123',
    // Shares: a build that gets on.
    '45%',
    '45.5 %',
    // Values.
    '0.8333333333333334',
    'loss 0.693147180559945',
    '-1.5',
    '1e5',
    // Versions, sizes, prices, ports.
    'v1.2.3',
    'node 20.19.1',
    '4.0K',
    '12K',
    '512M',
    '1.5M',
    '5 M',
    '1.5G',
    '10 MB',
    '$19.99',
    '1,299.00 USD',
    'port 8080',
    'localhost:8080',
    'http://127.0.0.1:3000/x',
    ':8080',
    // Names and codes.
    'exit code 1',
    'HTTP 404',
    'error TS2345',
    'E0382',
    'foo123',
    'utf8',
    'line12',
    '3rd',
    'deadbeef',
    'facade',
    'TestHTTP2ServerHandlesReset',
    'testParsesUtf8HeadersWhenContentTypeIsMissing',
    'call_abc123',
    '5 sx',
    '5 millennia',
    '2024-1-5',
    '2026-05',
    '0y12',
    // Brackets and paths that are no noise.
    '[12] Text',
    '[12]link',
    '[ref=next]',
    '[ref=e3',
    'uid=1000(root)',
    "page.getByRole('link').nth(3).click()",
    'rows.slice(2,5)',
    '[abc] link',
    '[] link',
    '[123456789] link',
    '[ERROR] x',
    '/tmp/foo',
    '/tmp/project/src',
    '/var/log/x',
    '/top/x1',
    '[[[[',
    '---',
    'hmmmm',
    'Ünïcödé 日本語',
  ])('%j', (text) => {
    expect(seen(text)).toBe(text);
  });

  it('the marker of a text that was cut, for it tells one text from another', () => {
    expect(seen('took 5s [cut 0123abcd4567]')).toBe('took ¤ [cut 0123abcd4567]');
    expect(seen('took 5s [cut 0123abcd]\n')).toBe('took ¤ [cut 0123abcd]\n');
    expect(seen('[cut 0123abcd] x')).toBe('[cut ¤] x');
    expect(seen('[cut short]')).toBe('[cut short]');
    expect(seen('/tmp/build-1[cut 0123abcd]')).toBe('/¤[cut 0123abcd]');
    expect(seen(`[cut ${'a1'.repeat(33)}]`)).toBe('[cut ¤]');
  });
});

describe('at the edges', () => {
  it.each([
    // What follows a mask is judged by itself.
    ['kept 550e8400-e29b-41d4-a716-446655440000abc1', 'kept ¤abc1'],
    ['kept 12:34:56Z9', 'kept ¤9'],
    // An id is whole, or it is none.
    ['12345678-1234', '12345678-1234'],
    ['12345678-1234-1234-1234-12345', '12345678-1234-1234-1234-12345'],
    ['1234567-1234-1234-1234-123456789012', '1234567-1234-1234-1234-¤'],
    ['abcdefgh1jklmnop2rst', '¤'],
    ['abcdefgh1jklmnop2rs', 'abcdefgh1jklmnop2rs'],
    ['abcdefghij12klmnopqr', 'abcdefghij12klmnopqr'],
    ['abcdef', 'abcdef'],
    ['abcde1', 'abcde1'],
    ['1x5', '1x5'],
    // Dates and times.
    ['2026-05-1', '2026-05-1'],
    ['2026-055-15', '2026-055-15'],
    ['2026-05x15', '2026-05x15'],
    ['2026-05-155', '2026-05-155'],
    ['2026-05-15,10 x', '¤,10 x'],
    ['2026-05-15T5 x', '¤T5 x'],
    ['20260515x', '20260515x'],
    ['2026T0515055341Z', '2026T0515055341Z'],
    ['12:34 5', '¤ 5'],
    ['12:34+x', '¤+x'],
    ['12:34:x', '¤:x'],
    ['12:34.x', '¤.x'],
    ['123:45', '123:45'],
    ['12:3', '12:3'],
    ['5 µm', '5 µm'],
    ['999999999', '999999999'],
    ['9999999999', '¤'],
    // Words before a number.
    ['"execution_count": 12', '"execution_count": ¤'],
    ['"count": 12', '"count": 12'],
    ['line   12', 'line   ¤'],
    ['line    12', 'line    12'],
    ['xline 12', 'xline 12'],
    ['aaaaaaaaaaaaline 12', 'aaaaaaaaaaaaline 12'],
    ['( 12', '( 12'],
    // Endings of files.
    ['a.abcde:12', 'a.abcde:¤'],
    ['a.abcdef:12', 'a.abcdef:12'],
    ['a.:12', 'a.:12'],
    ['a.go 12:5', 'a.go 12:5'],
    ['a.go:1,x', 'a.go:¤,x'],
    ['x(3,5)', 'x(3,5)'],
    // Elements.
    ['[1] a', '[¤] a'],
    ['[1] z', '[¤] z'],
    ['[1] {', '[1] {'],
    ['[1) link', '[1) link'],
    ['[12345678] link', '[¤] link'],
    // Paths.
    ['`/tmp/a1`x', '`/¤`x'],
    ['/tmp/a1:x', '/¤:x'],
    // Bars.
    ['=x==', '=x=='],
    ['==x=', '==x='],
    ['===x', '===x'],
    ['====x', '=x'],
  ])('%j is %j', (text, expected) => {
    expect(seen(text)).toBe(expected);
  });
});

describe('a terminal', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b[1;32m✓\u001b[39m', '✓'],
    ['\u001b[2Kdone', 'done'],
    ['\u001b]0;a title\u0007x', 'x'],
    ['\u001b]8;;https://a.b\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b(Bplain', 'plain'],
    ['\u001bcx', 'x'],
    // A unit in a colour of its own belongs to its number all the same.
    ['\u001b[32m 12\u001b[2mms\u001b[22m', ' ¤'],
    // What is not finished takes nothing with it.
    ['\u001b]0;no end\nkept', '\nkept'],
    ['\u001b]0;no end\u001b[1mkept', 'kept'],
    ['\u001b[31\nkept', '\nkept'],
    ['\u001b\nkept', '\nkept'],
    ['kept\u001b', 'kept'],
    ['kept\u001b[', 'kept'],
    ['kept\u001b]', 'kept'],
  ])('shows no colours: %j', (text, expected) => {
    expect(seen(text)).toBe(expected);
  });

  it.each([
    ['10%\r50%\r100%\ndone', '100%\ndone'],
    ['\rlast', 'last'],
    ['last\r', 'last'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['a\r\r\nb', 'a\nb'],
    ['first\nlong\rshort', 'first\nshort'],
    ['\r\r\r', ''],
    ['a\n\r\nb', 'a\n\nb'],
  ])('shows a line as it was written last: %j', (text, expected) => {
    expect(seen(text)).toBe(expected);
  });
});

describe('a long text', () => {
  const body = (middle: string) =>
    `started 12:34\n${'a line of some length\n'.repeat(250)}${middle}\n${'a line of some length\n'.repeat(250)}took 5s`;

  it('is masked at both ends', () => {
    expect(seen(body('same'))).toBe(seen(body('same').replace('12:34', '9:07').replace('5s', '17s')));
    expect(seen(body('same')).startsWith('started ¤\n')).toBe(true);
    expect(seen(body('same')).endsWith('took ¤')).toBe(true);
  });

  it('is compared by its bytes in between', () => {
    expect(seen(body('one'))).not.toBe(seen(body('two')));
    expect(seen(body('12:34'))).not.toBe(seen(body('12:35')));
  });

  it('is read whole up to 8192 characters', () => {
    const at = (size: number) => `${'x'.repeat(size - 12)} 12:34 ${'y'.repeat(5)}`;
    expect(seen(at(8192))).toContain(' ¤ y');
    const middle = (time: string) => `${'x'.repeat(5000)} ${time} ${'y'.repeat(8193 - 5007)}`;
    expect(middle('12:34')).toHaveLength(8193);
    expect(seen(middle('12:34'))).toBe(seen(middle('12:35')));
    const deep = (time: string) => `${'x'.repeat(5000)} ${time} ${'y'.repeat(5000)}`;
    expect(seen(deep('12:34'))).not.toBe(seen(deep('12:35')));
  });

  it('is cut between lines', () => {
    const one = `${'a 12:34 b\n'.repeat(1000)}`;
    expect(seen(one).startsWith('a ¤ b\n'.repeat(409))).toBe(true);
    expect(seen(one).endsWith('a ¤ b\n'.repeat(409))).toBe(true);
  });

  it('without lines is cut where it must be', () => {
    const text = `12:34 ${'x'.repeat(20_000)} 12:34`;
    expect(seen(text).startsWith(`¤ ${'x'.repeat(4090)}`)).toBe(true);
    expect(seen(text).endsWith(`${'x'.repeat(4090)} ¤`)).toBe(true);
    expect(seen(text).length).toBeLessThan(8300);
  });

  it('asks for one digest of the middle, and for none where there is no middle', () => {
    const read: string[] = [];
    const spy = (text: string) => {
      read.push(text);
      return digestText(text);
    };
    normalised('x\n'.repeat(4096), spy);
    expect(read).toEqual([]);
    normalised('x\n'.repeat(10_000), spy);
    expect(read).toHaveLength(1);
    expect((read[0] as string).length).toBe(20_000 - 4096 - 4094);
  });
});

describe('as a law', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom(
        ...'0123456789abfxzTZ:.,-+%/[]()#= "\'`\\~\n\r\t\u0000\u0001\u0007\u001b\u00b5sm',
        '/tmp/',
        'line ',
        'a.go:',
        '[cut ',
        '\ud800',
      ),
      maxLength: 400,
    }),
  );

  it('never throws, is the same twice over, and never grows', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = normalised(text, digestText);
        expect(normalised(text, digestText)).toBe(once);
        expect(once.length).toBeLessThanOrEqual(text.length);
        expect(digestOf(text)).toBe(digestOf(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is what is digested', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const same = normalised(one, digestText) === normalised(other, digestText);
        expect(digestOf(one) === digestOf(other)).toBe(same);
      }),
    );
  });

  it('changes nothing that has no digit, bracket, path, bar or escape', () => {
    const words = fc.string({ unit: fc.constantFrom(...'abc xyz,;!?\n\täé'), maxLength: 200 });
    fc.assert(
      fc.property(
        words.filter((text) => !/([^\w\s])\1{3}/.test(text)),
        (text) => {
          expect(normalised(text, digestText)).toBe(text);
        },
      ),
    );
  });

  it('takes no picture that is written in letters for an id', () => {
    const word = (size: number) => `x${'a1b2c3d4'.repeat(size)}`.slice(0, size);
    expect([20, 128].map((size) => seen(`id ${word(size)}`))).toEqual(['id ¤', 'id ¤']);
    expect(seen(`data ${word(129)}`)).toBe(`data ${word(129)}`);
  });

  it('masks once and for all, colours and bars aside', () => {
    const unit = fc.constantFrom(...'0123456789abfT:.- [](),s%/\n', 'line ', 'a.go:', '12:34', 'tmp');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 120 }), (text) => {
        if (/([^\w\s])\1{3}/.test(text)) return;
        const once = normalised(text, digestText);
        expect(normalised(once, digestText)).toBe(once);
      }),
    );
  });

  it.each([
    ['many returns', '1:11\r'],
    ['many escapes', '\u001b'],
    ['many colours', '\u001b[31m1'],
    ['titles without end', '\u001b]'],
    ['many digits', '9'],
    ['many pairs', '1:'],
    ['fractions', '1.'],
    ['words with digits', 'a1'],
    ['places', 'line 1 '],
    ['files', 'a.b:1'],
    ['slashes', '/tmp/1'],
    ['folders', '/var/folders/'],
    ['brackets', '[1'],
    ['rules', '='],
    ['dashes', '12345678-'],
    ['ids that run on', '550e8400-e29b-41d4-a716-446655440000abc1'],
    ['clocks that run on', '12:34:56.7a1Z9'],
  ])('%s leave a text within its bounds', (_, part) => {
    for (const size of [1, 100, 8192, 50_000]) {
      const text = part.repeat(Math.ceil(size / part.length));
      expect(normalised(text, digestText).length).toBeLessThanOrEqual(Math.min(text.length + 12, 8300));
      expect(digestOf(text)).toBe(digestOf(text));
    }
  });

  it('leaves nothing of one text for the next', () => {
    const before = seen('a short one 12:34');
    seen('z'.repeat(9000));
    expect(seen('a short one 12:34')).toBe(before);
    expect(seen('')).toBe('');
  });
});
