import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicMessages } from './anthropic-messages.mjs';
import { gemini } from './gemini.mjs';
import { openaiChat } from './openai-chat.mjs';
import { openaiResponses } from './openai-responses.mjs';
import { createPlay } from './play.mjs';

const APIS = [openaiChat, openaiResponses, anthropicMessages, gemini];

/**
 * A model on 127.0.0.1 that says what a script tells it to; the script's shape is in the README beside this file.
 * `log` = a file that gets one line of JSON per request: what the model received and what it answered.
 */
export async function startFakeModel({ script, log, port = 0 }) {
  const play = createPlay(script);
  if (log !== undefined) writeFileSync(log, '');
  const requests = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      sendJson(response, 500, { error: { message: String(error), type: 'fake_llm' } });
    });
  });
  // A connection that is closed just when an agent takes it up again costs a retry, which scripts do not know of.
  server.keepAliveTimeout = 0;

  async function answer(request, response) {
    const { pathname } = new URL(request.url, 'http://127.0.0.1');
    const api = request.method === 'POST' ? APIS.find((known) => known.matches(pathname)) : undefined;
    const body = await bodyOf(request);
    if (api === undefined) {
      note({ path: `${request.method} ${pathname}` });
      const known = APIS.map(({ other }) => other?.(request.method, pathname)).find((found) => found);
      return sendJson(response, known === undefined ? 404 : 200, known ?? { error: { message: 'Not here' } });
    }
    const asked = api.read(JSON.parse(body), pathname);
    const { conversation, turn, said } = play.next(asked);
    const told = { ...said, model: asked.model };
    note({ path: pathname, ...asked, conversation, turn, answer: said });
    await sleep(said.delayMs ?? 0);
    if (!asked.stream) return sendJson(response, 200, api.whole(told));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const { event, data } of api.pieces(told)) {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
    }
    response.end();
  }

  function note(entry) {
    requests.push(entry);
    if (log !== undefined) appendFileSync(log, `${JSON.stringify(entry)}\n`);
  }

  await new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', done);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response, status, value) {
  if (response.headersSent) return response.end();
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
