import { FairQueue } from './fair-queue.ts';

export interface RoomSizes {
  /** Bytes that are taken in at once, of all clients. */
  atOnce: number;
  /** Bytes that may wait, unread. */
  waiting: number;
  /** Who waits longer would rather know. */
  waitMs: number;
  /** Who takes longer to send than this takes little of anything, and does not keep the others waiting. */
  slowMs: number;
}

/** Reading a message is a part of the work that it makes: its room is free again only after so many times as long. */
const AFTERWARDS = 3;

const MB = 1024 * 1024;
const SIZES: RoomSizes = { atOnce: 4 * MB, waiting: 64 * MB, waitMs: 5_000, slowMs: 1_000 };

/** The place of one long message. */
export interface Place {
  /** True as soon as it may be taken in; false where there is no room in time. */
  readonly ready: Promise<boolean>;
  /** All of it is here. */
  arrived(): void;
  /** It has been read, or never will be. */
  leave: () => void;
}

/** Asks for a place; Infinity where nobody has said how long the message will be. */
export type AskRoom = (bytes: number) => Place;

interface Asking {
  readonly client: string;
  readonly size: number;
  settle(isIn: boolean): void;
}

/**
 * Room for long messages, asked for before anything of one is taken in: what waits costs no more than its connection. Clients are served
 * in turn: who sends much waits behind his own messages, and where too much waits it is he who hears at once to come again.
 */
export function createLongRoom(sizes: Partial<RoomSizes> = {}): (client: string, bytes: number) => Place {
  const { atOnce, waiting: mostWaiting, waitMs, slowMs } = { ...SIZES, ...sizes };
  const queue = new FairQueue<Asking>();
  /** Whose turn it is, as soon as there is room for so much. */
  let first: Asking | undefined;
  let taken = 0;
  let waiting = 0;

  const isFree = (size: number) => taken === 0 || taken + size <= atOnce;

  function letIn(): void {
    for (first ??= queue.next(); first && isFree(first.size); first = queue.next()) settle(first, true);
  }

  function settle(one: Asking, isIn: boolean): void {
    waiting -= one.size;
    one.settle(isIn);
  }

  function remove(one: Asking): void {
    if (one === first) first = undefined;
    else if (!queue.delete(one)) return;
    settle(one, false);
    letIn();
  }

  /** False: there is no room to wait either. */
  function line(one: Asking): boolean {
    while (waiting > 0 && waiting + one.size > mostWaiting) {
      const displaced = queue.displacedBy(one.client);
      if (!displaced) return false;
      settle(displaced, false);
    }
    waiting += one.size;
    queue.add(one);
    return true;
  }

  return function ask(client, bytes) {
    const size = Math.min(bytes, atOnce);
    let isIn = false;
    let since = 0;
    let timer: NodeJS.Timeout | undefined;
    let tell!: (isIn: boolean) => void;
    const ready = new Promise<boolean>((resolve) => (tell = resolve));
    const one: Asking = {
      client,
      size,
      settle(mayEnter) {
        clearTimeout(timer);
        isIn = mayEnter;
        if (isIn) {
          taken += size;
          since = performance.now();
          timer = setTimeout(leave, slowMs).unref();
        }
        tell(isIn);
      },
    };
    function leave(): void {
      clearTimeout(timer);
      if (!isIn) return remove(one);
      isIn = false;
      setTimeout(free, Math.min(AFTERWARDS * (performance.now() - since), slowMs)).unref();
    }
    function free(): void {
      taken -= size;
      letIn();
    }
    if (!first && queue.size === 0 && isFree(size)) one.settle(true);
    else if (line(one)) timer = setTimeout(leave, waitMs).unref();
    else one.settle(false);
    return { ready, arrived: () => void (isIn && clearTimeout(timer)), leave };
  };
}
