import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createClient, type Client } from '../../src/contract/routes/client.ts';
import { startDaemon, type Daemon } from '../../src/start/daemon.ts';
import { openInstallation } from '../../src/start/place.ts';
import { fixture } from '../fixtures/start.ts';
import { answered } from './in-time.ts';
import { RawLine, type Answer } from './raw-line.ts';

export interface Sent {
  method?: string;
  path: string;
  headers?: Array<readonly [string, string]>;
  body?: string | Buffer;
}

/** The whole proxy in this process, on a real port, with a server behind it that writes down what reached it. */
export interface Stage {
  daemon: Daemon;
  port: number;
  key: string;
  rest: Client;
  /** One exchange over a connection that is kept. Throws where there is no answer, or one that no input may bring about. */
  send(sent: Sent): Promise<Answer>;
  /** Grows with every call that reaches the server. */
  calls(): number;
  /** How many they were so far. */
  runs(): number;
  /** What the proxy said of itself going wrong. */
  faults: string[];
  stop(): Promise<void>;
}

const KEY = 'fuzz-key-0123456789abcdef';

export async function startStage(config: Record<string, unknown> = {}): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-fuzz-'));
  const [file, calls] = [join(dir, 'mcp_config.json'), join(dir, 'calls.log')];
  const mcpServers = { up: fixture('annotated.mjs', '--log', calls) };
  writeFileSync(file, JSON.stringify({ api_key: KEY, mcpServers, ...config }), { mode: 0o600 });
  const faults: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void faults.push(line) });
  const place = openInstallation({ config: file, dataDir: join(dir, 'data') }, { watch: false, log });
  const daemon = await startDaemon(place, { listen: '127.0.0.1:0', log });
  await daemon.app.upstreams.settled();
  const port = Number(new URL(daemon.url).port);
  const line = new RawLine(port);
  return {
    daemon,
    port,
    key: KEY,
    rest: createClient({ url: daemon.url, apiKey: KEY, client: 'fuzz' }),
    async send(sent) {
      const request = bytesOf(sent, port);
      const answer = await answered(
        line.send(request, { isHead: sent.method === 'HEAD' }),
        request.toString('latin1'),
      );
      judge(answer, faults);
      return answer;
    },
    calls: () => statSync(calls, { throwIfNoEntry: false })?.size ?? 0,
    runs: () => (existsSync(calls) ? readFileSync(calls, 'latin1').split('\n').length - 1 : 0),
    faults,
    async stop() {
      line.close();
      await daemon.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** No input may break something inside, and none may go without an answer. */
export function judge({ status, body }: Answer, faults: string[]): void {
  if (faults.length > 0) throw new Error(`something broke inside: ${faults.splice(0).join('')}`);
  if (status === 500 || body.includes('-32603'))
    throw new Error(`a fault inside: ${status} ${body.slice(0, 500)}`);
  if (status === 0) throw new Error('the connection was cut without an answer');
}

function bytesOf({ method = 'POST', path, headers = [], body }: Sent, port: number): Buffer {
  const own = [...headers];
  const has = (name: string) => own.some(([given]) => given.toLowerCase() === name);
  if (!has('host')) own.unshift(['host', `127.0.0.1:${port}`]);
  if (!has('x-api-key') && !has('authorization') && !has('cookie')) own.push(['x-api-key', KEY]);
  const bytes = body === undefined ? undefined : Buffer.from(body as string);
  if (bytes) own.push(['content-length', String(bytes.length)]);
  const head = `${method} ${path} HTTP/1.1\r\n${own.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), ...(bytes ? [bytes] : [])]);
}
