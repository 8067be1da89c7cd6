// Hand-written loops under deloop/generic: a scripted model, three ways in.
import assert from 'node:assert/strict';
import { deloop, isCallBlocked, isLoopHalted } from 'deloop/generic';

const search = async ({ query }) => `Nothing was found for ${query}.`;

console.log('1. Wrapped tools: one line, and the tools look after themselves.');
{
  const guard = deloop();
  const tools = guard.tools({ search });
  const story = [];
  for (let n = 1; n <= 7; n++) {
    try {
      const result = await tools.search({ query: 'the cause' });
      story.push(result.includes('\n\n') ? 'nudged' : 'ran');
    } catch (error) {
      assert.ok(isCallBlocked(error) || isLoopHalted(error));
      story.push(isCallBlocked(error) ? 'blocked' : 'halted');
      console.log(`  call ${n}: ${error.message}`);
    }
  }
  assert.deepEqual(story, ['ran', 'ran', 'nudged', 'ran', 'blocked', 'blocked', 'halted']);
  assert.equal(guard.stopped.detector, 'no-progress');
}

console.log('\n2. A loop: stopped with a report, then a person lets it go on.');
{
  /** Searches until it may not, and then says what it has. */
  const model = ({ tools }) =>
    tools ? { text: 'I search again.', call: { query: 'the cause' } } : { text: 'I have found nothing.' };
  let searches = 0;

  const guard = deloop({ session: 'story', onStop: ({ message }) => console.log(`  ${message}`) });
  const loop = async (run) => {
    const messages = [{ role: 'user', content: 'Find the cause.' }];
    const tools = run.tools(
      {
        search: (args) => {
          searches += 1;
          return search(args);
        },
      },
      { nudges: 'queue' },
    );
    while (!run.isOver()) {
      const { text, call } = model({ messages, tools: !run.takeLastTurn() });
      run.turn({ text });
      messages.push({ role: 'assistant', content: text });
      if (call === undefined) return text;
      const result = await tools.search(call).catch((error) => error.message);
      messages.push({ role: 'tool', content: result });
      const nudge = run.takeNudge();
      if (nudge) messages.push({ role: 'user', content: nudge.text });
      run.keep(messages);
    }
    return 'ended without a report';
  };

  const stopped = await guard.run(loop);
  assert.equal(stopped.ended, 'stopped');
  assert.equal(stopped.reason.by, 'deloop');
  assert.equal(stopped.partial, 'I have found nothing.');
  assert.equal(searches, 4);
  console.log(`  the report: ${stopped.partial}`);

  guard.resume();
  await guard.run(loop);
  assert.equal(searches, 8);
  console.log('  let go on, it has searched four more times, and was stopped again');
}

console.log('\n3. Messages: shown to the guard as they are, here in the words of OpenAI.');
{
  let id = 0;
  /** Listens to the nudge. */
  const model = (messages) => {
    if (messages.at(-1).role === 'user' && messages.length > 1)
      return { role: 'assistant', content: 'It is not there.' };
    const call = { name: 'search', arguments: '{"query":"the cause"}' };
    return {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${++id}`, type: 'function', function: call }],
    };
  };

  const { read } = deloop();
  const messages = [{ role: 'user', content: 'Find the cause.' }];
  for (let over = false; !over; ) {
    messages.push(model(messages));
    let next = await read(messages);
    const { calls } = next;
    for (const { id: tool_call_id, args, verdict } of calls) {
      const content = verdict.do === 'run' ? await search(JSON.parse(args)) : verdict.text;
      messages.push({ role: 'tool', tool_call_id, content });
    }
    if (calls.length > 0) next = await read(messages);
    if (next.nudge !== null) {
      console.log(`  ${next.nudge}`);
      messages.push({ role: 'user', content: next.nudge });
    }
    over = next.over || calls.length === 0;
  }
  assert.equal(id, 3);
  assert.equal(messages.at(-1).content, 'It is not there.');
}

console.log('\nAll three went as told.');
