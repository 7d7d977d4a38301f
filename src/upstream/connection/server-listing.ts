import { isDeepStrictEqual } from 'node:util';
import type { ToolDefinition } from '../../contract/tool.ts';
import type { JsonObject } from '../../json/index.ts';
import type { Log } from '../../lib/log.ts';
import type { OpenServer } from './open-server.ts';
import { headersFor } from '../transport/param-headers.ts';
import { complaintsOf, readTools, type KnownTools } from './tool-refresh.ts';

/** Whose tools they are. */
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

/** Hears of the tools of a server whenever they change; null when the server is gone. */
export type ToolsListener = (server: string, tools: ToolDefinition[] | null, info: ListingInfo) => void;

export interface ListingParts {
  server: string;
  builtin: boolean;
  onTools: ToolsListener;
  log: Log;
  /** Makes a text of the server safe to show. */
  shown: (text: string) => string;
}

/** The tools of one server as it listed them last, also while it is away. What has changed is told. */
export class ServerListing {
  readonly #parts: ListingParts;
  #tools: KnownTools | undefined;
  #introduction: Introduction | undefined;

  constructor(parts: ListingParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#tools?.tools.length ?? 0;
  }

  headersFor(tool: string, args: JsonObject): Record<string, string> | undefined {
    const declared = this.#tools?.headers.get(tool);
    return declared && headersFor(declared, args);
  }

  /** `isCurrent`: whether the connection is still the one that counts, once the list is there. */
  async read(connection: OpenServer, isCurrent: () => boolean): Promise<boolean> {
    const list = await readTools(connection);
    if (!isCurrent()) return false;
    this.#take(list, connection);
    return true;
  }

  forget(): void {
    const { server, builtin, onTools } = this.#parts;
    this.#tools = undefined;
    onTools(server, null, { builtin });
  }

  #take(list: KnownTools, { serverInfo, instructions }: OpenServer): void {
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
