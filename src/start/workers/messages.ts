import type { Status } from '../../contract/status.ts';
import type { Series } from '../../observe/index.ts';

/** What a worker is told when it starts. */
export interface Setup {
  /** From 1 on. The first one answers everything but MCP, and has the data directory of the proxy as its own. */
  index: number;
  dataDir: string;
  configFile: string;
  /** Folder of the sockets: of the programs, and of the first worker. */
  sockets: string;
  /** Authenticates the commands of the owner of the data directory. */
  cliSecret: string;
  /** Where all of them are reached. */
  url: string;
}

export type WorkerView = NonNullable<Status['workers']>[number];

export type ToWorker =
  | { setup: Setup }
  /** With the connection itself. */
  | { connection: number }
  | { workers: WorkerView[] }
  /** Asks for its metrics. */
  | { measure: number }
  | { measured: number; series: Series[] }
  | { stop: true };

export type FromWorker =
  | { hello: true }
  | { taken: number }
  /** It answers. */
  | { listening: true }
  /** Its servers have been tried. */
  | { settled: true }
  /** It has waited until load balancers have noticed the end, and stops now. */
  | { left: true }
  /** The first worker asks for the metrics of the others. */
  | { collect: number }
  | { measured: number; series: Series };

/** The socket at which the programs of servers are reached. */
export const PROGRAMS = 'programs.sock';
/** The socket at which the first worker answers for the others. */
export const FIRST = 'first.sock';
