/** What can be told to wait with more. */
interface Source {
  pause(): unknown;
  resume(): unknown;
}

/** What is taken in or handed out of long texts in one turn of the event loop: some milliseconds. */
const PER_TURN = 512 * 1024;
/** How many of those that had to wait go on in the next turn. */
const AT_ONCE = 4;

const held: Array<() => void> = [];
let spent = 0;
let scheduled = false;

/**
 * Bytes of a long text that came. In one turn the system hands over what has come on every connection, megabytes of each; beyond a
 * measure for all of them together a source waits for its turn, first come, first served.
 */
export function pace(source: Source, bytes: number): void {
  if (!isOver(bytes)) return;
  source.pause();
  held.push(() => source.resume());
}

/** The same for whoever asks for its parts itself: there where it has to wait. */
export function paced(bytes: number): Promise<void> | undefined {
  return isOver(bytes) ? new Promise((resolve) => held.push(resolve)) : undefined;
}

function isOver(bytes: number): boolean {
  spent += bytes;
  if (!scheduled) schedule();
  return spent > PER_TURN;
}

function schedule(): void {
  scheduled = true;
  setImmediate(release);
}

function release(): void {
  scheduled = false;
  spent = 0;
  for (const goOn of held.splice(0, AT_ONCE)) goOn();
  if (held.length > 0 && !scheduled) schedule();
}
