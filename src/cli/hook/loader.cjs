'use strict';
// The command that hosts run. It has to be quick: it loads what a payload needs and nothing else, from code that V8 has compiled before.
const {
  mkdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} = require('node:fs');
const { homedir } = require('node:os');
const { isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

/** Tells builds apart; V8 tells sources apart by their length alone. */
const BUILD = '@BUILD@';
const { env, platform, version, arch } = process;

/** As `stateFolder` has it, which is not loaded yet. */
function stateFolder() {
  if (isAbsolute(env.DELOOP_STATE_DIR ?? '')) return env.DELOOP_STATE_DIR;
  const windows = platform === 'win32';
  const named = (windows ? env.LOCALAPPDATA : env.XDG_STATE_HOME) ?? '';
  if (isAbsolute(named)) return join(named, 'deloop');
  return join(homedir(), ...(windows ? ['AppData', 'Local'] : ['.local', 'state']), 'deloop');
}

const folder = join(stateFolder(), 'code');
/** Compiled anew in this run, to be kept for the next one. */
const fresh = [];

function load(name) {
  const filename = join(__dirname, 'hook', `${name}.cjs`);
  const source = `(function (require, exports) {${readFileSync(filename, 'utf8')}\n})`;
  const path = join(folder, `${name}-${BUILD}-${version}-${arch}`);
  const cachedData = compiledAt(path);
  const script = new Script(source, { filename, cachedData });
  const exports = {};
  if (cachedData === undefined || script.cachedDataRejected) fresh.push({ script, path, exports });
  script.runInThisContext()(require, exports);
  return exports;
}

let parser;
function transcript() {
  parser ??= load('transcript');
  return parser;
}

/** Code that anybody else could have written is not run. */
function compiledAt(path) {
  try {
    const { uid, mode } = statSync(folder);
    if (platform !== 'win32' && (uid !== process.getuid() || (mode & 0o022) !== 0)) return undefined;
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** After the answer. What is compiled by then is kept so. */
function keep({ script, path, exports }) {
  const draft = `${path}.${process.pid}`;
  try {
    exports.warm?.();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(draft, script.createCachedData(), { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    try {
      unlinkSync(draft);
    } catch {
      // It was never made.
    }
  }
}

/** Whoever sends a payload may not bear that nobody takes it. */
function drain() {
  const piece = Buffer.allocUnsafe(65_536);
  try {
    while (readSync(0, piece) > 0);
  } catch {
    // There is nothing to read.
  }
}

function end() {
  fresh.forEach(keep);
  leave();
}

/** Everything is written by now, and what is left of Node to tidy up takes its time. */
function leave() {
  process.exit(0);
}

// An agent must never stand still because its guard is broken: whatever happens, the hook ends as if it had nothing to say.
if (env.DELOOP_MODE === 'off') {
  drain();
  leave();
} else {
  try {
    const late = load('main').main(process.argv.slice(2), {
      readSettings: (surroundings) => load('settings').readSettings(surroundings),
      missedCalls: (format, text) => transcript().missedCalls(format, text),
      spentTokens: (format, text) => transcript().spentTokens(format, text),
      joinSwarm: (...about) => load('swarm').joinSwarm(...about),
    });
    if (late === undefined) end();
    else {
      process.on('uncaughtException', leave);
      late.then(end, leave);
    }
  } catch {
    // What could be told was told in the log.
    leave();
  }
}
