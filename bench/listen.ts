import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves on a free port of the loopback interface and says where, as the first line on stdout. */
export function listen(handle: RequestListener): void {
  const server = createServer(handle);
  // Longer than the pauses between the rounds of one target.
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () =>
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
  );
}

export function readBody(request: IncomingMessage, onBody: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => onBody((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()));
}

export function sendJson(response: ServerResponse, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
