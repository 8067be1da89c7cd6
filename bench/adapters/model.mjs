// The scripted model, in a process of its own: every answer follows from the request alone. Prints its address.
import { createServer } from 'node:http';
import { gemini } from '../../test/e2e/fake-llm/gemini.mjs';
import { openaiChat } from '../../test/e2e/fake-llm/openai-chat.mjs';
import { STEPS, stepOf } from './script.mjs';

/** Characters of one piece of a stream: about a token. */
const PIECE = 4;

function saidTo({ messages, model }) {
  const run = Number(/\d+/.exec(messages.find(({ role }) => role === 'user').text)[0]);
  const step = messages.filter(({ role }) => role === 'assistant').length;
  const usage = { input: 2000 + step * 700, output: 60, cachedInput: step * 600, reasoning: 0 };
  if (step >= STEPS - 1) return { model, text: 'Done.', calls: [], usage, pieceSize: PIECE };
  const { text, tool, args } = stepOf(run, step);
  return { model, text, calls: [{ id: `call_${run}_${step}`, tool, args }], usage, pieceSize: PIECE };
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://127.0.0.1');
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const api = [openaiChat, gemini].find((known) => known.matches(pathname));
  const asked = api.read(JSON.parse(Buffer.concat(chunks).toString()), pathname);
  const said = saidTo(asked);
  if (!asked.stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(api.whole(said)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { data } of api.pieces(said))
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  response.end();
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
