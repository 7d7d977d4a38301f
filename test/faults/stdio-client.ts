import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { modernRpc, INITIALIZE, rpc } from '../fixtures/mcp-messages.ts';
import { spawnCli } from '../e2e/run-cli.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every kind are looked at field by field
type Answer = any;

/** A client that starts `mcpproxy stdio` and talks to it line by line. */
export interface StdioClient {
  call(name: string, args: Record<string, unknown>): Promise<Answer>;
  /** Ends it as a client does, and gives its exit code. */
  close(): Promise<number | null>;
}

export async function startStdio(place: string[], home: string, isModern: boolean): Promise<StdioClient> {
  const child: ChildProcessWithoutNullStreams = spawnCli(['stdio', ...place], { home });
  const waiting = new Map<unknown, (answer: Answer) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: unknown };
    waiting.get(message.id)?.(message);
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let last = 0;
  const send = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`);
  function ask(method: string, params: object): Promise<Answer> {
    const id = ++last;
    send(isModern ? modernRpc(method, params as never, id) : rpc(method, params as never, id));
    return Promise.race([
      new Promise<Answer>((resolve) => waiting.set(id, resolve)),
      ended.then((code) => ({ error: { message: `mcpproxy stdio ended with ${code}` } })),
    ]);
  }
  if (!isModern) {
    await ask('initialize', INITIALIZE);
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  return {
    call: (name, args) => ask('tools/call', { name, arguments: args }),
    close() {
      child.stdin.end();
      return ended;
    },
  };
}
