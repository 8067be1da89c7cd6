import { wordSet } from './word-set.ts';

/** Longer command lines are read up to here. */
const MAX_COMMAND = 20_000;

/** What a command line does: changes the world, lets time pass, looks how something gets on, or none of these. */
type ShellEffect = 'none' | 'change' | 'wait' | 'look';

/** Words before a program that only say how it is run; their options go with them. */
const PREFIXES = /* @__PURE__ */ wordSet(
  'sudo doas env nohup time nice timeout stdbuf command exec xargs npx bunx uvx then do else if while until ! ( {',
);
/** Options of these that take a word of their own. */
const VALUED = /* @__PURE__ */ wordSet('-u -g -k -s -n -C -I -L -P -d');
/** Programs that run another one: `uv run pytest`. */
const RUNNERS = /* @__PURE__ */ wordSet('uv poetry pipenv pdm hatch bundle');
/** Programs that change the world whatever their arguments. */
const CHANGES = /* @__PURE__ */ wordSet(
  'mv cp rm rmdir mkdir touch chmod chown ln tee dd truncate patch unzip rsync kill pkill killall wget black isort edit insert append create apply_patch Set-Content Add-Content Out-File New-Item Remove-Item Copy-Item Move-Item Rename-Item',
);
/** Programs that change the world with these words behind them: options anywhere, other words among the first two. */
const CHANGES_WITH: { readonly [program: string]: ReadonlySet<string> } = /* @__PURE__ */ table({
  git: 'add commit checkout switch reset restore stash merge rebase pull push apply am clean rm mv cherry-pick revert clone init fetch worktree submodule tag config bisect',
  npm: 'i install add ci remove uninstall update link publish',
  pnpm: 'i install add remove update link',
  yarn: 'install add remove upgrade link',
  bun: 'i install add remove update link',
  pip: 'install uninstall',
  pip3: 'install uninstall',
  uv: 'add remove sync install',
  poetry: 'add remove install update',
  conda: 'install remove create update',
  apt: 'install remove update upgrade',
  'apt-get': 'install remove update upgrade',
  apk: 'add del',
  yum: 'install remove',
  dnf: 'install remove',
  brew: 'install uninstall upgrade link',
  gem: 'install uninstall',
  cargo: 'add remove install update fmt fix new init',
  go: 'get mod install generate fmt',
  docker: 'run build rm rmi up down start stop restart pull push',
  kubectl: 'apply delete create edit patch scale restart undo',
  terraform: 'apply destroy import',
  systemctl: 'start stop restart enable disable reload',
  service: 'start stop restart',
  gh: 'create edit merge close comment delete reopen ready review rerun cancel workflow',
  str_replace_editor: 'create str_replace insert undo_edit',
  gofmt: '-w',
  prettier: '--write -w',
  eslint: '--fix',
  biome: '--write --fix',
  ruff: '--fix format',
  find: '-delete',
  make: 'install clean',
  tar: '--extract',
  curl: '-o -O --output -d --data -F --form -T -XPOST -XPUT -XPATCH -XDELETE',
});
/** Programs that change the world with an option of this form. */
const CHANGES_BY: { readonly [program: string]: RegExp } = {
  sed: /^(?:-[nErsz]{0,4}i|--in-place)/,
  perl: /^-[nplaw0]{0,4}i/,
  tar: /^-?[a-zA-Z]{0,6}x[a-zA-Z]{0,6}$/,
  curl: /^(?:POST|PUT|PATCH|DELETE)$/,
};
/** Programs that show how something else is getting on. */
const WATCHES: { readonly [program: string]: ReadonlySet<string> } = /* @__PURE__ */ table({
  gh: 'run checks status',
  glab: 'status',
  kubectl: 'get logs status wait',
  docker: 'ps logs wait inspect',
  systemctl: 'status is-active',
  tail: '-f -F --follow',
});
/** Programs that show how things are at the moment. */
const SHOWS_NOW = /* @__PURE__ */ wordSet(
  'ps pgrep top jobs nvidia-smi squeue qstat dig nslookup host ping pg_isready wc du df free',
);
/** The end of a log is where something is written at the moment. */
const LOG = /\.(?:log|out|err)$/;
/** What stands behind a program that reads from another one. */
const OPTION = /^[-+\d]/;
/** Programs that ask a service, which may not be there. */
const PROBES = /* @__PURE__ */ wordSet('curl http nc telnet redis-cli mysqladmin');
/** Programs that only prepare the one that does the work. */
const SETTING = /* @__PURE__ */ wordSet('cd export source . set pushd popd echo true');
/** What says most about a command line of several commands. */
const RANK: { readonly [Effect in ShellEffect]: number } = { none: 0, change: 1, look: 2, wait: 3 };
/** Programs that check something, and those that do with these words behind them. */
const CHECKS = /* @__PURE__ */ wordSet(
  'pytest jest vitest mocha ava rspec phpunit ctest tox nox tsc eslint biome ruff mypy pyright flake8 pylint golangci-lint staticcheck shellcheck make mise just task gradle gradlew mvn bazel ninja cmake',
);
const CHECKS_WITH: { readonly [program: string]: ReadonlySet<string> } = /* @__PURE__ */ table({
  go: 'test build vet',
  cargo: 'test check build clippy',
  npm: 'test t run',
  pnpm: 'test run lint build typecheck',
  yarn: 'test run lint build',
  bun: 'test run',
  deno: 'test check lint',
  dotnet: 'test build',
  swift: 'test build',
  mix: 'test compile',
  bundle: 'exec',
  playwright: 'test',
  cypress: 'run',
  python: 'unittest',
  python3: 'unittest',
});
/** Programs that, with these words behind them, may go on from where they were: saying something else, they have done something else. */
const STEPS_WITH: { readonly [program: string]: ReadonlySet<string> } = /* @__PURE__ */ table({
  git: 'bisect rebase cherry-pick revert am stash checkout switch pull fetch merge',
  hg: 'bisect rebase graft update pull',
});
/** Programs that only show what is in a file. */
const READS = /* @__PURE__ */ wordSet('cat sed head tail less more bat nl');
/** Programs that look for something. */
const SEARCHES = /* @__PURE__ */ wordSet('grep egrep fgrep rg ag ack find fd locate');
const WAITS = /* @__PURE__ */ wordSet('sleep wait watch inotifywait Start-Sleep');
/** Programs whose next text is a command line. */
const SHELLS = /* @__PURE__ */ wordSet('bash sh zsh dash');
/** Options of `ssh` that take a word of their own. */
const SSH_VALUED = /* @__PURE__ */ wordSet('-b -c -D -e -F -i -J -L -l -m -o -p -R -S -W');
/** Programs that run code; what is written inline may write. */
const RUNS = /* @__PURE__ */ wordSet('python python3 node deno ruby perl php');
const WRITING_CODE =
  /write|open\([^)\n]{0,120},\s{0,4}(?:mode=)?['"][rb]?[>wax]|save|mkdir|rename|unlink|remove|shutil|subprocess|system\(|exec/i;
const GH_WRITES = /^(?:-[fFX]|--field|--raw-field|--method|--input)$/;
const CONTAINERS = /* @__PURE__ */ wordSet('docker podman kubectl docker-compose');
const DATABASES = /* @__PURE__ */ wordSet('sqlite3 psql mysql mariadb');
const WRITING_SQL = /\b(?:insert|update|delete|drop|create|alter|replace|truncate)\b/i;
/** A shell that calls a shell that calls a shell. */
const MAX_DEPTH = 3;

export type Command = {
  readonly effect: ShellEffect;
  /** The first program that does more than prepare. */
  readonly program: string;
  /** It checks something: tests, a build, a linter. */
  readonly checks: boolean;
  /** It may take another step each time. */
  readonly steps: boolean;
  /** It only shows a file. */
  readonly reads: boolean;
  /** It only looks for something. */
  readonly searches: boolean;
  /** It shows how something is at the moment, or asks a service, which may not be there. */
  readonly watches: Watching;
};
export type Watching = 'nothing' | 'now' | 'service';
const LOOK: Command = {
  effect: 'look',
  program: '',
  checks: false,
  steps: false,
  reads: false,
  searches: false,
  watches: 'nothing',
};

/** What a command line does, by its programs and redirections; quoted text is read as shell only where a shell reads it. */
export function readCommand(line: string): Command {
  // An empty command only looks at what is on the screen by now.
  if (line.trim() === '') return LOOK;
  const own = parsed(line.slice(0, MAX_COMMAND));
  const program = own.segments.map(programOf).find((name) => name !== '' && !SETTING.has(name)) ?? '';
  const effect = effectOfLine(own, line, 0);
  const checks = own.segments.some((words) => {
    const name = programOf(words);
    return CHECKS.has(name) || has(CHECKS_WITH, name, words.slice(programIn(words) + 1));
  });
  const steps =
    effect === 'change' &&
    own.segments.some((words) => has(STEPS_WITH, programOf(words), words.slice(programIn(words) + 1)));
  if (effect !== 'none')
    return { effect, program, checks, steps, reads: false, searches: false, watches: 'nothing' };
  return {
    effect,
    program,
    checks,
    steps,
    reads: READS.has(program),
    searches: SEARCHES.has(program),
    watches: watched(program, own.segments),
  };
}

function watched(program: string, segments: Parsed['segments']): Watching {
  // What is read beside it is no look at the moment.
  if (segments.slice(1).some(readsFile)) return 'nothing';
  if (SHOWS_NOW.has(program)) return 'now';
  if (program === 'tail' && segments.some((words) => words.some((word) => LOG.test(word)))) return 'now';
  return PROBES.has(program) ? 'service' : 'nothing';
}

function readsFile(words: readonly string[]): boolean {
  return READS.has(programOf(words)) && words.slice(programIn(words) + 1).some((word) => !OPTION.test(word));
}

function programOf(words: readonly string[]): string {
  return nameOf(words[programIn(words)]);
}

function effectOfLine({ segments, changes, heredoc }: Parsed, line: string, depth: number): ShellEffect {
  let effect: ShellEffect = changes ? 'change' : 'none';
  for (const words of segments) {
    const own = effectOf(words, heredoc, line, depth);
    if (RANK[own] > RANK[effect]) effect = own;
  }
  return effect;
}

function effectOf(words: readonly string[], heredoc: boolean, line: string, depth: number): ShellEffect {
  const first = programIn(words);
  if (first < 0) return 'none';
  const program = nameOf(words[first]);
  const rest = words.slice(first + 1, first + 1 + MAX_WORDS);
  if (WAITS.has(program)) return 'wait';
  if (rest.includes('--watch') || rest.includes('--wait')) return 'look';
  if (CHANGES.has(program) || has(CHANGES_WITH, program, rest)) return 'change';
  if (
    program === 'gh' &&
    rest[0] === 'api' &&
    rest.some((word) => GH_WRITES.test(word)) &&
    !rest.includes('graphql')
  )
    return 'change';
  const form = Object.hasOwn(CHANGES_BY, program) ? CHANGES_BY[program] : undefined;
  if (form !== undefined && rest.some((word) => form.test(word))) return 'change';
  if (has(WATCHES, program, rest) || (rest[0] === 'status' && program !== 'git')) return 'look';
  const flag = rest.findIndex((word) => /^-[a-z]{0,3}[ce]$/.test(word));
  if (SHELLS.has(program)) {
    const own = flag < 0 ? undefined : rest[flag + 1];
    return own === undefined || depth === MAX_DEPTH ? 'none' : effectOfLine(parsed(own), own, depth + 1);
  }
  if (program === 'ssh') {
    const own = behindHost(rest);
    return own === '' || depth === MAX_DEPTH ? 'none' : effectOfLine(parsed(own), own, depth + 1);
  }
  const called = program === 'find' ? rest.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word)) : -1;
  if (called >= 0) return effectOf(rest.slice(called + 1), false, '', depth);
  const inner = CONTAINERS.has(program) ? rest.indexOf('exec') : -1;
  if (inner >= 0) return effectOf(behindContainer(rest, inner + 1), heredoc, line, depth);
  if (DATABASES.has(program)) return WRITING_SQL.test(line) ? 'change' : 'none';
  return RUNS.has(program) && (heredoc || flag >= 0) && WRITING_CODE.test(line) ? 'change' : 'none';
}

