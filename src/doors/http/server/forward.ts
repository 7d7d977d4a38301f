import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { chmodSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { ProxyError } from '../../../contract/errors.ts';
import { assignRequestId, sendError } from '../answer.ts';

// Of several workers on one port, one answers everything but MCP: what an operator does has one place. The others pass requests on to it.

/** Passes a request on as it is. */
export type Forward = (req: IncomingMessage, res: ServerResponse, proceed?: () => void) => void;

/** Where the connection of the client comes from and arrives; only the socket inside reads it. */
const PEER = 'x-mcpproxy-peer';
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect', PEER]);
const STEP_MS = 50;
/** A worker is started again in less. */
const PATIENCE_MS = 10_000;
const MAX_SOCKETS = 512;

interface Peer {
  remoteAddress?: string | undefined;
  localAddress?: string | undefined;
  localPort?: number | undefined;
}

export function createForward(path: string): Forward {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });

  return function forward(req, res, proceed) {
    const began = performance.now();
    proceed?.();
    send();

    function send(): void {
      let isConnected = false;
      const out = request({
        socketPath: path,
        agent,
        method: req.method,
        path: req.url,
        headers: headersOf(req),
      });
      out.once('socket', (socket: Socket) => {
        const begin = () => {
          isConnected = true;
          pipeline(req, out, () => undefined);
        };
        if (socket.connecting) socket.once('connect', begin);
        else begin();
      });
      out.once('response', (answer) => {
        const { statusCode = 502, statusMessage, rawHeaders } = answer;
        res.writeHead(statusCode, statusMessage, withoutConnection(rawHeaders));
        pipeline(answer, res, () => undefined);
      });
      out.once('error', () => {
        if (res.headersSent || isConnected) res.destroy();
        else if (res.destroyed) req.destroy();
        else if (performance.now() - began < PATIENCE_MS) setTimeout(send, STEP_MS);
        else refuse(req, res);
      });
      res.once('close', () => res.writableFinished || out.destroy());
    }
  };
}

function refuse(req: IncomingMessage, res: ServerResponse): void {
  const error = new ProxyError(
    'OVERLOADED',
    'The worker that answers this request is being started again. Nothing was done; try again in a moment',
    { retry_after_s: 1 },
  );
  sendError(res, error, assignRequestId(req));
}

function headersOf(req: IncomingMessage): string[] {
  const { remoteAddress, localAddress, localPort } = req.socket;
  const peer: Peer = { remoteAddress, localAddress, localPort };
  const hasBody =
    req.headers['content-length'] === undefined && req.headers['transfer-encoding'] !== undefined;
  return [
    ...withoutConnection(req.rawHeaders),
    ...(hasBody ? ['transfer-encoding', 'chunked'] : []),
    PEER,
    JSON.stringify(peer),
  ];
}

function withoutConnection(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2)
    if (!OF_CONNECTION.has(raw[at]!.toLowerCase())) kept.push(raw[at]!, raw[at + 1]!);
  return kept;
}

/** One of several workers, whose connections another process accepts. */
export interface WorkerPort {
  isFirst: boolean;
  index: number;
  /** The socket at which the first one answers what is not MCP. */
  path: string;
  url: string;
  onConnection: (take: (socket: Socket) => void) => void;
}

/** A server keeps time-outs only while it listens, so it listens where nobody can reach it. */
export async function takeConnections(
  server: Server,
  { path, index, onConnection }: WorkerPort,
): Promise<void> {
  const own = `${path}.${index}`;
  rmSync(own, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: own, exclusive: true }, resolve);
  });
  rmSync(own, { force: true });
  onConnection((socket) => void server.emit('connection', socket));
}

/** Listens for the other workers, at a socket that only the owner of this process can open. */
export async function listenInside(
  path: string,
  handle: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<{ close(): void }> {
  rmSync(path, { force: true });
  // The worker that passes a request on has checked how slowly it arrives.
  const server = createServer({ requireHostHeader: false, requestTimeout: 0 }, (req, res) => {
    const peer = JSON.parse(String(req.headers[PEER] ?? '{}')) as Peer;
    delete req.headers[PEER];
    for (const [name, value] of Object.entries(peer))
      Object.defineProperty(req.socket, name, { value, configurable: true });
    handle(req, res);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, resolve);
  });
  chmodSync(path, 0o600);
  return {
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}
