import type { Readable, Writable } from 'node:stream';
import type { Log } from '../../../lib/log.ts';
import { connectDaemon } from './daemon.ts';
import { MCP_LIMITS } from '../limits.ts';
import { LineWriter } from '../stdio/line-writer.ts';
import { readLines } from '../stdio/read-lines.ts';
import { MessageRelay } from './relay.ts';
import { errorMessage } from '../wire.ts';

export interface BridgeOptions {
  /** Where the daemon listens. */
  url: string;
  apiKey?: string;
  input: Readable;
  output: Writable;
  log: Log;
  /** How long open requests may still be answered after the client closed its side. */
  drainMs?: number;
}

/** Relays a client on a pair of pipes to a running daemon, message by message, in both eras. Resolves when the client has gone. */
export function bridgeStdio(options: BridgeOptions): Promise<void> {
  const { apiKey, input, output, log, drainMs = MCP_LIMITS.drainMs } = options;
  const url = new URL('/mcp', options.url).href;
  const writer = new LineWriter(input, output, MCP_LIMITS.bufferedBytes);
  const relay = new MessageRelay(connectDaemon(url, apiKey), writer, url, log);
  return new Promise((resolve) => {
    readLines(input, output, MCP_LIMITS.bodyBytes, {
      line: (text) => relay.line(text),
      unreadable: (error, id) => writer.answer(errorMessage(id, error)),
      ended: (broken) => void relay.close(broken ? 0 : drainMs).then(resolve),
    });
  });
}
