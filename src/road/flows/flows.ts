import { marksOf, piecesOf } from './marks.ts';
import { readings, textsIn } from './texts.ts';

/** Where something came from. */
export interface Origin {
  server: string;
  tool: string;
  /** The record of the call that brought it. */
  record: string;
}

interface Kept {
  check: number;
  /** The servers that have said it, newest last. */
  origins: Origin[];
}

interface Memory {
  marks: Map<number, Kept>;
  /** By server, oldest first: one that floods drives out only what it said itself. */
  order: Map<string, number[]>;
}

const MARKS_PER_SERVER = 2000;
const MARKS_PER_RESULT = 1000;
/** Of all clients; beyond it, the one that was quiet for longest is forgotten. */
const MARKS_IN_ALL = 200_000;
const ORIGINS_PER_MARK = 4;
const MAX_NAMED = 3;
const MOST_WAITING = 256;
const SLICE_MS = 2;
/** Lengths of what is read of one call's arguments, and of one result. */
const READ_ARGUMENTS = 32_768;
const READ_RESULT = 32_768;

export interface Seen extends Origin {
  client: string;
  /** What the client itself has said is not news to it. */
  args: unknown;
  result: unknown;
}

export type Flows = ReturnType<typeof createFlows>;

/**
 * Recognises what one server has said in what another is sent. Of results only fingerprints are kept, in memory, of each client the most
 * recent ones; they are taken after the answer has left, or when the next change asks for them.
 */
export function createFlows() {
  const memories = new Map<string, Memory>();
  const waiting: Seen[] = [];
  let kept = 0;

  /** A little at a time: nobody waits because others were answered at length. */
  function digest(): void {
    const end = performance.now() + SLICE_MS;
    while (waiting.length > 0 && performance.now() < end) remember(waiting.shift()!);
    if (waiting.length > 0) setImmediate(digest);
  }

  function digestOf(client: string): void {
    if (waiting.length === 0) return;
    const own = waiting.filter((seen) => seen.client === client);
    if (own.length === 0) return;
    const others = waiting.filter((seen) => seen.client !== client);
    waiting.splice(0, waiting.length, ...others);
    own.forEach(remember);
  }

  function memoryOf(client: string): Memory {
    const memory = memories.get(client) ?? { marks: new Map(), order: new Map() };
    // Newest last, so that the first is the one to forget.
    memories.delete(client);
    memories.set(client, memory);
    return memory;
  }

  function remember({ client, args, result, server, tool, record }: Seen): void {
    const { values, keys } = textsIn(result, ' ', READ_RESULT);
    const own = new Set<number>();
    for (const text of textsOf(args)) piecesOf(text, (key) => void own.add(key));
    const memory = memoryOf(client);
    const origin = { server, tool, record };
    let left = MARKS_PER_RESULT;
    const note = (key: number, check: number) => {
      if (left-- > 0 && !own.has(key)) keep(memory, key, check, origin);
    };
    marksOf(values, note);
    marksOf(keys, note);
    trim(memory, server);
    for (const [oldest, { marks }] of memories) {
      if (kept <= MARKS_IN_ALL || oldest === client) break;
      kept -= marks.size;
      memories.delete(oldest);
    }
  }

  function keep({ marks, order }: Memory, key: number, check: number, origin: Origin): void {
    const known = marks.get(key);
    if (known?.origins.some(({ server }) => server === origin.server)) return;
    if (known) known.origins = [...known.origins, origin].slice(-ORIGINS_PER_MARK);
    else {
      marks.set(key, { check, origins: [origin] });
      kept++;
    }
    const own = order.get(origin.server);
    if (own) own.push(key);
    else order.set(origin.server, [key]);
  }

  function trim({ marks, order }: Memory, server: string): void {
    const own = order.get(server) ?? [];
    for (const key of own.splice(0, Math.max(0, own.length - MARKS_PER_SERVER))) {
      const known = marks.get(key);
      if (!known) continue;
      known.origins = known.origins.filter((origin) => origin.server !== server);
      if (known.origins.length === 0 && marks.delete(key)) kept--;
    }
  }

  return {
    /** After a call: what came back is remembered, soon. */
    saw(seen: Seen): void {
      if (waiting.push(seen) === 1) setImmediate(digest);
      else if (waiting.length > MOST_WAITING) remember(waiting.shift()!);
    },

    /** Before a change at `server`: from which other servers its arguments have something. */
    into(server: string, client: string, args: unknown): Origin[] {
      digestOf(client);
      const memory = memories.get(client);
      if (!memory) return [];
      const found = new Map<string, Origin>();
      const look = (key: number, check: number): void => {
        const hit = memory.marks.get(key);
        // What the server has said itself is no news to it.
        if (hit?.check !== check || hit.origins.some((origin) => origin.server === server)) return;
        for (const origin of hit.origins) if (found.size < MAX_NAMED) found.set(origin.server, origin);
      };
      for (const text of textsOf(args)) piecesOf(text, look);
      return [...found.values()];
    },
  };
}

function* textsOf(args: unknown): Generator<string> {
  const { values, keys } = textsIn(args, '', READ_ARGUMENTS);
  yield* readings(values);
  yield* readings(keys);
}
