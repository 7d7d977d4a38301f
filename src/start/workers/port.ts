import type { Worker } from 'node:cluster';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { ProxyError } from '../../contract/errors.ts';

/** The port of several workers. */
export interface Port {
  url: string;
  /** The worker takes connections from now on. */
  add(worker: Worker): void;
  /** The worker has a connection, and will answer on it. */
  taken(id: number): void;
  /** The worker is gone: what it has not taken goes to another one. */
  remove(worker: Worker): void;
  close(): void;
}

const BACKLOG = 4_096;

/**
 * Gives connections to workers in turn. Nothing is read here, and a worker reads a connection only after it has said that it has it: so one
 * that a worker has not taken when it dies is as it was, and another worker gets it.
 */
export async function openPort(host: string, port: number): Promise<Port> {
  const workers: Worker[] = [];
  const waiting: Socket[] = [];
  const given = new Map<number, { socket: Socket; worker: Worker }>();
  let turn = 0;
  let lastId = 0;

  function give(socket: Socket): void {
    const worker = workers[turn++ % Math.max(1, workers.length)];
    if (!worker) return void waiting.push(socket);
    const id = ++lastId;
    given.set(id, { socket, worker });
    worker.send({ connection: id }, socket, { keepOpen: true }, (error) => error && giveAgain(id));
  }

  function giveAgain(id: number): void {
    const { socket, worker } = given.get(id) ?? {};
    given.delete(id);
    if (!socket || !worker) return;
    leave(worker);
    give(socket);
  }

  function leave(worker: Worker): void {
    const at = workers.indexOf(worker);
    if (at !== -1) workers.splice(at, 1);
  }

  const server = createServer({ pauseOnConnect: true }, (socket) => {
    // A client that leaves meanwhile is noticed by the worker.
    socket.on('error', () => socket.destroy());
    give(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, `${host}:${port}`)));
    server.listen({ port, host, backlog: BACKLOG, exclusive: true }, resolve);
  });
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${(server.address() as AddressInfo).port}`,
    add(worker) {
      workers.push(worker);
      for (const socket of waiting.splice(0)) give(socket);
    },
    taken(id) {
      given.get(id)?.socket.destroy();
      given.delete(id);
    },
    remove(worker) {
      leave(worker);
      for (const [id, { worker: to }] of given) if (to === worker) giveAgain(id);
    },
    close() {
      server.close();
      for (const socket of [...waiting, ...[...given.values()].map((each) => each.socket)]) socket.destroy();
    },
  };
}

function listenError(error: NodeJS.ErrnoException, address: string): ProxyError {
  const [code, why] =
    error.code === 'EADDRINUSE'
      ? (['PORT_IN_USE', `Another program listens on ${address}: stop it, or`] as const)
      : (['CONFIG_INVALID', `Cannot listen on ${address} (${error.code ?? error.message}):`] as const);
  return new ProxyError(code, `${why} choose another address with --listen HOST:PORT`, { address }).withCause(
    error,
  );
}
