import { describe, expect, it } from 'vitest';
import { digestText } from '../../src/core/digest-text.ts';
import { readFailure, saidBy, saysFailed } from '../../src/core/failure-reading.ts';
import type { Status, ToolKind } from '../../src/core/types.ts';

const read = (output: string, kind: ToolKind = 'other', status: Status = 'error', tool = 'a_tool') =>
  readFailure(output, status, kind, tool, digestText);
const familyOf = (output: string, tool?: string) => read(output, 'other', 'error', tool).family;

describe('where a failure stands', () => {
  it.each([
    ["a.c:120:5: error: 'x' undeclared", 120],
    ['src/a.ts(7,20): error TS2307: Cannot find module', 7],
    ['  File "a.py", line 14\n    print x\n    ^^^^^\nSyntaxError: Missing parentheses', 14],
    ['Traceback\n  File "a.py", line 14, in <module>\nValueError: no', 0],
    ['ValueError: no\n    at run (a.js:14:3)', 0],
    ['a.c:1: note\n1\n2\n3\n4\nerror: far away', 0],
    ['Error: connect 10.0.0.1:5432', 0],
    ['nothing to see', 0],
  ])('%j: %i', (output, place) => {
    expect(read(output, 'shell').place).toBe(place);
  });
});

describe('how a failed call ended', () => {
  it.each([
    // It never ran, or was stopped.
    ['Sibling tool call errored', 'cancelled'],
    ['[Request interrupted by user for tool use]', 'cancelled'],
    ['The tool call was cancelled.', 'cancelled'],
    ['The operation has been canceled', 'cancelled'],
    ['Aborted by the user', 'cancelled'],
    // A person said no.
    ["The user doesn't want to proceed with this tool use.", 'denied'],
    ['The user did not want this', 'denied'],
    ['Command rejected by user', 'denied'],
    ['User has declined the request', 'denied'],
    ['denied by the user', 'denied'],
    // There is no such tool.
    ['Error: No such tool available: Frobnicate', 'unknown-tool'],
    ['Unknown tool "x"', 'unknown-tool'],
    ['foo is not a valid tool, try one of [bar].', 'unknown-tool'],
    ["Tool 'x' does not exist", 'unknown-tool'],
    [`tool ${'x'.repeat(60)} not found`, 'error'],
    // The arguments do not fit.
    ['InputValidationError: Read failed', 'invalid'],
    ["f() got an unexpected keyword argument 'x'", 'invalid'],
    ["f() missing 1 required positional argument: 'x'", 'invalid'],
    ['Missing required parameter: path', 'invalid'],
    ['Invalid params: x', 'invalid'],
    ['1 validation error for Args', 'invalid'],
    ['Input does not match the schema', 'invalid'],
    // It ran and failed.
    ['File not found: a.txt', 'error'],
    ['Order 17 has been cancelled already', 'error'],
    ["Access denied for user 'root'@'localhost'", 'error'],
    ['permission denied', 'error'],
    ['', 'error'],
  ] as const)('%j: %s', (output, status) => {
    expect(read(output)).toMatchObject({ status, outage: false });
  });

  it('is told at its beginning', () => {
    expect(read(`${'x'.repeat(400)} unknown tool`).status).toBe('unknown-tool');
    expect(read(`${'x'.repeat(480)} unknown tool`).status).toBe('error');
  });

  it.each(['invalid', 'unknown-tool'] as const)('is %s if the host says so', (status) => {
    expect(read('Sibling tool call errored', 'other', status).status).toBe(status);
    expect(read('rate limit exceeded', 'other', status).outage).toBe(false);
  });

  it.each([
    "TypeError: f() missing 1 required positional argument: 'x'",
    'error: invalid argument: --frob',
    'make: tool cmake not found',
    'FAILED test_unknown_tool - unknown tool',
  ])('what a program in a shell prints is its own business: %j', (output) => {
    expect(read(output, 'shell').status).toBe('error');
  });

  it.each([
    ['InputValidationError: Bash failed: command is missing', 'invalid'],
    ['<tool_use_error>InputValidationError: x</tool_use_error>', 'invalid'],
    ['Error: No such tool available: Bash', 'unknown-tool'],
    ["The user doesn't want to proceed", 'denied'],
    ['Sibling tool call errored', 'cancelled'],
  ] as const)('a host may refuse the call of a shell: %j', (output, status) => {
    expect(read(output, 'shell').status).toBe(status);
  });
});

