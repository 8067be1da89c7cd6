import { fieldOf, fieldsOf, parsedArgs } from './arguments.ts';
import { changesBySql } from './sql-statement.ts';
import type { Json, ToolKind } from './types.ts';

/**
 * One table of names for all hosts: what tools with these names do. A name is cut into its words (`TodoWrite`,
 * `mcp__files__read_file`, `browser.scroll-down`). The whole name wins, then its first and last word together, then
 * `idle`, `poll` and `shell` anywhere in it, then two words side by side, its first word, its last, and any other. `status`
 * counts at either end only.
 */
export const TOOL_NAMES: { readonly [Kind in Exclude<ToolKind, 'other'>]: readonly string[] } = {
  idle: [
    'think',
    'thinking',
    'thought',
    'sequentialthinking',
    'todo',
    'todos',
    'todowrite',
    'todoread',
    'update plan',
    'exit plan',
    'enter plan',
    'report intent',
    'task create',
    'task update',
    'task list',
    'task tracker',
  ],
  poll: [
    'poll',
    'status',
    'bash output',
    'task output',
    'agent output',
    'read bash',
    'read agent',
    'read output',
    'read terminal',
    'terminal output',
    'shell output',
    'command output',
    'last command',
    'get output',
    'get result',
    'list agents',
    'list bash',
    'list shells',
    'check status',
    'check new',
    'check inbox',
    'check mail',
    'check email',
    'check messages',
    'check notifications',
    'write stdin',
    'write bash',
  ],
  shell: [
    'bash',
    'shell',
    'terminal',
    'exec',
    'powershell',
    'exec command',
    'run command',
    'execute command',
    'run commands',
    'execute commands',
    'run terminal cmd',
    'execute bash',
    'cmd',
  ],
  wait: ['wait', 'sleep', 'await', 'pause'],
  step: [
    'screenshot',
    'snapshot',
    'take screenshot',
    'scroll',
    'swipe',
    'press',
    'keypress',
    'key',
    'keys',
    'hotkey',
    'next',
    'previous',
    'step',
    'pagedown',
    'pageup',
    'page down',
    'page up',
    'scroll down',
    'scroll up',
  ],
  read: [
    'read',
    'view',
    'open',
    'cat',
    'get',
    'list',
    'ls',
    'glob',
    'grep',
    'search',
    'websearch',
    'find',
    'fetch',
    'webfetch',
    'lookup',
    'query',
    'retrieve',
    'retriever',
    'show',
    'describe',
    'inspect',
  ],
  write: [
    'write',
    'edit',
    'multiedit',
    'patch',
    'replace',
    'search replace',
    'insert',
    'create file',
    'notebook edit',
    'apply patch',
    'apply diff',
    'str replace editor',
    'file editor',
    'editor',
  ],
  act: [
    'create',
    'update',
    'delete',
    'remove',
    'move',
    'copy',
    'rename',
    'append',
    'save',
    'store',
    'send',
    'post',
    'book',
    'buy',
    'purchase',
    'place order',
    'cancel',
    'modify',
    'exchange',
    'return',
    'upload',
    'set',
    'set status',
    'update status',
    'add',
    'submit',
    'kill',
    'stop',
    'reply',
    'close',
    'resolve',
    'assign',
    'archive',
    'label',
    'tag',
    'approve',
    'reject',
    'refund',
    'pay',
    'escalate',
    'notify',
    'schedule',
    'invite',
    'publish',
    'merge',
    'deploy',
    'import',
    'complete',
    'render',
    'fill',
    'kill bash',
    'kill shell',
    'stop bash',
  ],
};

const LOOKUP: ReadonlyMap<string, ToolKind> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries(TOOL_NAMES).flatMap(([kind, names]) =>
    names.map((name) => [name, kind as ToolKind] as const),
  ),
);
/** Before `output`: it is handed in, not looked at. */
const MAKES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'structured final save write emit format validate submit set create generate return'.split(' '),
);
export const MAX_NAME = 128;
const MAX_KNOWN = 256;

