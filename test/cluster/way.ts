import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The way of one proxy to the database: it can be cut, frozen, and led to another server. */
export interface Way {
  port: number;
  /** Where new connections go. */
  target: number;
  /** Ends every connection; new ones are made as before. */
  cut(): void;
  /** Refuses new connections, until it is thawed. */
  refuse(): void;
  /** Nothing gets through in either direction, and nobody is told: a partition. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

export async function openWay(target: number): Promise<Way> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let isRefusing = false;

  function carry(from: Socket, to: Socket): void {
    sockets.add(from);
    from.on('data', (data) => to.write(data));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isFrozen) from.pause();
  }
  const listener = createServer((client) => {
    if (isRefusing) {
      client.destroy();
      return;
    }
    const server = connect(way.target, '127.0.0.1');
    carry(client, server);
    carry(server, client);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const way: Way = {
    port: (listener.address() as AddressInfo).port,
    target,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    refuse() {
      isRefusing = true;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      isRefusing = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      way.cut();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  return way;
}
