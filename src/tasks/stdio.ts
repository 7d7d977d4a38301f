import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../lib/log.ts';
import { createTasksServer, type TasksParts } from './server.ts';

/** The tasks server alone, over this process's stdin and stdout. Resolves when the client has gone. */
export async function runTasksStdio({ log, ...parts }: TasksParts & { log?: Log }): Promise<void> {
  const gone = Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
  const handle = serveStdio(() => createTasksServer(parts), {
    onerror: (error) => log?.warn({ err: error }, 'the client sent something that is no MCP message'),
  });
  await gone;
  await handle.close();
}
