import type { ConfiguredServer } from '../contract/config.ts';
import type { ServerView } from '../contract/status.ts';
import type { LogLine } from './connection/log-ring.ts';
import type { ToolsListener } from './connection/server-listing.ts';

/** All servers. Nothing here can call a tool: that is `dispatch.ts` alone. */
export interface Upstreams {
  /** Makes what runs equal to what is configured; servers whose start settings are the same keep their process. */
  apply(servers: Record<string, ConfiguredServer>): Promise<void>;
  views(): ServerView[];
  has(name: string): boolean;
  view(name: string): ServerView | undefined;
  restart(name: string): Promise<ServerView>;
  logs(name: string, tail: number): { lines: LogLine[]; dropped: number };
  /** Tools of a server, whenever they change; null when the server is gone. Returns the function that ends the subscription. */
  onTools(listener: ToolsListener): () => void;
  /** Resolves when every server that is switched on was tried once, or after the limit. */
  settled(limitMs?: number): Promise<void>;
  close(): Promise<void>;
}
