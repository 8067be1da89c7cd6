import {
  Agent,
  applyPatchTool,
  type Computer,
  computerTool,
  getAllMcpTools,
  type MCPServer,
  RunState,
  run as runAgent,
  shellTool,
  Usage,
} from '@openai/agents';
import { assistantMessage } from '@openai/agents/testing';
import { describe, expect, it, vi } from 'vitest';
import { findLoopHalted } from '../../../src/adapters/openai-agents/index.ts';
import { callOf } from '../../../src/testing/adapter-stage.ts';
import { again, until } from '../driver.ts';
import { counted, listening, MANY, script } from './stage.ts';

type Model = Exclude<Agent['model'], string>;
type Output = Awaited<ReturnType<Model['getResponse']>>['output'];

/** A model whose responses are items of any kind; without tools it reports. */
function modelOf(items: (n: number) => Output | null): Model {
  let n = 0;
  return {
    async getResponse({ tools }) {
      const output = tools.length > 0 ? items(++n) : null;
      return {
        usage: new Usage(),
        output: output ?? [assistantMessage(tools.length > 0 ? 'Done.' : 'Report.')],
      };
    },
    getStreamedResponse: () => {
      throw new Error('not here');
    },
  };
}

const done = { status: 'completed' } as const;
const shellCall = (n: number, command: string): Output => [
  { type: 'shell_call', callId: `s${n}`, ...done, action: { commands: [command] } },
];
const shell = (needsApproval = false) =>
  shellTool({
    needsApproval,
    shell: {
      run: async () => ({
        output: [{ stdout: 'ok', stderr: '', outcome: { type: 'exit' as const, exitCode: 0 } }],
      }),
    },
  });
const patchCall = (n: number): Output => [
  {
    type: 'apply_patch_call',
    callId: `p${n}`,
    ...done,
    operation: { type: 'update_file', path: `f${n}.txt`, diff: `+${n}` },
  },
];
const editor = {
  createFile: async () => done,
  updateFile: async () => done,
  deleteFile: async () => done,
};
let pictures = 0;
const nothing = async () => {};
const computer: Computer = {
  environment: 'browser',
  dimensions: [1, 1],
  screenshot: async () => `${++pictures}`,
  click: nothing,
  doubleClick: nothing,
  scroll: nothing,
  type: nothing,
  wait: nothing,
  move: nothing,
  keypress: nothing,
  drag: nothing,
};

/** A server with one tool, `check`; `answer` = the parts of its results, and whether they are errors. */
function serverOf(answer: (n: number) => { readonly texts: readonly string[]; readonly isError?: boolean }) {
  let ran = 0;
  const server = {
    name: 'server',
    cacheToolsList: false,
    connect: nothing,
    close: nothing,
    invalidateToolsCache: nothing,
    async listTools() {
      const properties = { n: { type: 'number' } };
      const inputSchema = { type: 'object', properties, required: ['n'], additionalProperties: false };
      return [{ name: 'check', description: 'check', inputSchema }];
    },
    async callTool() {
      const { texts, isError } = answer(++ran);
      const content = texts.map((text) => ({ type: 'text', text }));
      // As the SDK's own servers give it.
      return Object.defineProperty(content, 'isError', { value: isError });
    },
  } as unknown as MCPServer;
  return { server, ran: () => ran };
}

