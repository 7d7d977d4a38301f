import { InMemoryTransport, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createTasksServer, type TasksParts } from './server.ts';

/**
 * The client's end of a connection to a tasks server in this process; closing it ends the server. The entry for stdio takes any
 * transport and lets the first message choose the protocol era, so both eras are served here too.
 */
export function createTasksTransport(parts: TasksParts): Transport {
  const [client, server] = InMemoryTransport.createLinkedPair();
  serveStdio(() => createTasksServer(parts), { transport: server });
  return client;
}