describe('a shell that prints nothing', () => {
  const NOTHING = { status: 'unknown', outage: false, family: 0, place: 0 };

  it.each([
    '',
    '  \n',
    'Exit code 1',
    'exit status 2',
    'Exit code: 1\n',
    'Process exited with code 1',
    'Command exited with status 1.',
    'Error: Exit code 1',
    '[exit code: 1]',
    '(exit 1)',
  ])('has found nothing: %j', (output) => {
    expect(read(output, 'shell')).toEqual(NOTHING);
  });

  it.each(['Exit code 1\nFAIL a.test.ts', 'Exit code 1234', 'not found', `Exit code 1${' '.repeat(40)}`])(
    'is not one that says why it failed: %j',
    (output) => {
      expect(read(output, 'shell').status).toBe('error');
      expect(read(output, 'shell').family).not.toBe(0);
    },
  );

  it('is no other tool', () => {
    expect(read('Exit code 1').status).toBe('error');
    expect(read('').family).not.toBe(0);
  });
});

describe('a service that fails', () => {
  it.each([
    'Error: HTTP 429',
    'Request failed with status code 429',
    'Error 429: slow down',
    '429 Client Error: Too Many Requests for url',
    'rate limit exceeded',
    'rate_limit_error: x failed',
    'Error: you are being rate-limited',
    'overloaded_error',
    'Quota exceeded for the project',
  ])('limits its use, in a shell too: %j', (output) => {
    expect(read(output).outage).toBe(true);
    expect(read(output, 'read').outage).toBe(true);
    expect(read(output, 'shell').outage).toBe(true);
  });

  it.each([
    'HTTP 500',
    'status: 502',
    'Error code 503',
    'Request failed with status code 504',
    'Internal Server Error',
    'Bad Gateway',
    '503 Service Unavailable',
    'Gateway timeout',
    'the service is temporarily unavailable',
    'read ECONNRESET',
    'connect ETIMEDOUT 1.2.3.4',
    'connection reset by peer',
    'network is unreachable',
  ])('is down; in a shell it may be what is tested: %j', (output) => {
    expect(read(output).outage).toBe(true);
    expect(read(output, 'shell').outage).toBe(false);
    expect(read(output, 'shell').status).toBe('error');
  });

  it.each([
    '429 passed, 3 failed',
    'error at a.py:429',
    'File has 500 lines, could not read line 502',
    'the amount of 500 is invalid',
    'ReferenceError: rateLimit is not defined',
    'call of overloaded function is ambiguous: error',
    'HTTP 404',
    'HTTP 501',
    'HTTP 5000',
    'connection refused',
  ])('is not one that answers: %j', (output) => {
    expect(read(output).outage).toBe(false);
    expect(read(output, 'shell').outage).toBe(false);
  });

  it('is no editor, whatever its content says', () => {
    expect(read('rate limit exceeded', 'write').outage).toBe(false);
  });

  it('tells so in the line that tells what is wrong', () => {
    expect(read('ok\nError: HTTP 503\nmore').outage).toBe(true);
    expect(read('Error: no such user\nHTTP 503').outage).toBe(false);
  });
});

