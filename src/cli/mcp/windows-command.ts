import { win32 } from 'node:path';
import { UsageError } from '../exit.ts';

/** What a process is started with; `verbatim` = the arguments are quoted as they must be. */
export type Start = { readonly file: string; readonly args: readonly string[]; readonly verbatim: boolean };

export type WindowsPlace = {
  readonly env: { readonly [name: string]: string | undefined };
  isFile(path: string): boolean;
};

const SCRIPT = /\.(?:cmd|bat)$/i;
/** What the command interpreter reads even between quotes. */
const READ_IN_QUOTES = /["\r\n]|%[^%]*%/;

/** Windows starts programs, but no scripts such as `npx.cmd`, nor does it find them by their name: the command interpreter must. */
export function windowsCommand(program: string, args: readonly string[], place: WindowsPlace): Start {
  const script = found(program, place);
  if (script === null || !SCRIPT.test(script)) return { file: program, args, verbatim: false };
  const odd = [script, ...args].find((word) => READ_IN_QUOTES.test(word));
  if (odd !== undefined)
    throw new UsageError(
      `${program} is a script, which cannot be given ${JSON.stringify(odd)}: start the program itself`,
    );
  const line = [script, ...args].map(quoted).join(' ');
  return {
    file: place.env['ComSpec'] ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

/** Where the interpreter would find it: in the folders of the path, with one of the endings that it knows. */
function found(program: string, { env, isFile }: WindowsPlace): string | null {
  const endings = (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';');
  const names = win32.extname(program) === '' ? endings.map((ending) => program + ending) : [program];
  const folders = /[\\/]/.test(program) ? [''] : ['', ...(env['PATH'] ?? env['Path'] ?? '').split(';')];
  const paths = folders.flatMap((folder) => names.map((name) => win32.join(folder, name)));
  return paths.find(isFile) ?? null;
}

/** A backslash before the closing quote would hide it from the program that the script runs. */
function quoted(word: string): string {
  return `"${word.replace(/\\{1,256}$/, '$&$&')}"`;
}
