import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { answersAt } from './prove-connection.ts';

test('says whether a program answers at an address', async () => {
  const server = createServer((_, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  expect(await answersAt(url)).toBe(true);
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  expect(await answersAt(url)).toBe(false);
});
