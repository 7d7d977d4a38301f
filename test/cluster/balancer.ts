import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Sends each request to the next proxy in turn: no client stays with one. */
export interface Balancer {
  url: string;
  /** Addresses of the proxies; an absent one is being restarted. */
  backends: Array<string | undefined>;
  close(): Promise<void>;
}

const ANSWER_MS = 30_000;

export async function startBalancer(): Promise<Balancer> {
  let turn = 0;

  function next(): URL | undefined {
    const present = balancer.backends.filter((each) => each !== undefined);
    return present.length === 0 ? undefined : new URL(present[turn++ % present.length]!);
  }

  /** A request whose connection is refused was not sent, so the next proxy may have it. Everything else is told to the client. */
  function forward(body: Buffer, [req, res]: [IncomingMessage, ServerResponse], triesLeft: number): void {
    const backend = next();
    if (!backend) return void res.writeHead(503).end('no backend');
    const { hostname, port, host } = backend;
    const passed = request({
      hostname,
      port,
      method: req.method,
      path: req.url,
      headers: { ...req.headers, host },
      agent: false,
      timeout: ANSWER_MS,
    });
    passed.on('response', (answer) => {
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
      answer.on('error', () => res.destroy());
    });
    passed.on('timeout', () => passed.destroy());
    passed.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && triesLeft > 0) return forward(body, [req, res], triesLeft - 1);
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end('the backend was lost');
    });
    res.on('close', () => passed.destroy());
    passed.end(body);
  }

  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => forward(Buffer.concat(parts), [req, res], balancer.backends.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const balancer: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    backends: [],
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return balancer;
}