/** Where the program stands behind `FOO=1`, `sudo -u bob`, `timeout 60`, `uv run`, `python -m`; -1 = there is none. */
function programIn(words: readonly string[]): number {
  let prefix = '';
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const name = nameOf(word);
    if (PREFIXES.has(name)) prefix = name;
    else if (prefix !== '' && word.startsWith('-')) {
      // It asks where a program is.
      if (prefix === 'command') return -1;
      if (VALUED.has(word)) at += 1;
    } else if (RUNNERS.has(name) && (words[at + 1] === 'run' || words[at + 1] === 'exec')) at += 1;
    else if (RUNS.has(name) && words[at + 1] === '-m') at += 1;
    else if (!ASSIGNMENT.test(word) && !(prefix === 'timeout' && DURATION.test(word))) return at;
  }
  return -1;
}

/** `docker exec -it web rm x`, `kubectl exec pod -- rm x`: the command that is run within. */
function behindContainer(words: readonly string[], from: number): readonly string[] {
  let at = from;
  while (words[at]?.startsWith('-') === true) at += 1;
  at += 1;
  return words.slice(words[at] === '--' ? at + 1 : at);
}

/** `ssh -p 22 web1 'rm x'`: the command line that is run there. */
function behindHost(words: readonly string[]): string {
  let at = 0;
  while (words[at]?.startsWith('-') === true) at += SSH_VALUED.has(words[at] as string) ? 2 : 1;
  return words.slice(at + 1).join(' ');
}