describe('the family of a failure', () => {
  it.each([
    ["No such column 'a'", "No such column 'b'"],
    ['No such column "a"', 'No such column "some other"'],
    ['No such column `a`', 'No such column `b`'],
    ['cannot find [Alice]', 'cannot find [Bob]'],
    ['cannot open src/a.ts', 'cannot open /home/x/b.ts'],
    ['cannot open C:\\a\\b.txt', 'cannot open D:\\c.txt'],
    ['row 17 not found', 'row 4711 not found'],
    ["No such column 'one'", "No such column 'another one'"],
    ['No such column `one`', 'No such column `another one`'],
    ['   \nplain', 'plain'],
    ['first line\nError: x', 'another line\nError: x'],
    ['Found nothing here. Could not go on.', 'Looked there. Could not go on.'],
    ['Error: x\nat line one', 'Error: x\nat line two'],
    [`${'x'.repeat(2000)}\nError: y`, `${'z'.repeat(3000)}\nError: y`],
    ['plain one\nsecond', 'plain one\nthird'],
    ['\n\nError: x', 'Error: x\n'],
  ])('is one: %j and %j', (one, other) => {
    expect(familyOf(one)).toBe(familyOf(other));
  });

  it.each([
    ['No such column', 'No such table'],
    ['TypeError: x', 'ValueError: x'],
    ['plain one', 'plain two'],
    ["cannot find 'a' now", 'cannot find  now'],
    ['cannot open /a now', 'cannot open  now'],
    ['row 17 not found', 'row  not found'],
    ["can't a", "can't b"],
    [`Error: ${'a'.repeat(100)} b`, `Error: ${'a'.repeat(100)} c`],
  ])('is another: %j and %j', (one, other) => {
    expect(familyOf(one)).not.toBe(familyOf(other));
  });

  it('is of one tool and one ending', () => {
    expect(familyOf('Error: x', 'one')).not.toBe(familyOf('Error: x', 'two'));
    expect(read('Error: x').family).not.toBe(read('Error: x', 'other', 'invalid').family);
  });

  it('is read up to the 160th character of its line', () => {
    const line = `Error: ${'a'.repeat(160 - 7)}`;
    expect(familyOf(`${line}b`)).toBe(familyOf(`${line}c`));
    expect(familyOf(`${line.slice(1)}b`)).not.toBe(familyOf(`${line.slice(1)}c`));
  });

  it('is found at either end of a long text, not in between', () => {
    const long = (head: string, middle: string, tail: string) =>
      `${head}\n${'-\n'.repeat(600)}${middle}\n${'-\n'.repeat(600)}${tail}`;
    expect(familyOf(long('x', 'y', 'Error: a'))).toBe(familyOf(long('x', 'Error: b', 'Error: a')));
    expect(familyOf(long('x', 'y', 'Error: a'))).not.toBe(familyOf(long('x', 'y', 'Error: b')));
    expect(familyOf(long('x', 'Error: a', 'y'))).toBe(familyOf(long('x', 'Error: b', 'y')));
  });

  it.each(['"', '[', '/', ':', 'a/', '. ', '\n', 'tool ', '1', 'open('])(
    'is found in one go in %j many times over',
    (part) => {
      expect(read(part.repeat(100_000)).family).not.toBe(0);
    },
  );
});

it('looks past what a host writes around the output of a command', () => {
  const printed = (id: string) =>
    `Chunk ID: ${id}\nWall time: 0.05 seconds\nProcess exited with code 1\nOutput:\ntotal is 8`;
  expect(read(printed('38cf0d')).family).toBe(read(printed('a1b2c3')).family);
  expect(read(printed('38cf0d')).family).not.toBe(read('Chunk ID: 38cf0d\nmissing file').family);
});

