import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createAnswerReader } from './http-answer.ts';
import { lineWriter, readLines } from './lines.ts';
import { CALL_NUMBER, callBody, callRequest, type Target } from './load-plan.ts';
import { CLIENT_INFO, JSON_HEADERS } from './wire.ts';

/** One caller's way to the target. `call` gives what was wrong with the answer, if anything. */
export interface Lane {
  call(number: string): Promise<string | undefined>;
  close(): void;
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO },
};

/** The 2025 handshake. A target without sessions gives none. */
export async function openSession({ url, headers }: Target): Promise<string | undefined> {
  const post = async (message: unknown, extra: Record<string, string> = {}) => {
    const answer = await fetch(url!, {
      method: 'POST',
      headers: { ...JSON_HEADERS, ...headers, ...extra },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`handshake: ${answer.status} ${text}`);
    return answer.headers.get('mcp-session-id') ?? undefined;
  };
  const session = await post(INITIALIZE);
  await post(
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { 'mcp-protocol-version': '2025-11-25', ...(session && { 'mcp-session-id': session }) },
  );
  return session;
}

export async function openHttpLane(target: Target, session: string | undefined): Promise<Lane> {
  const url = new URL(target.url!);
  const request = callRequest(target, url, session).split(CALL_NUMBER);
  const socket = connect(Number(url.port), url.hostname);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  let settle: ((problem?: string) => void) | undefined;
  let expected = '';
  socket.on(
    'data',
    createAnswerReader(({ status, body }) => {
      settle?.(
        status === 200 && body.includes(expected) && !body.includes('"isError":true')
          ? undefined
          : `${status} ${body.slice(0, 300)}`,
      );
    }),
  );
  socket.on('error', (error) => settle?.(error.message));
  socket.on('close', () => settle?.('connection closed'));
  return {
    call(number) {
      expected = `m${number}`;
      return new Promise((resolve) => {
        settle = resolve;
        socket.write(request.join(number), 'latin1');
      });
    },
    close: () => socket.destroy(),
  };
}

/** All callers share the one pipe, as they would share the one process. */
export function openStdioLane(target: Target): Lane {
  const [program, ...args] = target.command!;
  const child = spawn(program!, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const write = lineWriter(child.stdin);
  const waiting = new Map<string, (problem?: string) => void>();
  const request = callBody(target).split(CALL_NUMBER);
  readLines(child.stdout, (line) => {
    const number = /"id":(\d+)/.exec(line)?.[1] ?? '';
    waiting.get(number)?.(line.includes(`m${number}`) ? undefined : line.slice(0, 300));
    waiting.delete(number);
  });
  if (target.era === '2025-11-25') write(JSON.stringify(INITIALIZE));
  return {
    call(number) {
      write(request.join(number));
      return new Promise((resolve) => waiting.set(number, resolve));
    },
    close: () => child.kill(),
  };
}