const ASSIGNMENT = /^[A-Za-z_]\w{0,63}=/;
const DURATION = /^[\d.]{1,12}[smhd]?$/;
/** Options before a subcommand that take a word of their own. */
const BEFORE_VALUE = /* @__PURE__ */ wordSet('-C -c -f -n -p');
/** Words of one command that are looked at. */
const MAX_WORDS = 40;

function nameOf(word: string | undefined): string {
  if (word === undefined) return '';
  return word.startsWith(UNKNOWN) ? UNKNOWN : word.slice(word.lastIndexOf('/') + 1);
}

function has(
  table: { readonly [program: string]: ReadonlySet<string> },
  program: string,
  rest: readonly string[],
): boolean {
  const known = Object.hasOwn(table, program) ? table[program] : undefined;
  if (known === undefined) return false;
  const plain = rest.filter(
    (word, index) => !word.startsWith('-') && !BEFORE_VALUE.has(rest[index - 1] ?? ''),
  );
  return (
    plain.slice(0, 2).some((word) => known.has(word)) ||
    rest.some((word) => word.startsWith('-') && known.has(word))
  );
}

type Parsed = {
  readonly segments: readonly (readonly string[])[];
  /** Something is written to a file, or started and left running. */
  readonly changes: boolean;
  readonly heredoc: boolean;
};

