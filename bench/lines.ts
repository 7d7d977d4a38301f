import type { Readable, Writable } from 'node:stream';

/** Calls back once per line. Enough for the bench, whose lines are short. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) onLine(line);
  });
}

/** Lines that are written within one turn of the event loop leave in one system call. */
export function lineWriter(stream: Writable): (line: string) => void {
  let waiting = '';
  return (line) => {
    if (waiting === '') {
      setImmediate(() => {
        stream.write(waiting);
        waiting = '';
      });
    }
    waiting += `${line}\n`;
  };
}
