import { describe, expect, it } from 'vitest';
import {
  type AgentEvent,
  createGuard,
  type Decision,
  type Intervention,
  type Preset,
  presets,
  type Rung,
} from '../../src/index.ts';

const call = { tool: 'read_file', args: { path: 'a' } };
/** Nudges at the second call of the same, asks at the third, halts at the fourth; a nudge starts the count anew. */
const stairs: Preset = {
  name: 'stairs',
  about: '',
  detectors: { repeats: { kind: 'call-streak' } },
  ladder: [
    { on: 'repeats', at: 2, strikes: 1, action: 'ask', message: 'go on?' },
    { on: 'repeats', at: 2, action: 'nudge', message: 'careful', forget: true },
  ],
};
const run = (options: object, n: number) => {
  const heard: string[] = [];
  const guard = createGuard({ preset: stairs, ...options, onDecision: ({ action }) => heard.push(action) });
  const answers = Array.from({ length: n }, () => guard.before(call).action);
  return { heard, answers, guard };
};

describe('modes', () => {
  it('enforce answers what it decides, and waits for the delivery of a nudge', () => {
    const { heard, answers } = run({}, 4);
    expect(answers).toEqual(['allow', 'nudge', 'nudge', 'nudge']);
    expect(heard).toEqual(['nudge', 'nudge', 'nudge']);
  });

  it('shadow reports, answers allow, and takes a nudge for delivered', () => {
    const { heard, answers } = run({ mode: 'shadow' }, 4);
    expect(answers).toEqual(['allow', 'allow', 'allow', 'allow']);
    expect(heard).toEqual(['nudge', 'ask']);
  });

  it('shadow leaves a block without a result of its own', () => {
    const guard = createGuard({ preset: 'deepseek-tui', mode: 'shadow' });
    for (let i = 0; i < 5; i++) guard.before(call);
    expect(guard.state.open).toHaveLength(5);
    expect(guard.state.agents[0]?.detectors[1]).toEqual([]);
  });

  it('shadow delivers to the agent that is meant, also where the result names none', () => {
    const guard = createGuard({ preset: 'zagens', mode: 'shadow' });
    for (const id of ['1', '2', '3']) {
      guard.accept({ type: 'tool-call', id, tool: 't', args: { id }, agent: 'worker' });
      guard.accept({ type: 'tool-result', id, output: '', status: 'error' });
    }
    expect(guard.state.agents.map(({ agent, strikes }) => [agent, strikes])).toEqual([
      ['worker', [['failure-streak', 1]]],
      ['', []],
    ]);
  });

  it('off answers allow and remembers nothing', () => {
    const { heard, answers, guard } = run({ mode: 'off' }, 4);
    expect(answers).toEqual(['allow', 'allow', 'allow', 'allow']);
    expect(heard).toEqual([]);
    expect(guard.state.calls).toBe(0);
  });
});

describe('attended', () => {
  const asked = (options: object): Decision => {
    const guard = createGuard({ preset: stairs, ...options });
    guard.before(call);
    guard.before(call);
    guard.delivered();
    guard.before(call);
    return guard.before(call);
  };

  it('asks, unless nobody can answer: then it halts with the same words', () => {
    expect(asked({})).toMatchObject({ action: 'ask', message: 'go on?' });
    expect(asked({ attended: true })).toMatchObject({ action: 'ask' });
    expect(asked({ attended: false })).toMatchObject({
      action: 'halt',
      message: 'go on?',
      finding: { count: 2 },
    });
  });
});

describe('a question', () => {
  const asking: Rung = { on: 'call-count', at: 2, action: 'ask', message: 'Stopped at {count}.' };
  const preset = (rung: Rung): Preset => ({
    name: 'asking',
    about: '',
    detectors: { 'call-count': { kind: 'call-count' } },
    ladder: [rung],
  });
  const answered = (rung: Rung, options: object = {}) => {
    const guard = createGuard({ preset: preset(rung), ...options });
    guard.before(call);
    return guard.before(call);
  };
  const prompted = { ...asking, prompt: 'Go on with {tool} after {count}?' };

  it('has words for the person beside those for the model', () => {
    expect(answered(prompted)).toMatchObject({
      message: 'Stopped at 2.',
      prompt: 'Go on with read_file after 2?',
    });
    expect(answered(asking)).not.toHaveProperty('prompt');
  });

  it("that nobody can answer is none, and words of one's own are for both", () => {
    expect(answered(prompted, { attended: false })).toMatchObject({
      action: 'halt',
      message: 'Stopped at 2.',
    });
    expect(answered(prompted, { attended: false })).not.toHaveProperty('prompt');
    const own = answered(prompted, { messages: { 'call-count': 'Enough of {tool}?' } });
    expect(own).toMatchObject({ action: 'ask', message: 'Enough of read_file?' });
    expect(own).not.toHaveProperty('prompt');
  });

  it('of recommended is one for a person, and what follows it is none', () => {
    const { ladder } = presets.recommended;
    const questions = ladder.filter(({ action }) => action === 'ask');
    expect(questions.length).toBeGreaterThan(30);
    for (const { prompt, message } of questions) {
      expect(prompt).toMatch(/\?$/);
      expect(prompt).not.toMatch(/Stopped|Report/);
      expect(message).toMatch(/^Stopped: .*\.$/);
    }
  });
});

