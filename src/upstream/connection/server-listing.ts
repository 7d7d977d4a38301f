import { isDeepStrictEqual } from 'node:util';
import type { ToolDefinition } from '../../contract/tool.ts';
import type { JsonObject } from '../../json/index.ts';
import type { Log } from '../../lib/log.ts';
import { headersFor, paramHeaders, type ParamHeader } from '../../lib/param-headers.ts';
import type { Connection } from './connect.ts';
import { ItemListing, type ItemsListener } from './item-listing.ts';
import { listTools, type ToolList } from './list-tools.ts';
import type { OpenServer } from './open-server.ts';

export interface ListingInfo {
  builtin: boolean;
  /** How the server introduced itself. */
  introduction?: Introduction;
}

interface Introduction {
  name?: string | undefined;
  version?: string | undefined;
  instructions?: string | undefined;
}

/** Called whenever the tools of a server change; with null when the server is removed. */
export type ToolsListener = (server: string, tools: ToolDefinition[] | null, info: ListingInfo) => void;

export interface ListingParts {
  server: string;
  builtin: boolean;
  onTools: ToolsListener;
  onItems: ItemsListener;
  log: Log;
  /** Makes a text of the server safe to show. */
  shown: (text: string) => string;
}

interface ListedTools extends ToolList {
  /** Which parameters go into headers, by tool; empty unless the protocol asks for it. */
  headers: Map<string, ParamHeader[]>;
}

const PAGE_LIMIT_MS = 30_000;
const LIST_LIMIT_MS = 120_000;
const PERIOD_MS = 300_000;
const RETRY_MS = 30_000;
const DEBOUNCE_MS = 150;
/** A server that announces changes all the time must not postpone the refresh for ever. */
const MAX_DELAY_MS = 1000;
/** Nor may it keep the proxy busy: after a refresh, announcements wait for this time, or longer where the refresh took long. */
const MIN_REST_MS = 1000;
const MAX_REST_MS = 60_000;
const REST_PER_REFRESH = 4;

/** The tools that a server listed last, and what else it offers, also while it is disconnected. Changes are reported to the listener. */
export class ServerListing {
  readonly items: ItemListing;
  readonly #parts: ListingParts;
  #tools: ListedTools | undefined;
  #introduction: Introduction | undefined;

  constructor(parts: ListingParts) {
    this.#parts = parts;
    this.items = new ItemListing(parts);
  }

  get count(): number {
    return this.#tools?.tools.length ?? 0;
  }

  /** Which of these names is no tool of the server. None, as long as its tools are not known. */
  missing(names: readonly string[]): string[] {
    if (!this.#tools) return [];
    const listed = new Set(this.#tools.tools.map(({ name }) => name));
    return names.filter((name) => !listed.has(name));
  }

  headersFor(tool: string, args: JsonObject): Record<string, string> | undefined {
    const declared = this.#tools?.headers.get(tool);
    return declared && headersFor(declared, args);
  }

  /** Reads the list. Returns false if `isCurrent` says by then that the connection was replaced. */
  async read(connection: OpenServer, isCurrent: () => boolean): Promise<boolean> {
    const list = await readTools(connection);
    if (!isCurrent()) return false;
    this.#take(list, connection);
    await this.items.read(connection, isCurrent);
    return isCurrent();
  }

  forget(): void {
    const { server, builtin, onTools } = this.#parts;
    this.#tools = undefined;
    onTools(server, null, { builtin });
    this.items.forget();
  }

  #take(list: ListedTools, { serverInfo, instructions }: OpenServer): void {
    const { server, builtin, onTools, shown } = this.#parts;
    const introduction = { name: serverInfo?.name, version: serverInfo?.version, instructions };
    const changed = list.digest !== this.#tools?.digest;
    const another = !isDeepStrictEqual(introduction, this.#introduction);
    this.#tools = list;
    this.#introduction = introduction;
    if (!changed && !another) return;
    const log = this.#parts.log.child({ server });
    for (const line of complaintsOf(list)) log.warn(`server '${server}': ${shown(line)}`);
    onTools(server, list.tools, { builtin, introduction });
  }
}

export async function readTools(connection: Connection): Promise<ListedTools> {
  const headers = new Map<string, ParamHeader[]>();
  if (!connection.hasTools) return { tools: [], digest: '', complaints: [], dropped: 0, headers };
  const end = performance.now() + LIST_LIMIT_MS;
  const list = await listTools((cursor) => {
    const left = Math.min(PAGE_LIMIT_MS, end - performance.now());
    if (left <= 0) throw new Error(`the list of tools took longer than ${LIST_LIMIT_MS} ms`);
    return connection.lane.ask('tools/list', cursor === undefined ? {} : { cursor }, left);
  });
  if (!connection.modern || !connection.http) return { ...list, headers };
  const tools = list.tools.filter((tool) => readHeaders(tool, headers, list.complaints));
  return { ...list, tools, headers, dropped: list.dropped + list.tools.length - tools.length };
}

/** For the log: the first few complaints, and how many tools were left out. */
function complaintsOf({ complaints, dropped }: ToolList): string[] {
  return [
    ...complaints.slice(0, 5),
    ...(dropped > 0 ? [`${dropped} ${dropped === 1 ? 'tool is' : 'tools are'} left out`] : []),
  ];
}

function readHeaders(
  tool: ToolDefinition,
  headers: Map<string, ParamHeader[]>,
  complaints: string[],
): boolean {
  const declared = paramHeaders(tool.inputSchema);
  if ('invalid' in declared) {
    complaints.push(`tool ${JSON.stringify(tool.name)} is left out: ${declared.invalid}`);
    return false;
  }
  if (declared.length > 0) headers.set(tool.name, declared);
  return true;
}

/**
 * Schedules refreshes of the list: shortly after the server announces a change, and every few minutes anyway. Refreshes never overlap; an
 * announcement during one schedules another. Announcements that never pause cause a refresh every few seconds, not none, and not one each.
 */
export class RefreshTimer {
  readonly #refresh: () => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #again = false;
  #stopped = false;
  /** The first announcement that no refresh has followed yet. */
  #announcedAt: number | undefined;
  #restUntil = 0;

  /** `refresh` returns false if it failed, and does not throw. */
  constructor(refresh: () => Promise<boolean>) {
    this.#refresh = refresh;
    this.#set(period());
  }

  soon(): void {
    if (this.#running) {
      this.#again = true;
      return;
    }
    const now = performance.now();
    this.#announcedAt ??= now;
    const due = Math.min(now + DEBOUNCE_MS, this.#announcedAt + MAX_DELAY_MS);
    this.#set(Math.max(due, this.#restUntil) - now);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #set(delay: number): void {
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#run(), delay).unref();
  }

  async #run(): Promise<void> {
    this.#running = true;
    this.#again = false;
    this.#announcedAt = undefined;
    const begun = performance.now();
    const ok = await this.#refresh();
    this.#running = false;
    const ended = performance.now();
    this.#restUntil =
      ended + Math.min(MAX_REST_MS, Math.max(MIN_REST_MS, REST_PER_REFRESH * (ended - begun)));
    if (this.#again) this.soon();
    else this.#set(ok ? period() : RETRY_MS);
  }
}

/** With a jitter of 10 %, so that the servers are not all asked at the same time. */
function period(): number {
  return PERIOD_MS * (0.9 + 0.2 * Math.random());
}