describe('a result that nobody calls a failure', () => {
  it.each([
    'Error: String to replace not found in file.\nNothing was changed.',
    'Query failed: column "a" does not exist',
    '  exception: invalid API key',
    'Failed: no such account',
    '{"error":"invalid customer","customer":"Anna"}',
    '{ "error": { "code": 7 }, "data": null }',
    '{"content":[{"type":"text","text":"no"}],"isError":true}',
    '{"message":"Unable to update record 7"}',
    'Failed to send message: no such channel',
    'QueryFailedError: column "a" is ambiguous',
    'Traceback (most recent call last):\n  File "a.py", line 1\nNameError: a',
    '{"success": false, "reason": "no"}',
    '{"ok":false}',
    '{"status":"error","message":"API key invalid"}',
    '{"error_message":"API key invalid","status":"error"}',
  ])('is one that says so: %s', (output) => {
    for (const status of ['ok', 'unknown'] as const)
      for (const kind of ['other', 'act', 'write'] as const)
        expect(saysFailed(output, status, kind)).toBe(true);
    // What is looked up may speak of errors, and of what was refused more is known.
    for (const kind of ['read', 'poll', 'step'] as const)
      expect(saysFailed(output, 'unknown', kind)).toBe(false);
    for (const status of ['error', 'denied', 'cancelled'] as const)
      expect(saysFailed(output, status, 'other')).toBe(false);
  });

  it.each([
    'The file has been updated.',
    'Errors: none',
    'Tests failed: 0',
    'Last error: none',
    'The last of three tests failed: see above',
    'error handling was added to main.ts',
    'It could not be better.',
    'Could not find a customer with that email.',
    'Cannot say for sure: two sources tell of 1912, one of 1913.',
    '{"message":"Unable to find any record"}',
    '{"error":null,"rows":3}',
    '{"error":false}',
    '{"errors":[],"warnings":[]}',
    '{"success":true,"isError":false}',
    '{"status":"success","message":"error"}',
    '{"job":"nightly","status":"error","message":"no disk"}',
    '{"message":"no disk","name":"nightly","status":"error"}',
    `${'x'.repeat(400)}\nError: far below`,
  ])('is none that does not: %s', (output) => {
    expect(saysFailed(output, 'unknown', 'other')).toBe(false);
  });

  it.each([
    ['Error: File not found: /app/a.ts', true],
    ['Error: File not found: /app/a.ts\n', true],
    ['Error: File not found\nat line 3', false],
    [`Error: ${'x'.repeat(300)}`, false],
    ['The error: none', false],
    ['OperationalError: no such column: a', true],
    ['Error executing query: permission denied', true],
    ['{"error":"invalid customer"}', true],
    ['{"error":{"code":7},"statusCode":401}', true],
    ['{"content":[{"type":"text","text":"token expired"}],"isError":true}', true],
    ['{"error":"Customer not found"}', false],
    ['{"error":"TypeError: a","release":"1.4"}', false],
    ['{"error":"cut off', false],
    ['{"success":false,"reason":"closed"}', false],
  ])('of a lookup is one if it says that and nothing else: %j', (output, failed) => {
    expect(saysFailed(output, 'ok', 'read')).toBe(failed);
    expect(saysFailed(output, 'error', 'read')).toBe(false);
  });

  it.each([
    ['1 failed\nexit code: 1', true],
    ['Exited with code 137.\n', true],
    ['{"exitCode":1,"stdout":""}', true],
    ['bash: rg: command not found', true],
    ['Command failed: npm test\n1 failed\n', true],
    ['Error: Command failed with exit code 2: npm test\n\n1 failed', true],
    ['Command failed: grep -rn foo src\n', false],
    ['Command failed: grep -rn foo src\n \n', false],
    ['done\nexit code: 0', false],
    ['exit code: 1\nwas what the log said', false],
    ['Error: is what a log begins with', false],
  ])('of a shell ends with its code: %s', (output, expected) => {
    for (const status of ['ok', 'unknown'] as const)
      expect(saysFailed(output, status, 'shell')).toBe(expected);
  });
});

describe('what a command has said', () => {
  const said = 'Command failed: npm test\n1 failed\n';

  it.each(['shell', 'wait', 'poll'] as const)(
    'is all but the command that Node puts before it: %s',
    (kind) => {
      expect(saidBy(said, kind)).toBe('1 failed\n');
      expect(saidBy('ok\nCommand failed: npm test\n', kind)).toBe('ok\nCommand failed: npm test\n');
    },
  );

  it.each(['read', 'write', 'act', 'other'] as const)('is all of it where no command was run: %s', (kind) => {
    expect(saidBy(said, kind)).toBe(said);
  });
});
