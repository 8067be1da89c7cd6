import type { Environment } from '../../config/environment.ts';
import type { HookPlace } from './hook-command.ts';
import type { Dialect, HookEntry } from './settings-file.ts';

export type Scope = 'user' | 'project';

export type TargetContext = HookPlace & {
  readonly scope: Scope;
  readonly shadow: boolean;
  readonly home: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly platform: string;
};

/** A file to be merged into, which others write too. */
type Merged = {
  readonly kind: 'merged';
  readonly path: string;
  readonly dialect: Dialect;
  /** What the file needs beside `hooks`. */
  readonly skeleton: { readonly [name: string]: unknown };
  readonly entries: readonly HookEntry[];
};
/** A file of our own. */
type Own = {
  readonly kind: 'own';
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
};

export type Target = Merged | Own;

/** A coding agent as the installer knows it. */
export type Installable = {
  readonly agent: string;
  /** For people. */
  readonly title: string;
  targets(context: TargetContext): readonly Target[];
  /** What a person has to do, or to know, once it is installed. */
  notes(scope: Scope): readonly string[];
  /** What keeps the host from running what is installed. */
  obstacles?(context: TargetContext): readonly string[];
};

/** A note on files of a project. */
export const THIS_MACHINE = 'The file names places of this machine: do not share it with others.';
