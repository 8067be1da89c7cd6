import { describe, expect, it } from 'vitest';
import { windowsCommand } from '../../src/cli/mcp/windows-command.ts';

const files = [
  'C:\\node\\npx.cmd',
  'C:\\node\\npx',
  'C:\\node\\node.exe',
  'C:\\tools\\run.bat',
  'local\\serve.cmd',
];
const place = {
  env: {
    Path: 'C:\\windows;C:\\node;C:\\tools',
    PATHEXT: '.COM;.EXE;.BAT;.CMD',
    ComSpec: 'C:\\windows\\cmd.exe',
  },
  isFile: (path: string) => files.some((file) => file.toLowerCase() === path.toLowerCase()),
};
const start = (program: string, ...args: string[]) => windowsCommand(program, args, place);

describe('on Windows', () => {
  it.each(['node', 'node.exe', 'C:\\node\\node.exe', 'unknown', 'cmd'])(
    '%s is started as it is',
    (program) => {
      expect(start(program, '-y', 'a "b"')).toEqual({
        file: program,
        args: ['-y', 'a "b"'],
        verbatim: false,
      });
    },
  );

  it.each([
    ['npx', 'C:\\node\\npx.CMD'],
    ['npx.cmd', 'C:\\node\\npx.cmd'],
    ['run', 'C:\\tools\\run.BAT'],
    ['./local/serve', 'local\\serve.CMD'],
  ])('%s is a script, which the interpreter runs', (program, script) => {
    expect(start(program, '-y', 'a & b', 'C:\\dir\\')).toEqual({
      file: 'C:\\windows\\cmd.exe',
      args: ['/d', '/s', '/c', `""${script}" "-y" "a & b" "C:\\dir\\\\""`],
      verbatim: true,
    });
  });

  it.each(['a"b', '%PATH%', 'a\nb'])('a script is not given %j', (word) => {
    expect(() => start('npx', word)).toThrow(/npx is a script, which cannot be given/);
  });

  it('a script is given a lone percent sign', () => {
    expect(start('npx', 'http://x/%20').args.at(-1)).toContain('"http://x/%20"');
  });
});
