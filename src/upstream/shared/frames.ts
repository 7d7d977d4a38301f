import type { Launch } from '../process/launch.ts';
import type { Unreadable } from '../../lib/rpc.ts';
import type { Negotiated } from '../connection/negotiate-stdio.ts';

// What a worker and the host of programs say to each other, line by line. The first character tells what a line is:
//   #{…}        one of the objects below
//   =MESSAGE    a message of the server, or a notification to it
//   ?ID MESSAGE a request to the server; the worker chooses ids that no other worker has
//   !ID MESSAGE the answer to a request of the server

/** A program, as a worker wants it started. */
export type Program = Pick<Launch, 'command' | 'args' | 'cwd' | 'env' | 'inherit'>;

export interface Attach {
  attach: Program & {
    /** Workers with the same key share the program. */
    key: string;
    /** True: one that runs is ended first. */
    isFresh: boolean;
  };
}

export type ToHost =
  | Attach
  /** The handshake is done; the others take its result. */
  | { opened: Negotiated }
  | { watch: string }
  /** Sent to the server only by the last one who watches. */
  | { unwatch: string; id: number; line: string }
  /** Without it the worker has died, and its successor may come. */
  | { detach: true };

export type FromHost =
  /** Ids of this worker are multiples of `stride` plus `slot`, from `first` on. Without `opened` it makes the handshake. */
  | { attached: { slot: number; first: number; pid: number; opened?: Negotiated } }
  | { stderr: string }
  | { unreadable: { id: number | undefined; fault: Unreadable; bytes: number } }
  /** The program has ended, or could not be started. */
  | { ended: string };

export const STRIDE = 64;

export const control = (value: ToHost | FromHost): string => `#${JSON.stringify(value)}\n`;

/** A line of a server: the answer to a request, something about a request, or for everybody. */
export type Route = { answer: number } | { about: number } | { all: true; asks?: string | number };

const ID_FIRST = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"(?:result|error)":/;
const ANSWER = /^\{"(?:result|error)":/;
const ID_LAST = /,(?:"jsonrpc":"2\.0","id":(\d{1,15})|"id":(\d{1,15}),"jsonrpc":"2\.0")\}\s{0,2}$/;
const EDGE = 128;
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** Most answers are recognised by their edges, as serialisers write them; only others are parsed here. */
export function routeOf(text: string): Route {
  const first = ID_FIRST.exec(text.slice(0, EDGE));
  if (first) return { answer: Number(first[1]) };
  if (ANSWER.test(text.slice(0, EDGE))) {
    const last = ID_LAST.exec(text.slice(-EDGE));
    if (last) return { answer: Number(last[1] ?? last[2]) };
  }
  try {
    return routeOfMessage(JSON.parse(text));
  } catch {
    // No message: each worker notes it in its log of the server.
    return { all: true };
  }
}

interface Parsed {
  id?: unknown;
  method?: unknown;
  params?: { progressToken?: unknown; _meta?: Record<string, unknown> };
}

function routeOfMessage(message: Parsed | null): Route {
  const { id, method, params } = message ?? {};
  if (method === undefined) return typeof id === 'number' ? { answer: id } : { all: true };
  if (typeof id === 'number' || typeof id === 'string') return { all: true, asks: id };
  const of = method === 'notifications/progress' ? params?.progressToken : params?._meta?.[SUBSCRIPTION];
  return typeof of === 'number' ? { about: of } : { all: true };
}