/** Stands for what a command in brackets puts there. */
const UNKNOWN = '?';
/** What stands before brackets that put something there. */
const SUBSTITUTES = /* @__PURE__ */ new Set('$<>`');

/** The words of each command, quotes taken away, in one pass. */
function parsed(line: string): Parsed {
  const segments: string[][] = [];
  let words: string[] = [];
  let word = '';
  let quote = '';
  let changes = false;
  let heredoc = false;
  let ending = '';
  /** What stood before each bracket that is open. */
  const brackets: string[] = [];
  const endWord = () => {
    if (word !== '') words.push(word);
    word = '';
  };
  const endSegment = () => {
    endWord();
    if (words.length > 0) segments.push(words);
    words = [];
  };
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    const next = line.charAt(i + 1);
    if (quote !== '') {
      if (char === quote) quote = '';
      else if (char === '\\' && quote === '"') word += line.charAt(++i);
      else word += char;
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '\\') i += 1;
    else if (char === '#' && word === '') i = endOfLine(line, i) - 1;
    else if (char === '<' && next === '<') {
      if (line.charAt(i + 2) === '<') i += 2;
      else {
        heredoc = true;
        ending = HEREDOC.exec(line.slice(i + 2, i + 80))?.[1] ?? '';
        i += 1;
      }
    } else if (char === '>') {
      changes ||= words[0] !== '[[' && writes(line, i);
      endWord();
      while (line.charAt(i + 1) === '>' || line.charAt(i + 1) === '&' || line.charAt(i + 1) === ' ') i += 1;
    } else if (char === '(' && next === '(') i = endOfArithmetic(line, i);
    else if (char === '(' || char === ')' || char === '`') {
      const closes = char === ')' || (char === '`' && brackets.at(-1) === '`');
      endSegment();
      // What follows are arguments of a program that was told before.
      if (closes && SUBSTITUTES.has(brackets.pop() ?? '')) word = UNKNOWN;
      else if (!closes) brackets.push(char === '(' ? line.charAt(i - 1) : char);
    } else if (char === '\n') {
      endSegment();
      if (ending !== '') i = endOfHeredoc(line, i, ending);
      ending = '';
    } else if (char === ';' || char === '&' || char === '|') {
      changes ||= char === '&' && isBackground(line, i) && !WAITS.has(words[0] ?? word);
      endSegment();
    } else if (char === ' ' || char === '\t') endWord();
    else word += char;
  }
  endSegment();
  return { segments, changes, heredoc };
}