/** The words of a tool's name, in lower case, without the server it comes from. */
export function wordsOf(tool: string): readonly string[] {
  const name = tool.slice(0, MAX_NAME);
  const own = name.startsWith('mcp__') ? name.slice(name.lastIndexOf('__') + 2) : name;
  return own
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function kindOfName(tool: string): ToolKind {
  const words = wordsOf(tool);
  const whole = LOOKUP.get(words.join(' '));
  if (whole !== undefined) return whole;
  const first = words[0] ?? '';
  const last = words.at(-1) ?? '';
  const ends = LOOKUP.get(`${first} ${last}`);
  if (ends !== undefined) return ends;
  if (last === 'output' && !handsIn(words)) return 'poll';
  for (const kind of ['idle', 'wait', 'poll', 'shell'] as const)
    if (
      words.some(
        (word, index) =>
          (LOOKUP.get(word) === kind && (word !== 'status' || index === 0 || word === last)) ||
          LOOKUP.get(`${word} ${words[index + 1]}`) === kind,
      )
    )
      return kind;
  const pair = words.map((word, index) => LOOKUP.get(`${word} ${words[index + 1]}`)).find(Boolean);
  if (pair !== undefined) return pair;
  // Otherwise the verb decides: `get_update`, `file_write`, `slack_post_message`.
  if (first === 'check') return 'other';
  return LOOKUP.get(first) ?? LOOKUP.get(last) ?? verbWithin(words);
}

/** An output that is handed in, as it was given. */
function handsIn(words: readonly string[]): boolean {
  return words.at(-1) === 'output' && words.some((word) => MAKES.has(word));
}

export function handingTools(): (tool: string) => boolean {
  return once((tool) => handsIn(wordsOf(tool)));
}

function verbWithin(words: readonly string[]): ToolKind {
  const kinds = words.slice(1, -1).map((word) => LOOKUP.get(word) ?? 'other');
  return kinds.find((kind) => kind === 'read' || kind === 'write' || kind === 'act') ?? 'other';
}

/** What a call of this tool does, by its name; names are looked up once. */
export function toolKinds(): (tool: string) => ToolKind {
  return once(kindOfName);
}

/** Tools that take a question: the same one may be put in many ways. */
const ASKING: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'search websearch query ask find grep glob research task agent question explore retrieve consult google list ls read view open directory'.split(
    ' ',
  ),
);

export function askingTools(): (tool: string) => boolean {
  return once((tool) => wordsOf(tool).some((word) => ASKING.has(word)));
}

/** Tools that do the same to one thing after the other: what they show may be the same for all. */
const HANDLING: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'click tap select check uncheck toggle hover download plan apply validate verify scan audit migrate'.split(
    ' ',
  ),
);

export function handlingTools(): (tool: string) => boolean {
  return once((tool) => wordsOf(tool).some((word) => HANDLING.has(word)));
}

/** Tools that ask how something is, and things that take their time. */
const LOOKING: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'check get list describe retrieve fetch show view read query inspect find search monitor watch track is has verify'.split(
    ' ',
  ),
);
const JOBS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'job jobs run runs build builds deployment deployments pipeline pipelines workflow workflows execution operation prediction batch task tasks stack instance instances process'.split(
    ' ',
  ),
);
export type LooksAt = 'job' | 'something' | 'nothing';

export function lookingTools(): (tool: string) => LooksAt {
  return once((tool) => {
    const words = wordsOf(tool);
    if (!words.some((word) => LOOKING.has(word))) return 'nothing';
    return words.some((word) => JOBS.has(word)) ? 'job' : 'something';
  });
}

/** Tools that make one more each time: what they make piles up. */
const PILING: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'add append book buy create invite notify order pay post publish purchase refund reply schedule send submit upload'.split(
    ' ',
  ),
);

export function pilingTools(): (tool: string) => boolean {
  return once((tool) => wordsOf(tool).some((word) => PILING.has(word)));
}

/** What a tool was asked about: an address that may be locked, something by a question, or nothing. */
export type AskedAbout = 'address' | 'something' | 'nothing';

/** Tools that try what answers at an address, and how. */
const PROBING: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'check test probe verify validate scan audit monitor ping'.split(' '),
);
const ADDRESSES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'link links url urls endpoint endpoints route routes site sites website page pages host hosts health uptime http api'.split(
    ' ',
  ),
);

export function probingTools(): (tool: string) => boolean {
  return once((tool) => {
    const words = wordsOf(tool);
    return words.some((word) => PROBING.has(word)) && words.some((word) => ADDRESSES.has(word));
  });
}

function once<Value>(look: (tool: string) => Value): (tool: string) => Value {
  const known = new Map<string, Value>();
  return (tool) => {
    const found = known.get(tool);
    if (found !== undefined) return found;
    const value = look(tool);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(tool, value);
    return value;
  };
}

