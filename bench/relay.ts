import { spawn } from 'node:child_process';
import { Pool } from 'undici';
import { lineWriter, readLines } from './lines.ts';
import { listen, readBody, sendJson } from './listen.ts';
import type { Rpc } from './wire.ts';

// The lower bound: relays JSON-RPC from HTTP to stdio or HTTP and translates ids, without any check or record.
// usage: relay.js URL | relay.js PROGRAM [ARGUMENT …]

type Forward = (message: Rpc, headers: Record<string, string>, answer: (message: Rpc) => void) => void;

const [target, ...rest] = process.argv.slice(2);
if (!target) throw new Error('usage: relay.js URL | relay.js PROGRAM [ARGUMENT …]');
const forward = target.startsWith('http:') ? overHttp(new URL(target)) : overStdio(target, rest);
let next = 1;

listen((request, response) => {
  readBody(request, (body) => {
    const message = JSON.parse(body) as Rpc;
    if (message.id === undefined) {
      response.writeHead(202, { 'content-length': 0 }).end();
      return;
    }
    const { id } = message;
    message.id = next++;
    forward(message, passedOn(request.headers), (answer) => {
      answer.id = id;
      sendJson(response, JSON.stringify(answer));
    });
  });
});

function passedOn(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name in headers)
    if (name.startsWith('mcp-') || name === 'accept' || name === 'content-type')
      passed[name] = headers[name] as string;
  return passed;
}

function overStdio(program: string, args: string[]): Forward {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.on('exit', () => process.exit(1));
  process.on('SIGTERM', () => child.kill() && process.exit(0));
  const write = lineWriter(child.stdin);
  const waiting = new Map<Rpc['id'], (message: Rpc) => void>();
  readLines(child.stdout, (line) => {
    const message = JSON.parse(line) as Rpc;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  return (message, _headers, answer) => {
    waiting.set(message.id, answer);
    write(JSON.stringify(message));
  };
}

function overHttp(url: URL): Forward {
  const pool = new Pool(url.origin, { connections: 32, pipelining: 1, keepAliveTimeout: 60_000 });
  return (message, headers, answer) => {
    const chunks: Buffer[] = [];
    pool.dispatch(
      { path: url.pathname, method: 'POST', headers, body: JSON.stringify(message) },
      {
        onRequestStart() {},
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd: () => answer(JSON.parse(Buffer.concat(chunks).toString()) as Rpc),
        onResponseError(_controller, error) {
          throw error;
        },
      },
    );
  };
}
