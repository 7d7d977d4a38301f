import type { Socket } from 'node:net';

export interface KeylessRequests {
  readonly size: number;
  /** From now on its request counts; where there are too many, the oldest is closed. */
  add(socket: Socket): void;
  /** Its request is answered, or has shown a key. */
  delete(socket: Socket): void;
  /** Closes the one that has taken longest. False: there is none. */
  closeOldest(): boolean;
}

/**
 * Connections whose request has shown no key and is not answered yet. Nobody without a key keeps others out: there may be few of them,
 * and the slowest makes room, for another one without a key as well as for a request with one.
 */
export function createKeylessRequests(limit: () => number, close: (socket: Socket) => void): KeylessRequests {
  /** Oldest first. */
  const open = new Set<Socket>();

  function closeOldest(): boolean {
    for (const socket of open) {
      open.delete(socket);
      close(socket);
      return true;
    }
    return false;
  }

  return {
    get size() {
      return open.size;
    },
    add(socket) {
      open.add(socket);
      while (open.size > limit()) closeOldest();
    },
    delete: (socket) => void open.delete(socket),
    closeOldest,
  };
}
