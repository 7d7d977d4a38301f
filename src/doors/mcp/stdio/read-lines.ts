import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '../../../lib/message-stream.ts';
import { answerId } from '../../../lib/rpc.ts';
import { CODE, RpcError, type RequestId } from '../wire.ts';

const EDGE = 256;

interface LineReader {
  line(text: string): void;
  /** There while lines that have come are still being read. */
  reading?: () => Promise<void> | undefined;
  /** A line over the limit, or not UTF-8, was skipped; its id where that could still be read. */
  unreadable(error: RpcError, id: RequestId | null): void;
  /** `broken`: nobody reads the other side any more. */
  ended(broken: boolean): void;
}

/** Reads one message per line, until either side of the pipe is gone; `ended` comes exactly once. */
export function readLines(input: Readable, output: Writable, maxBytes: number, reader: LineReader): void {
  let over = false;
  function end(broken: boolean): void {
    if (over) return;
    over = true;
    reader.ended(broken);
  }
  /** Only when all that came before has been heard. */
  function endOfInput(): void {
    const reading = reader.reading?.();
    if (reading) void reading.then(() => end(false));
    else end(false);
  }
  function tooLong({ head, tail }: { head: string; tail: string }): void {
    const options = { data: { limit: maxBytes }, record: 'PAYLOAD_TOO_LARGE' } as const;
    const error = new RpcError(
      CODE.invalidRequest,
      `Invalid Request: a message may have ${maxBytes} bytes`,
      options,
    );
    reader.unreadable(error, answerId(head, tail) ?? null);
  }
  function garbled(text: string): void {
    const id = answerId(text.slice(0, EDGE), text.slice(-EDGE)) ?? null;
    const problem = 'Parse error: the message is not valid UTF-8';
    reader.unreadable(new RpcError(CODE.parse, problem, { record: 'INVALID_JSON' }), id);
  }
  const sink = {
    line: (text: string, isValid: boolean) => {
      if (!isValid) garbled(text);
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
