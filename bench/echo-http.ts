import { randomUUID } from 'node:crypto';
import { answerTo } from './echo-answers.ts';
import { listen, readBody, sendJson } from './listen.ts';
import type { Rpc } from './wire.ts';

// The echo upstream over Streamable HTTP. It hands out session ids but keeps nothing of them.

listen((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'DELETE' ? 200 : 405, { 'content-length': 0 }).end();
    return;
  }
  readBody(request, (body) => {
    const message = JSON.parse(body) as Rpc;
    const answer = answerTo(message);
    if (!answer) response.writeHead(202, { 'content-length': 0 }).end();
    else
      sendJson(
        response,
        JSON.stringify(answer),
        message.method === 'initialize' ? { 'mcp-session-id': randomUUID() } : {},
      );
  });
});