/** What arguments say beyond the name: an editor that only views, a terminal that is only looked at. */
export function refinedKind(kind: ToolKind, args: Json): ToolKind {
  if ((kind === 'other' || kind === 'read' || kind === 'shell') && changesBySql(args)) return 'act';
  if (kind === 'shell') {
    // Not the kind of shell that runs a command line.
    const named = Object.keys(fieldsOf(parsedArgs(args).value)).length > 0;
    return named && commandLine(args) === null ? 'other' : kind;
  }
  const { command, action, chars, input, operation } = fieldsOf(parsedArgs(args).value);
  if (kind === 'poll' && [chars, input].some((typed) => typeof typed === 'string' && typed !== ''))
    return 'step';
  if (kind === 'other' || kind === 'write') {
    const verb = [command, action, operation].find((value) => typeof value === 'string' && VERB.test(value));
    const told = verb === undefined ? 'other' : kindOfName(verb as string);
    // Several words are a command line, whatever the tool is called.
    if (kind === 'other' && typeof command === 'string' && command.trim().includes(' ')) return 'shell';
    // What an editor creates is content.
    return told === 'other' || (kind === 'write' && told === 'act') ? kind : told;
  }
  return kind;
}

/** One word, as a name: `str_replace`, not `cat a.txt`. */
const VERB = /^[\w-]{1,32}$/;

/** The command line of a call to a shell: under a known name, or the only text there is. */
export function commandLine(args: Json): string | null {
  const { value, raw } = parsedArgs(args);
  if (raw) return value as string;
  const fields = fieldsOf(value);
  for (const name of ['command', 'commands', 'cmd', 'script', 'keystrokes']) {
    const line = fieldOf(fields, name);
    if (typeof line === 'string') return line;
    if (Array.isArray(line)) return name === 'commands' ? line.join('\n') : lineOf(line.map(String));
  }
  const texts = Object.keys(fields).filter((name) => typeof fields[name] === 'string' && !COSMETIC.has(name));
  return texts.length === 1 ? (fields[texts[0] as string] as string) : null;
}

/** A command as a list of words; `bash -lc` is only the way to run the rest. */
function lineOf(words: readonly string[]): string {
  return words.length === 3 && /^-[a-z]{0,3}c$/.test(words[1] as string)
    ? (words[2] as string)
    : words.join(' ');
}

/** Fields of a shell call that are for show, or only say how long to wait. */
const COSMETIC: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'description',
  'explanation',
  'justification',
  'timeout',
  'timeout_ms',
  'yield_time_ms',
  'max_output_tokens',
  'initial_wait',
]);

/** A remark at the end of a command line; one with quotes in it may be none. */
const MAX_REMARK = 120;
const REMARK = /\s#[^\n'"`]{0,120}$/;
const COMMANDS: readonly string[] = ['command', 'cmd', 'script', 'keystrokes'];

/** A shell call's arguments without what is for show. Other texts stay as they are: white space is content. */
export function withoutCosmetics(args: Json): Json {
  const { value, raw } = parsedArgs(args);
  if (raw) return args;
  const fields = fieldsOf(value);
  const names = Object.keys(fields);
  const remarks = names.some((name) => COMMANDS.includes(name) && isRemarked(fields[name]));
  if (!remarks && !names.some((name) => COSMETIC.has(name))) return args;
  const kept = names.filter((name) => !COSMETIC.has(name));
  return Object.fromEntries(
    kept.map((name) => {
      const field = fields[name];
      const remarked = COMMANDS.includes(name) && isRemarked(field);
      return [name, (remarked ? withoutRemark(field) : field) as Json];
    }),
  );
}

function isRemarked(field: unknown): field is string {
  return typeof field === 'string' && field.includes(' #') && REMARK.test(field.slice(-MAX_REMARK));
}

function withoutRemark(line: string): string {
  return line.slice(0, -MAX_REMARK) + line.slice(-MAX_REMARK).replace(REMARK, '');
}

/** Calls in a program's text that write somewhere; a definition is no call. */
const WRITING_CALL =
  /(?<!def |function )\b\w{0,40}(?:write|save|replace|edit|insert|update|append_file|create_file|delete_file|rename|unlink|mkdir|to_csv|dump)\w{0,40}\(/i;

/** A line that gives something that is there another value: `df = df.dropna()`, `df["a"] = 1`, `n += 1`. */
const CHANGING_LINE =
  /^(?:([A-Za-z_]\w{0,40}) ?= ?\1\b|[A-Za-z_]\w{0,40}(?:\.\w{1,40}|\[[^\]\n]{1,80}\]){1,4} ?[-+*/|&]?=(?!=)|[A-Za-z_]\w{0,40} ?[-+*/|&]=)/m;

/** Whether a call hands over a program that writes, or that changes what the next one finds. */
export function changesByCode(args: Json): boolean {
  const { code } = fieldsOf(parsedArgs(args).value);
  if (typeof code !== 'string') return false;
  const read = code.slice(0, 10_000);
  return WRITING_CALL.test(read) || CHANGING_LINE.test(read);
}
