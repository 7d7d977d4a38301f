import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '../../../lib/message-stream.ts';
import { answerId } from '../../../lib/rpc.ts';
import { CODE, RpcError, type RequestId } from '../wire.ts';

const EDGE = 256;

interface LineReader {
  line(text: string): void;
  /** Pending while lines that have arrived are still being parsed. */
  reading?: () => Promise<void> | undefined;
  /** A line over the limit, or not UTF-8, was skipped; its id where that could still be read. */
  unreadable(error: RpcError, id: RequestId | null): void;
  /** `isBroken`: the client does not read its side any more. */
  ended(isBroken: boolean): void;
}

interface Pipes {
  input: Readable;
  output: Writable;
  maxBytes: number;
}

/** Reads one message per line until either side of the pipe is closed; `ended` is called exactly once. */
export function readLines({ input, output, maxBytes }: Pipes, reader: LineReader): void {
  let hasEnded = false;
  function end(isBroken: boolean): void {
    if (hasEnded) return;
    hasEnded = true;
    reader.ended(isBroken);
  }
  /** Only after everything that arrived before has been handled. */
  function endOfInput(): void {
    const reading = reader.reading?.();
    if (reading) void reading.then(() => end(false));
    else end(false);
  }
  function tooLong({ head, tail }: { head: string; tail: string }): void {
    const options = { data: { limit: maxBytes }, record: 'PAYLOAD_TOO_LARGE' } as const;
    const error = new RpcError(
      CODE.invalidRequest,
      `Invalid Request: the message is longer than ${maxBytes} bytes`,
      options,
    );
    reader.unreadable(error, answerId(head, tail) ?? null);
  }
  function invalidText(text: string): void {
    const id = answerId(text.slice(0, EDGE), text.slice(-EDGE)) ?? null;
    const problem = 'Parse error: the message is not valid UTF-8';
    reader.unreadable(new RpcError(CODE.parse, problem, { record: 'INVALID_JSON' }), id);
  }
  const sink = {
    line: (text: string, isValid: boolean) => {
      if (!isValid) invalidText(text);
      else if (text.trim() !== '') reader.line(text);
    },
    oversize: tooLong,
    endless(edges: { head: string; tail: string }) {
      tooLong(edges);
      input.destroy();
    },
  };
  const lines = new LineSplitter(sink, maxBytes);
  input.on('data', (chunk: Buffer) => lines.push(chunk));
  input.once('end', () => {
    lines.end();
    endOfInput();
  });
  input.once('error', endOfInput);
  input.once('close', endOfInput);
  output.once('error', () => end(true));
  output.once('close', () => end(true));
}
