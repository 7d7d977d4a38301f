import type { Socket } from 'node:net';

/** Who waited longer than this is served between those at the door. */
const PATIENCE_MS = 1_500;
/** Who is turned away rarely comes alone: so long after one, the next is waited for. */
const CROWD_MS = 50;
const LOOK_MS = 5;
/** So long requests that waited are begun in one go, and so much longer the door has the turn where there is a crowd. */
const SLICE_MS = 10;
const DOOR_MS = 90;

export interface DoorFirst {
  /** A connection was taken. */
  came(): void;
  /** A connection was turned away: there are more than are served. */
  left(): void;
  /** Begins the request now; the first one of a connection as soon as no further connection comes in. */
  begin(socket: Socket, start: () => void): void;
}

/**
 * Those who connect are heard before those who have just come in are served. A turn of the loop takes one connection and then everything
 * that is ready, and to say that there is no room costs a twentieth of a call: with thousands at the door, each would stand behind the
 * calls of all before it, only to be told to come back. Whoever was served before does not wait.
 */
export function createDoorFirst(now: () => number = () => performance.now()): DoorFirst {
  const known = new WeakSet<Socket>();
  const waiting: Array<{ start: () => void; since: number }> = [];
  let isLooking = false;
  let isComing = false;
  let crowdUntil = 0;
  let doorUntil = 0;

  function look(): void {
    const isCrowded = now() < crowdUntil;
    if (isComing || isCrowded) beginOverdue();
    else beginSome();
    isLooking = isComing || waiting.length > 0;
    const isCalm = !isComing;
    isComing = false;
    if (!isLooking) return;
    if (isCrowded && isCalm) setTimeout(look, LOOK_MS);
    else setImmediate(look);
  }

  function beginOverdue(): void {
    const [oldest] = waiting;
    if (!oldest || now() < Math.max(oldest.since + PATIENCE_MS, doorUntil)) return;
    beginSome();
    doorUntil = now() + DOOR_MS;
  }

  function beginSome(): void {
    const end = now() + SLICE_MS;
    let begun = 0;
    while (begun < waiting.length && now() < end) waiting[begun++]!.start();
    waiting.splice(0, begun);
  }

  function lookSoon(): void {
    if (isLooking) return;
    isLooking = true;
    setImmediate(look);
  }

  return {
    came() {
      isComing = true;
      lookSoon();
    },
    left() {
      crowdUntil = now() + CROWD_MS;
    },
    begin(socket, start) {
      const isFree = known.has(socket) || (!isLooking && now() >= crowdUntil);
      known.add(socket);
      if (isFree) return start();
      waiting.push({ start, since: now() });
      lookSoon();
    },
  };
}
