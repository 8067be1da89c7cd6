import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

// No network but loopback, no process that outlives the run, a /home of its own, a host name of its own.
const UNSHARE = ['--user', '--map-root-user', '--net', '--pid', '--fork', '--mount', '--mount-proc', '--uts'];
const CLOSED = 'http://127.0.0.1:9';

/** Whether this machine lets a user have namespaces; where not, proxies on a closed port keep agents off the network. */
export function canIsolate() {
  try {
    execFileSync('unshare', [...UNSHARE, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs this Node on `args`, cut off from the network; resolves with its exit code. */
export function runNode(args, isolated) {
  const [command, ...rest] = isolated
    ? ['unshare', ...UNSHARE, '--kill-child', process.execPath, ...args]
    : [process.execPath, ...args];
  return new Promise((done, failed) => {
    const child = spawn(command, rest, { stdio: 'inherit' });
    child.once('error', failed);
    child.once('exit', done);
  });
}

/** To be called inside, first of all: what the folder holds in `home` becomes /home where that can be. */
export function settle(folder, isolated) {
  const home = join(folder, 'home');
  mkdirSync(join(home, 'dev', 'project'), { recursive: true });
  if (!isolated) return { home: join(home, 'dev'), project: join(home, 'dev', 'project') };
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  execFileSync('hostname', ['laptop']);
  execFileSync('mount', ['--bind', home, '/home']);
  return { home: '/home/dev', project: '/home/dev/project' };
}

/** The environment of an agent: nothing of this machine's but the path to Node. */
export function environment({ home, path, env, isolated }) {
  const proxies = isolated ? {} : { http_proxy: CLOSED, https_proxy: CLOSED, all_proxy: CLOSED };
  const read = isolated ? {} : { NODE_USE_ENV_PROXY: '1' };
  return {
    PATH: [...path, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    USER: 'dev',
    LOGNAME: 'dev',
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TZ: 'UTC',
    NO_COLOR: '1',
    DO_NOT_TRACK: '1',
    NO_PROXY: '127.0.0.1,localhost',
    ...Object.fromEntries(
      Object.entries(proxies).flatMap(([name, to]) => [
        [name, to],
        [name.toUpperCase(), to],
      ]),
    ),
    ...read,
    ...env,
  };
}
