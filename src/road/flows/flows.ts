import { marksOf, piecesOf, readings, textsIn } from './fingerprints.ts';

/** The call that returned a piece of data. */
export interface Origin {
  server: string;
  tool: string;
  /** The record of that call. */
  record: string;
}

interface Kept {
  check: number;
  /** The servers that have returned it, newest last. */
  origins: Origin[];
}

const MARKS_PER_SERVER = 2000;
const MARKS_PER_RESULT = 1000;
/** Of all clients; beyond it, the least recently active client is forgotten. */
const MAX_MARKS = 200_000;
const ORIGINS_PER_MARK = 4;
const MAX_NAMED = 3;
const MAX_WAITING = 256;
const SLICE_MS = 2;
/** How many characters of the arguments of a call, and of a result, are read. */
const READ_ARGUMENTS = 32_768;
const READ_RESULT = 32_768;

export interface FlowResult extends Origin {
  client: string;
  /** Data that the client sent itself is not a flow. */
  args: unknown;
  result: unknown;
}

export type Flows = ReturnType<typeof createFlows>;

/**
 * Recognises data that one server returned in the arguments for another. Only fingerprints of results are kept, in memory, the most recent
 * ones of each client; they are computed after the answer was sent, or when the next change needs them.
 */
export function createFlows() {
  const memories = new Map<string, Memory>();
  const waiting: FlowResult[] = [];
  let kept = 0;

  /** In slices, so that long answers delay nobody. */
  function digest(): void {
    const end = performance.now() + SLICE_MS;
    while (waiting.length > 0 && performance.now() < end) remember(waiting.shift()!);
    if (waiting.length > 0) setImmediate(digest);
  }

  function digestOf(client: string): void {
    if (waiting.length === 0) return;
    const own = waiting.filter((result) => result.client === client);
    if (own.length === 0) return;
    const others = waiting.filter((result) => result.client !== client);
    waiting.splice(0, waiting.length, ...others);
    own.forEach(remember);
  }

  function memoryOf(client: string): Memory {
    const memory = memories.get(client) ?? new Memory();
    // Newest last, so that the first is the one to forget.
    memories.delete(client);
    memories.set(client, memory);
    return memory;
  }

  function remember({ client, args, result, server, tool, record }: FlowResult): void {
    const marks = marksIn(result);
    // Most results have nothing distinctive; what the client sent need not be read then.
    if (marks.length === 0) return;
    const own = new Set<number>();
    for (const text of textsOf(args)) piecesOf(text, (key) => void own.add(key));
    const memory = memoryOf(client);
    const before = memory.marks.size;
    const origin = { server, tool, record };
    for (const [key, check] of marks) if (!own.has(key)) memory.add(key, check, origin);
    memory.trim(server);
    kept += memory.marks.size - before;
    for (const [oldest, { marks }] of memories) {
      if (kept <= MAX_MARKS || oldest === client) break;
      kept -= marks.size;
      memories.delete(oldest);
    }
  }

  return {
    /** After a call: its result is fingerprinted soon. */
    addResult(result: FlowResult): void {
      if (waiting.push(result) === 1) setImmediate(digest);
      else if (waiting.length > MAX_WAITING) remember(waiting.shift()!);
    },

    /** Before a change at `server`: the calls to other servers whose results the arguments contain. */
    findOrigins(server: string, client: string, args: unknown): Origin[] {
      digestOf(client);
      const memory = memories.get(client);
      if (!memory?.knowsOthers(server)) return [];
      const found = new Map<string, Origin>();
      const look = (key: number, check: number): void => {
        const hit = memory.marks.get(key);
        // Data that the server returned itself is not a flow.
        if (hit?.check !== check || hit.origins.some((origin) => origin.server === server)) return;
        for (const origin of hit.origins) if (found.size < MAX_NAMED) found.set(origin.server, origin);
      };
      for (const text of textsOf(args)) piecesOf(text, look);
      return [...found.values()];
    },
  };
}

function marksIn(result: unknown): Array<[key: number, check: number]> {
  const { values, keys } = textsIn(result, ' ', READ_RESULT);
  const marks: Array<[number, number]> = [];
  const add = (key: number, check: number) => {
    if (marks.length < MARKS_PER_RESULT) marks.push([key, check]);
  };
  marksOf(values, add);
  marksOf(keys, add);
  return marks;
}

function* textsOf(args: unknown): Generator<string> {
  const { values, keys } = textsIn(args, '', READ_ARGUMENTS);
  yield* readings(values);
  yield* readings(keys);
}

/** The fingerprints of the results of one client. */
class Memory {
  readonly marks = new Map<number, Kept>();
  /** By server, oldest first: a server that floods displaces only its own marks. */
  readonly #order = new Map<string, number[]>();

  add(key: number, check: number, origin: Origin): void {
    const known = this.marks.get(key);
    if (known?.origins.some(({ server }) => server === origin.server)) return;
    if (known) known.origins = [...known.origins, origin].slice(-ORIGINS_PER_MARK);
    else this.marks.set(key, { check, origins: [origin] });
    const own = this.#order.get(origin.server);
    if (own) own.push(key);
    else this.#order.set(origin.server, [key]);
  }

  /** Whether anything of another server is remembered. */
  knowsOthers(server: string): boolean {
    return this.#order.size > (this.#order.has(server) ? 1 : 0);
  }

  trim(server: string): void {
    const own = this.#order.get(server) ?? [];
    for (const key of own.splice(0, Math.max(0, own.length - MARKS_PER_SERVER))) {
      const known = this.marks.get(key);
      if (!known) continue;
      known.origins = known.origins.filter((origin) => origin.server !== server);
      if (known.origins.length === 0) this.marks.delete(key);
    }
  }
}