const HEREDOC = /^-?\s{0,4}\\?["']?([^\s"'<>|;&()]{1,60})/;

/** Its text is no shell: where the line ends that closes it. */
function endOfHeredoc(line: string, at: number, ending: string): number {
  for (let start = at + 1; start < line.length; ) {
    const end = endOfLine(line, start);
    if (line.slice(start, end).trim() === ending) return end - 1;
    start = end + 1;
  }
  return line.length;
}

function endOfLine(line: string, at: number): number {
  const end = line.indexOf('\n', at);
  return end < 0 ? line.length : end;
}

/** `((a > b))` compares; without its end it is two brackets. */
function endOfArithmetic(line: string, at: number): number {
  const end = line.slice(at, at + 200).indexOf('))');
  return end < 0 ? at : at + end + 1;
}

/** `server &`, not `a && b`, `a &> b` or `a <&3`. */
function isBackground(line: string, at: number): boolean {
  const before = line.charAt(at - 1);
  const next = line.charAt(at + 1);
  return next !== '&' && next !== '>' && before !== '&' && before !== '<' && before !== '|';
}

/** Whether the redirection here goes to a file: not to nowhere, not to another stream, and not one of errors alone. */
function writes(line: string, at: number): boolean {
  const before = line.charAt(at - 1);
  if (before === '-' || before === '=' || before === '<') return false;
  // A number of its own names the stream: `2>`.
  if (before >= '0' && before <= '9' && before !== '1' && /^\s?$/.test(line.charAt(at - 2))) return false;
  let next = at + 1;
  if (line.charAt(next) === '>') next += 1;
  while (line.charAt(next) === ' ') next += 1;
  if (line.charAt(next) === '&' || line.charAt(next) === '(') return false;
  return !NOWHERE.some((place) => line.startsWith(place, next));
}

const NOWHERE = ['/dev/', '$null', 'NUL'];

function table(source: { readonly [program: string]: string }): { [program: string]: ReadonlySet<string> } {
  return Object.fromEntries(
    Object.entries(source).map(([program, words]) => [program, new Set(words.split(' '))]),
  );
}
