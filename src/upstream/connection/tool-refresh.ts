import type { ToolDefinition } from '../../contract/tool.ts';
import type { Connection } from './connect.ts';
import { ask } from '../transport/lane.ts';
import { listTools, type ToolList } from './list-tools.ts';
import { paramHeaders, type ParamHeader } from '../transport/param-headers.ts';

export interface KnownTools extends ToolList {
  /** Which parameters go into headers, by tool; empty unless the protocol asks for it. */
  headers: Map<string, ParamHeader[]>;
}

const PAGE_LIMIT_MS = 30_000;
const LIST_LIMIT_MS = 120_000;
const PERIOD_MS = 300_000;
const RETRY_MS = 30_000;
const DEBOUNCE_MS = 150;

/** The list as the server gives it now. */
export async function readTools(connection: Connection): Promise<KnownTools> {
  const headers = new Map<string, ParamHeader[]>();
  if (!connection.hasTools) return { tools: [], digest: '', complaints: [], dropped: 0, headers };
  const end = performance.now() + LIST_LIMIT_MS;
  const list = await listTools((cursor) => {
    const left = Math.min(PAGE_LIMIT_MS, end - performance.now());
    if (left <= 0) throw new Error(`the list of tools takes longer than ${LIST_LIMIT_MS} ms`);
    return ask(connection.lane, 'tools/list', cursor === undefined ? {} : { cursor }, left);
  });
  if (!connection.modern || !connection.http) return { ...list, headers };
  const tools = list.tools.filter((tool) => readHeaders(tool, headers, list.complaints));
  return { ...list, tools, headers, dropped: list.dropped + list.tools.length - tools.length };
}

/** What is worth a line in the log: the first few by name, the rest by number. */
export function complaintsOf({ complaints, dropped }: ToolList): string[] {
  return [...complaints.slice(0, 5), ...(dropped > 0 ? [`${dropped} tools are left out`] : [])];
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
 * Reads the list again: soon after the server announces a change, and every few minutes in any case. One reading at a time; an
 * announcement during a reading causes one more.
 */
export class RefreshTimer {
  readonly #refresh: () => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #again = false;
  #stopped = false;

  /** `refresh` gives false if it failed, and does not throw. */
  constructor(refresh: () => Promise<boolean>) {
    this.#refresh = refresh;
    this.#set(period());
  }

  soon(): void {
    if (this.#running) this.#again = true;
    else this.#set(DEBOUNCE_MS);
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
    const ok = await this.#refresh();
    this.#running = false;
    this.#set(this.#again ? DEBOUNCE_MS : ok ? period() : RETRY_MS);
  }
}

/** Five minutes, give or take a tenth. */
function period(): number {
  return PERIOD_MS * (0.9 + 0.2 * Math.random());
}
