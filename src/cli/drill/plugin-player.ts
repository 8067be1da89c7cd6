import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { contentText, fieldsOf, nameOf } from '../../transcripts/fields.ts';
import type { InstallStatus } from '../install/install-status.ts';
import type { Meaning } from './answer-meaning.ts';
import { LOOP } from './loop.ts';
import type { Answered, Player } from './player.ts';

type Handler = (...given: readonly unknown[]) => unknown;
type Module = { readonly [name: string]: unknown };
/** One place of a host: what it hands to a plugin there, and what it makes of what the plugin does. */
type Place = (call: number) => Promise<{ readonly event: string } & Meaning>;
type Places = { readonly prompt: Place; readonly before: Place; readonly after: Place };

/** Plays a host that loads code into its own process, where `DELOOP_STATE_DIR` says where the state lies. */
export async function pluginPlayer(status: InstallStatus, session: string, cwd: string): Promise<Player> {
  const path = status.hooks.findLast((one) => one.path.endsWith('.js'))?.path ?? '';
  const module = status.agent === 'openclaw' ? required(path) : await imported(path);
  const places = await HOSTS[status.agent]?.(module, session, cwd);
  const at = async (place: Place | undefined, call: number): Promise<readonly Answered[]> =>
    place === undefined ? [] : [{ ...(await place(call)), fault: '' }];
  return {
    prompt: () => at(places?.prompt, 0),
    before: (call) => at(places?.before, call),
    after: (call) => at(places?.after, call),
    next: async () => [],
  };
}

/** Anew, whatever was loaded before. */
async function imported(path: string): Promise<Module> {
  const url = pathToFileURL(path);
  url.searchParams.set('drill', randomUUID());
  return (await import(url.href)) as Module;
}

/** Not every module that can be imported can be required, and OpenClaw requires. */
function required(path: string): Module {
  return createRequire(import.meta.url)(path) as Module;
}

const NOTHING: Meaning = { word: 'nothing', message: '' };

async function opencode(module: Module, sessionID: string, directory: string): Promise<Places> {
  let stopped = false;
  const session = {
    async abort() {
      stopped = true;
    },
  };
  const hooks = fieldsOf(await (module['deloop'] as Handler)({ directory, client: { session } }));
  const run = async (event: string, ...given: readonly unknown[]) => (hooks[event] as Handler)?.(...given);
  const about = (call: number) => ({ tool: 'bash', sessionID, callID: `${LOOP.id}${call}` });
  const args = { command: LOOP.command };
  return {
    async prompt() {
      await run('chat.message', { sessionID }, { message: {}, parts: [{ type: 'text', text: LOOP.prompt }] });
      return { event: 'chat.message', ...NOTHING };
    },
    async before(call) {
      const event = 'tool.execute.before';
      try {
        await run('chat.params', { sessionID, agent: 'build' }, {});
        await run(event, about(call), { args });
        return { event, ...NOTHING };
      } catch (error) {
        return { event, word: stopped ? 'stopped' : 'refused', message: (error as Error).message };
      }
    },
    async after(call) {
      const event = 'tool.execute.after';
      const output = { title: '', output: LOOP.output, metadata: { exit: 0 } };
      await run(event, { ...about(call), args }, output);
      const message = output.output.slice(LOOP.output.length).trim();
      if (stopped) return { event, word: 'stopped', message };
      return { event, ...(message === '' ? NOTHING : { word: 'told', message }) };
    },
  };
}

async function pi(module: Module, id: string, cwd: string): Promise<Places> {
  let stopped = false;
  const handlers = new Map<string, Handler>();
  await (module['default'] as Handler)({
    on: (event: string, handler: Handler) => handlers.set(event, handler),
    sendMessage() {},
  });
  const context = {
    cwd,
    hasUI: false,
    sessionManager: { getSessionId: () => id },
    abort() {
      stopped = true;
    },
  };
  const run = async (event: object & { readonly type: string }) =>
    fieldsOf(await handlers.get(event.type)?.(event, context));
  const about = (call: number) => ({
    toolName: 'bash',
    toolCallId: `${LOOP.id}${call}`,
    input: { command: LOOP.command },
  });
  return {
    async prompt() {
      await run({ type: 'input', ...{ text: LOOP.prompt, source: 'interactive' } });
      return { event: 'input', ...NOTHING };
    },
    async before(call) {
      await run({ type: 'turn_start', ...{ turnIndex: call } });
      const { block, reason } = await run({ type: 'tool_call', ...about(call) });
      const message = nameOf(reason) ?? '';
      const word = stopped ? 'stopped' : 'refused';
      return { event: 'tool_call', ...(block === true ? { word, message } : NOTHING) };
    },
    async after(call) {
      const result = { content: [{ type: 'text', text: LOOP.output }], isError: false };
      const { content } = await run({ type: 'tool_result', ...about(call), ...result });
      const message = contentText(content).slice(LOOP.output.length).trim();
      if (stopped) return { event: 'tool_result', word: 'stopped', message };
      return { event: 'tool_result', ...(message === '' ? NOTHING : { word: 'told', message }) };
    },
  };
}

async function openclaw(module: Module, sessionId: string): Promise<Places> {
  const handlers = new Map<string, Handler>();
  const { register } = fieldsOf(module['default']);
  (register as Handler)({ on: (event: string, handler: Handler) => handlers.set(event, handler) });
  const run = async (event: string, call: number, more: object) => {
    const about = { toolName: 'exec', runId: `${sessionId}-run`, toolCallId: `${LOOP.id}${call}` };
    const context = { ...about, agentId: 'main', sessionId };
    const given = { ...about, params: { command: LOOP.command }, ...more };
    return fieldsOf(await handlers.get(event)?.(given, context));
  };
  return {
    async prompt() {
      return { event: 'run', ...NOTHING };
    },
    async before(call) {
      const { block, blockReason } = await run('before_tool_call', call, {});
      const message = nameOf(blockReason) ?? '';
      return { event: 'before_tool_call', ...(block === true ? { word: 'refused', message } : NOTHING) };
    },
    async after(call) {
      const result = { content: [{ type: 'text', text: LOOP.output }], details: { exitCode: 0 } };
      await run('after_tool_call', call, { result });
      return { event: 'after_tool_call', ...NOTHING };
    },
  };
}

const HOSTS: {
  readonly [agent: string]: (module: Module, session: string, cwd: string) => Promise<Places>;
} = { opencode, pi, openclaw };
