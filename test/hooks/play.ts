import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { HookParts } from '../../src/cli/hook/judge.ts';
import { readSettings } from '../../src/cli/hook/read-settings.ts';
import { runHook } from '../../src/cli/hook/run-hook.ts';
import { joinSwarm } from '../../src/cli/hook/swarm-worker.ts';
import { missedCalls, spentTokens } from '../../src/cli/hook/transcript-parts.ts';

export const PARTS: HookParts = { readSettings, missedCalls, spentTokens, joinSwarm };

export type Answer = { readonly [field: string]: unknown } | null;

export type PlayOptions = {
  /** Files of the project, which is also the home. */
  readonly files?: { readonly [path: string]: string };
  readonly env?: { readonly [name: string]: string };
  readonly shadow?: boolean;
};

/** A session of an agent, hook by hook, with a folder of its own for state and project. */
export type Session = {
  readonly folder: string;
  /** One hook; some time goes by before each. */
  send(payload: object | string, afterMs?: number): Answer;
  /** The same, for sessions that may be in a swarm. */
  ask(payload: object | string, afterMs?: number): Promise<Answer>;
  write(path: string, text: string): string;
  /** The lines of the log, whole. */
  log(): readonly { readonly [field: string]: unknown }[];
};

/** Longer than any response takes to make its calls. */
const A_WHILE_MS = 3000;

export function newSession(
  agent: string,
  { files = {}, env = {}, shadow = false }: PlayOptions = {},
): Session {
  const folder = mkdtempSync(join(tmpdir(), 'deloop-hook-'));
  const state = join(folder, 'state');
  let now = Date.parse('2026-11-15T12:00:00Z');

  function write(path: string, text: string): string {
    const whole = join(folder, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    return whole;
  }
  for (const [path, text] of Object.entries(files)) write(path, text);

  function run(payload: object | string, afterMs: number): string | Promise<string> {
    now += afterMs;
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const surroundings = {
      cwd: folder,
      env: { DELOOP_STATE_DIR: state, HOME: folder, ...env },
      home: folder,
      platform: 'linux',
    };
    return runHook({ agent, shadow, payload: text, surroundings, now }, PARTS);
  }
  const answerIn = (out: string) => (out === '' ? null : (JSON.parse(out) as Answer));

  return {
    folder,
    write,
    send(payload, afterMs = A_WHILE_MS) {
      const out = run(payload, afterMs);
      if (typeof out !== 'string') throw new Error('a session in a swarm answers later: ask');
      return answerIn(out);
    },
    async ask(payload, afterMs = A_WHILE_MS) {
      return answerIn(await run(payload, afterMs));
    },
    log() {
      try {
        return readdirSync(join(state, 'log'))
          .sort()
          .flatMap((day) => readFileSync(join(state, 'log', day), 'utf8').split('\n'))
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as { readonly [field: string]: unknown });
      } catch {
        return [];
      }
    },
  };
}

/** What an answer does, in one word. */
export function word(answer: Answer): string {
  if (answer === null) return '-';
  const { continue: goOn, cancel, behavior, decision, permission, permissionDecision } = answer;
  const { hookSpecificOutput = {} } = answer;
  const inner = hookSpecificOutput as { permissionDecision?: string };
  if (goOn === false || cancel === true || behavior === 'deny') return 'halt';
  return String(inner.permissionDecision ?? permissionDecision ?? permission ?? decision ?? 'tell');
}