/** Tools that are no functions, and calls of which the guard is not shown everything. */
export function testOtherTools(): void {
  describe('OpenAI Agents SDK: tools of other kinds', () => {
    it('are work, however long it takes', async () => {
      const all: { [kind: string]: [tool: Agent['tools'][number], item: (n: number) => Output] } = {
        shell: [shell(), (n) => shellCall(n, `make step${n}`)],
        patch: [applyPatchTool({ editor }), patchCall],
        computer: [
          computerTool({ computer }),
          (n) => [
            {
              type: 'computer_call',
              callId: `c${n}`,
              ...done,
              action: { type: 'click', x: 1, y: 1, button: 'left' },
            },
          ],
        ],
        hosted: [
          counted().look,
          (n) => [
            { type: 'hosted_tool_call', id: `w${n}`, name: 'web_search_call', ...done },
            { type: 'function_call', callId: `f${n}`, name: 'other', arguments: `{"n":${n}}`, ...done },
          ],
        ],
      };
      for (const [kind, [tool, item]] of Object.entries(all))
        for (const watched of [false, true]) {
          const { guard, heard } = listening();
          const { look: other } = counted((n) => `Result ${n}.`, { name: 'other' });
          const model = modelOf((n) => (n <= 30 ? item(n) : null));
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([tool, other]),
          });
          const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
          expect([kind, finalOutput, heard.map(({ decision }) => decision.message)]).toEqual([
            kind,
            'Done.',
            [],
          ]);
        }
    });

    it('run in circles as others do', async () => {
      for (const watched of [false, true]) {
        const { guard, actions } = listening({ lastTurn: false });
        const model = modelOf((n) => shellCall(n, 'cat notes.txt'));
        const agent = new Agent({
          name: 'Finder',
          model: watched ? guard.model(model) : model,
          tools: guard.tools([shell()]),
        });
        await guard
          .wrap(runAgent)(agent, 'Go.', MANY)
          .catch(() => {});
        expect(actions()).toEqual(['nudge 3', 'block 5', 'block 6', 'halt 7']);
        expect(guard.stopped?.message).toContain('shell');
      }
    });

    it('wait for a person as before', async () => {
      for (const yes of [false, true]) {
        const { guard, heard } = listening({ attended: true });
        const agent = new Agent({
          name: 'Finder',
          model: modelOf((n) => (n === 1 ? [...shellCall(n, 'make'), ...patchCall(n)] : null)),
          tools: guard.tools([shell(true), applyPatchTool({ editor, needsApproval: true })]),
        });
        const run = guard.wrap(runAgent);
        const held = await run(agent, 'Go.');
        expect(held.interruptions).toHaveLength(2);
        for (const item of held.interruptions)
          if (yes) held.state.approve(item);
          else held.state.reject(item);
        const { finalOutput, history } = await run(agent, held.state);
        expect([finalOutput, heard]).toEqual(['Done.', []]);
        expect(JSON.stringify(history).split('not approved')).toHaveLength(yes ? 1 : 3);
      }
    });
  });

  describe('OpenAI Agents SDK: tools that are not guarded, with approvals from another process', () => {
    /** Every call is approved; the state is saved meanwhile. */
    const approved = async (item: (n: number) => Output | null, watched: boolean) => {
      const { guard, actions } = listening({ session: 'one', lastTurn: false });
      const model = modelOf(item);
      const { look } = counted((n) => `Result ${n}.`, { needsApproval: true });
      const agent = new Agent({
        name: 'Finder',
        model: watched ? guard.model(model) : model,
        tools: [shell(true), look],
      });
      const run = guard.wrap(runAgent);
      let result = await run(agent, 'Go.', MANY);
      while (result.interruptions.length > 0) {
        const state = await RunState.fromString<undefined, typeof agent>(agent, result.state.toString());
        for (const waiting of state.getInterruptions()) state.approve(waiting);
        result = await run(agent, state, MANY);
      }
      return { finalOutput: result.finalOutput, actions: actions() };
    };
    const lookCall = (n: number): Output => [
      { type: 'function_call', callId: `f${n}`, name: 'look', arguments: `{"n":${n}}`, ...done },
    ];

    it('are work', async () => {
      for (const watched of [false, true])
        for (const item of [lookCall, (n: number) => shellCall(n, `make step${n}`)]) {
          const { finalOutput, actions } = await approved((n) => (n <= 20 ? item(n) : null), watched);
          expect([finalOutput, actions]).toEqual(['Done.', []]);
        }
    });

    it('run in circles as others do', async () => {
      for (const watched of [false, true]) {
        const error: unknown = await approved((n) => shellCall(n, 'cat notes.txt'), watched).catch(
          (thrown) => thrown,
        );
        expect(findLoopHalted(error)?.reason).toMatchObject({ detector: 'no-progress', call: 7 });
      }
    });
  });

  it('OpenAI Agents SDK: pictures beside a text are told apart where the tool is not guarded', async () => {
    for (const isSame of [false, true]) {
      const { guard, actions } = listening({ lastTurn: false });
      const picture = (n: number) => ({
        type: 'image',
        image: { data: btoa(`${isSame || n}`), mediaType: 'image/png' },
      });
      const { look } = counted((n) => [{ type: 'text', text: 'Here it is.' }, picture(n)]);
      const { model } = script((n) => (n <= 12 ? { calls: [callOf(n, 'look', {})] } : { text: 'Done.' }));
      const agent = new Agent({ name: 'Finder', model, tools: [look] });
      const end = await guard
        .wrap(runAgent)(agent, 'Go.', MANY)
        .then(
          ({ finalOutput }) => finalOutput,
          (error: unknown) => findLoopHalted(error)?.reason.action,
        );
      expect([end, actions()]).toEqual(
        isSame ? ['halt', ['nudge 3', 'block 5', 'block 6', 'halt 7']] : ['Done.', []],
      );
    }
  });

  describe('OpenAI Agents SDK: reasoning', () => {
    it('is heard, be it a summary or the thoughts themselves', async () => {
      const thoughts = [
        { content: [{ type: 'input_text' as const, text: 'Hm.' }] },
        { content: [], rawContent: [{ type: 'reasoning_text' as const, text: 'Hm.' }] },
      ];
      for (const thought of thoughts)
        for (const watched of [false, true]) {
          const { guard } = listening({ session: 'one' });
          const turns = vi.spyOn(guard.run('one'), 'turn');
          const model = modelOf((n) =>
            n <= 2 ? [{ type: 'reasoning', ...thought }, ...shellCall(n, 'make')] : null,
          );
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([shell()]),
          });
          await guard.wrap(runAgent)(agent, 'Go.');
          expect(turns.mock.calls.map(([turn]) => turn?.reasoning)).toContain('Hm.');
        }
    });
  });

  describe('OpenAI Agents SDK: tools of MCP servers', () => {
    const checks = () =>
      script((n) => (n <= 25 ? { calls: [callOf(n, 'check', { n })] } : { text: 'Done.' }));

    it('say the same whether the guard or the agent has listed them', async () => {
      for (const listed of [false, true])
        for (const watched of [false, true])
          for (const texts of [['No issues found.'], ['No issues', 'found.']]) {
            const { guard, heard } = listening();
            const { server, ran } = serverOf(() => ({ texts }));
            const { model } = checks();
            const agent = new Agent({
              name: 'Finder',
              model: watched ? guard.model(model) : model,
              ...(listed
                ? { tools: guard.tools(await getAllMcpTools({ mcpServers: [server] })) }
                : { mcpServers: [server] }),
            });
            const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', MANY);
            expect([finalOutput, ran(), heard]).toEqual(['Done.', 25, []]);
          }
    });

    it('fail where the SDK tells it', async () => {
      const { guard } = listening({ session: 'one' });
      const ended = vi.spyOn(guard.run('one'), 'after');
      const { server } = serverOf((n) => ({ texts: ['Not found:', `${n}`], isError: n === 1 }));
      const { model } = script((n) => (n <= 2 ? { calls: [callOf(n, 'check', { n })] } : { text: 'Done.' }));
      const tools = guard.tools(await getAllMcpTools({ mcpServers: [server] }));
      await guard.wrap(runAgent)(new Agent({ name: 'Finder', model, tools }), 'Go.');
      expect(ended.mock.calls.map(([, result]) => result)).toEqual([
        { output: 'Not found:\n1', status: 'error' },
        { output: 'Not found:\n2', status: 'ok' },
      ]);
    });
  });

  describe('OpenAI Agents SDK: conversations that the provider keeps', () => {
    const kept = [{ conversationId: 'conv_1' }, { previousResponseId: 'resp_0' }];

    it('with a schema for their results end no run by being blocked', async () => {
      const said = (requests: readonly { readonly sent: string }[], text: string) =>
        requests.filter(({ sent }) => sent.includes(text)).length > 0;
      for (const watched of [false, true])
        for (const errorFunction of [undefined, null, () => 'none'])
          for (const last of [6, 30]) {
            const { guard, actions } = listening();
            const { look, ran } = counted(undefined, { outputSchema: { type: 'string' }, errorFunction });
            const { model, requests } = script(until(last));
            const agent = new Agent({
              name: 'Finder',
              model: watched ? guard.model(model) : model,
              tools: guard.tools([look]),
            });
            const run = guard.wrap(runAgent)(agent, 'Find it.', MANY);
            const isAnswered = typeof errorFunction === 'function';
            const end = await run.then(
              ({ finalOutput }) => finalOutput,
              (error: unknown) => error,
            );
            if (last === 6) expect(end).toBe('Done.');
            else if (isAnswered) expect(end).toBe('Report.');
            else expect(end).toMatchObject({ name: 'LoopHalted', reason: guard.stopped });
            expect(actions().slice(0, 3)).toEqual(['nudge 3', 'block 5', 'block 6']);
            expect(ran).toHaveLength(isAnswered ? 4 : 6);
            expect(said(requests, 'Not run: ')).toBe(isAnswered);
            expect(said(requests, 'Of no use: ')).toBe(!isAnswered);
          }
    });

    it('calls of all tools are seen as they are', async () => {
      for (const where of kept)
        for (const watched of [false, true]) {
          const { guard, heard } = listening();
          const { model } = script((n) =>
            n <= 30 ? { calls: [callOf(n, 'look', { n })] } : { text: 'Done.' },
          );
          const { look } = counted(() => 'Saved.');
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: [look],
          });
          const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', { ...MANY, ...where });
          expect([finalOutput, heard.length]).toEqual(['Done.', 0]);
        }
    });

    it('and so are calls that no tool has answered', async () => {
      for (const watched of [false, true])
        for (const call of [callOf(0, 'lok', { query: 'x' }), callOf(0, 'look', '{"query": "x')]) {
          const { guard, actions } = listening();
          const { model } = script((n) => ({ calls: [{ ...call, id: `call-${n}` }] }));
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([counted().look]),
          });
          const options = { ...MANY, ...kept[0], toolNotFoundBehavior: 'return_error_to_model' } as const;
          const { finalOutput } = await guard.wrap(runAgent)(agent, 'Go.', options);
          expect([finalOutput, actions().at(-1)]).toEqual(['Report.', 'halt 7']);
        }
    });

    it('a nudge is sent once, after what is new', async () => {
      for (const where of kept)
        for (const watched of [false, true]) {
          const { guard, heard } = listening();
          const { model, requests } = script((n) =>
            n <= 3 ? again(n) : n <= 6 ? { calls: [callOf(n, 'look', { n })] } : until(0)(n),
          );
          const agent = new Agent({
            name: 'Finder',
            model: watched ? guard.model(model) : model,
            tools: guard.tools([counted((n) => (n <= 3 ? 'Nothing.' : `${n}`)).look]),
          });
          await guard.wrap(runAgent)(agent, 'Go.', { ...MANY, ...where });
          const text = heard[0]?.decision.message ?? 'none';
          const has = requests.map(({ sent }) => sent.includes(text));
          expect(has).toEqual(requests.map((_, index) => index === 3));
          const sent = requests[3]?.sent ?? '';
          expect(sent.indexOf(text)).toBeGreaterThan(sent.indexOf('call_result'));
        }
    });
  });
}
