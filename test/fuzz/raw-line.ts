import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  head: string;
  body: string;
}

interface Received {
  head: string;
  status: number;
  /** What came after the head so far. */
  rest: Buffer;
  isOver: boolean;
}

/**
 * A connection that is kept, and on which exactly what is given is written: no client library in between that would refuse it. One
 * exchange at a time; an event stream is answered by its head, and then the connection is given up.
 */
export class RawLine {
  readonly #port: number;
  #socket: Socket | undefined;
  #seen = Buffer.alloc(0);
  #done: ((answer: Answer) => void) | undefined;
  #isHead = false;

  constructor(port: number) {
    this.#port = port;
  }

  send(request: Buffer, { isHead = false } = {}): Promise<Answer> {
    return new Promise((resolve) => {
      this.#isHead = isHead;
      this.#done = resolve;
      const socket = this.#open();
      socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    if (this.#socket && !this.#socket.destroyed) return this.#socket;
    const socket = connect(this.#port, '127.0.0.1');
    this.#seen = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      if (socket !== this.#socket) return;
      this.#seen = Buffer.concat([this.#seen, chunk]);
      this.#look(false);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (socket !== this.#socket) return;
      this.#socket = undefined;
      this.#look(true);
      this.#answer({ status: 0, head: '', body: '' });
    });
    return (this.#socket = socket);
  }

  #answer(answer: Answer): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(answer);
  }

  #look(isOver: boolean): void {
    const end = this.#seen.indexOf('\r\n\r\n');
    if (end < 0 || !this.#done) return;
    const head = this.#seen.toString('latin1', 0, end).toLowerCase();
    const status = Number(head.slice(9, 12));
    if (status === 100) {
      this.#seen = this.#seen.subarray(end + 4);
      return this.#look(isOver);
    }
    const body = this.#bodyOf({ head, status, rest: this.#seen.subarray(end + 4), isOver });
    if (body === undefined) return;
    this.#seen = Buffer.alloc(0);
    const keeps = !head.includes('text/event-stream') && !/\r\nconnection: close/.test(head);
    if (!keeps) this.close();
    this.#answer({ status, head, body });
  }

  /** Undefined: it is not whole yet. */
  #bodyOf({ head, status, rest, isOver }: Received): string | undefined {
    if (this.#isHead || status === 204 || status === 304) return '';
    if (head.includes('content-type: text/event-stream')) return rest.toString();
    const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
    if (length !== undefined) return rest.length >= Number(length) ? rest.toString() : undefined;
    if (head.includes('transfer-encoding: chunked'))
      return rest.subarray(-5).equals(Buffer.from('0\r\n\r\n')) ? rest.toString() : undefined;
    return isOver ? rest.toString() : undefined;
  }
}

/** Writes this and nothing else, ends, and gives the status of whatever comes back; 0 where nothing does. */
export function sendAndEnd(port: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve) => {
    let seen = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('data', (chunk) => (seen += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(seen.slice(9, 12))));
  });
}