describe('what a guard says', () => {
  it('tells the decision and the event', () => {
    const heard: [Intervention, AgentEvent][] = [];
    const guard = createGuard({ preset: 'zagens', onDecision: (...both) => heard.push(both) });
    for (let i = 0; i < 3; i++) guard.before({ ...call, at: i });
    expect(heard).toMatchObject([
      [
        { action: 'block', call: 3 },
        { type: 'tool-call', tool: 'read_file', at: 2 },
      ],
    ]);
  });

  it('joins lists in a message', () => {
    const preset: Preset = {
      name: 'cap',
      about: '',
      detectors: { cap: { kind: 'iteration-cap' } },
      ladder: [{ on: 'cap', at: 2, action: 'ask', message: '{used}: {recent}' }],
    };
    const guard = createGuard({ preset });
    const answers = ['a', 'b', 'c'].map((tool) => guard.before({ tool }));
    expect(answers[2]).toMatchObject({ action: 'ask', message: '2: a, b' });
  });

  it('needs no callbacks', () => {
    const guard = createGuard({ preset: 'zagens' });
    expect(guard.accept(null as never)).toEqual({ action: 'allow' });
  });

  it.each([
    [7, 'an event is 7; it must be an object'],
    [[], 'an event is []; it must be an object'],
    [{ type: 7 }, 'type is 7; it must be a text'],
    [{ type: 'tool-call' }, 'tool is undefined; it must be a text'],
    [{ type: 'tool-call', tool: 't', id: {} }, 'id is {}; it must be a text'],
    [
      { type: 'control', do: 'x' },
      'do is "x"; it must be one of grant, approve, delivered, reset, disable, enable',
    ],
    [{ type: 'control', do: 'grant', n: -1 }, 'n is -1; it must be a number from 0 up'],
    [
      { type: 'turn', text: 'x'.repeat(9), agent: ['y'.repeat(99)] },
      `agent is ["${'y'.repeat(78)}...; it must be a text`,
    ],
  ])('%j: %s', (event, message) => {
    const errors: unknown[] = [];
    const guard = createGuard({ preset: 'zagens', onError: (error) => errors.push(error) });
    guard.accept(event as never);
    expect(errors).toMatchObject([{ name: 'DeloopError', code: 'event', message }]);
  });

  it('understands events however they are told', () => {
    const guard = createGuard({ preset: 'zagens' });
    const accept = (event: object) => guard.accept(event as never).action;
    const answers = [1, 2, 3].map((id) => {
      accept({ type: 'tool-call', id, tool: 't', args: { id } });
      return accept({ type: 'tool-result', id, ok: false });
    });
    expect(answers).toEqual(['allow', 'allow', 'nudge']);
    accept({ type: 'tool-call', id: 4, tool: 't' });
    accept({ type: 'tool-result', id: 4, status: 'no such status', success: true });
    expect(guard.state.agents[0]?.detectors[1]).toEqual([]);
    expect(guard.state.open).toEqual([]);
    expect(accept({ type: 'control', do: 'grant', n: 0 })).toBe('allow');
  });

  it('names what is wrong with a saved state', () => {
    const state = (saved: unknown) => () => createGuard({ preset: 'zagens', state: saved });
    expect(state(7)).toThrow(expect.objectContaining({ code: 'state' }));
    expect(state({ ...createGuard().state, version: 9 })).toThrow(expect.objectContaining({ code: 'state' }));
    expect(state({ ...createGuard().state, open: 7 })).toThrow(expect.objectContaining({ code: 'state' }));
    expect(state({ ...createGuard().state, undo: Array(9).fill(createGuard().state.agents[0]) })).toThrow(
      expect.objectContaining({ code: 'state' }),
    );
  });

  it('takes a list of presets by name, and nothing else', () => {
    expect(Object.keys(presets).join(' ')).toBe(
      'koda attocode attocode-py atomcode zagens deepseek-tui recommended gemini-cli qwen-code openclaw roo-code cline opencode crush goose openhands openhands-sdk hermes kimi crewai deer-flow openrouter codex',
    );
  });
});
