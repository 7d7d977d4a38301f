import { connect, type Socket } from 'node:net';

/** Connections that send a request and then take their time. */
export interface SlowSenders {
  /** How many have been answered or cut. */
  ended(): number;
  /** The status and the message of each answer so far; '' for a connection that was cut without one. */
  answers(): string[];
  close(): void;
}

const AT_ONCE = 50;

/** Opens so many connections and sends the same text on each; resolves when all are sent. `drip`: a byte now and then follows. */
export async function openSenders(
  url: string,
  count: number,
  { text, drip = false }: { text: string; drip?: boolean },
): Promise<SlowSenders> {
  const { port } = new URL(url);
  const answers: string[] = [];
  const sockets: Socket[] = [];
  const sent: Array<Promise<void>> = [];
  for (let n = 0; n < count; n++) {
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    let isTold = false;
    const tell = () => {
      if (isTold) return;
      isTold = true;
      answers.push(answer && `${answer.slice(9, 12)} ${/"message":"([^"]*)/.exec(answer)?.[1] ?? answer}`);
    };
    socket.on('error', () => undefined).on('close', tell);
    socket.on('data', (chunk) => {
      answer += String(chunk);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (length !== undefined && Buffer.byteLength(body) >= Number(length)) tell();
    });
    sent.push(new Promise((done) => socket.once('connect', () => socket.write(text, () => done()))));
    sockets.push(socket);
    if (n % AT_ONCE === 0) await new Promise(setImmediate);
  }
  await Promise.all(sent);
  const timer = setInterval(() => {
    for (const socket of drip ? sockets : [])
      if (socket.writable && socket.bytesRead === 0) socket.write(' ');
  }, 500);
  return {
    ended: () => answers.length,
    answers: () => answers,
    close() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
