import type { Audience, CatalogTool } from '../../../catalog/index.ts';
import type { Config } from '../../../contract/config.ts';
import type { ToolDefinition } from '../../../contract/tool.ts';
import { jsonText, keepSource, type JsonObject } from '../../../json/index.ts';
import type { Log } from '../../../lib/log.ts';
import { CODE, RpcError } from '../wire.ts';
import { directName, isMarked, readPlainName } from './direct-name.ts';
import { menuEntry } from './direct-tool.ts';

export interface MenuParts {
  catalog: {
    get(name: string): CatalogTool | undefined;
    names(): string[];
    revision(): number;
  };
  config: () => Pick<Config, 'direct'>;
  log: Log;
}

export interface MenuSize {
  tools: number;
  /** Estimated as bytes / 4. */
  tokens: number;
}

interface View extends MenuSize {
  revision: number;
  destructive: Config['direct']['destructive'];
  /** server:tool, in order. */
  names: string[];
}

/** What one page of tools/list asks for. */
export interface PageRequest {
  audience: Audience | undefined;
  /** Tools of the proxy itself, on the first page. */
  own: ToolDefinition[];
  cursor: unknown;
}

export type Menu = ReturnType<typeof createMenu>;

/** Enough for nearly every menu, as some clients read the first page only. */
const PAGE_TOOLS = 1000;
const PAGE_BYTES = 1024 * 1024;
const BYTES_PER_TOKEN = 4;
const EVERYBODY = {};

/** The menu of direct mode: every offered tool within the scope of the caller, in pages, in the order of the names. */
export function createMenu({ catalog, config, log }: MenuParts) {
  const views = new WeakMap<object, View>();
  const warned = new WeakSet<object>();
  let listed: MenuSize | undefined;
  let changedNames: { revision: number; names: Map<string, string | null> } | undefined;

  function viewFor(audience: Audience | undefined): View {
    const [key, revision, { destructive }] = [audience ?? EVERYBODY, catalog.revision(), config().direct];
    const before = views.get(key);
    if (before?.revision === revision && before.destructive === destructive) return before;
    const names = catalog
      .names()
      .filter((name) => isListed(catalog.get(name)!, audience, destructive) && isCallable(name));
    let bytes = 0;
    for (const name of names) bytes += menuEntry(catalog.get(name)!).bytes;
    const view = {
      revision,
      destructive,
      names,
      tools: names.length,
      tokens: Math.ceil(bytes / BYTES_PER_TOKEN),
    };
    views.set(key, view);
    return view;
  }

  /** Whether the name in the menu leads back to the tool. */
  function isCallable(name: string): boolean {
    const shown = menuEntry(catalog.get(name)!).tool.name;
    return !isMarked(shown) || readMarked(shown) === name;
  }

  /** Reports a menu that is too large once, until it is small again. */
  function noteSize(audience: Audience | undefined, { tools, tokens }: View): void {
    const key = audience ?? EVERYBODY;
    const { max_menu_tokens: limit } = config().direct;
    if (!listed || tokens > listed.tokens) listed = { tools, tokens };
    if (tokens <= limit) return void warned.delete(key);
    if (warned.has(key)) return;
    warned.add(key);
    log.warn({ tools, tokens, limit }, 'the menu of direct mode is larger than direct.max_menu_tokens');
  }

  /** The tools whose names had to be changed. Two of one name are both left out: null. */
  function readMarked(name: string): string | undefined {
    const revision = catalog.revision();
    if (changedNames?.revision !== revision) {
      const names = new Map<string, string | null>();
      for (const full of catalog.names()) {
        const { server, tool } = catalog.get(full)!;
        const shown = directName(server, tool);
        if (isMarked(shown)) names.set(shown, names.has(shown) ? null : full);
      }
      changedNames = { revision, names };
    }
    return changedNames.names.get(name) ?? undefined;
  }

  return {
    page({ audience, own, cursor }: PageRequest): JsonObject {
      const view = viewFor(audience);
      if (cursor === undefined) noteSize(audience, view);
      const start = cursor === undefined ? 0 : firstAfter(view.names, readCursor(cursor));
      const tools = cursor === undefined ? [...own] : [];
      const texts = tools.map((tool) => jsonText(tool));
      let [at, bytes] = [start, 0];
      for (; at < view.names.length && at - start < PAGE_TOOLS && bytes < PAGE_BYTES; at++) {
        const entry = menuEntry(catalog.get(view.names[at]!)!);
        bytes += entry.bytes;
        tools.push(entry.tool);
        texts.push(entry.text);
      }
      const nextCursor = at < view.names.length ? writeCursor(view.names[at - 1]!) : undefined;
      const page = { tools, ...(nextCursor !== undefined && { nextCursor }) };
      const rest = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
      keepSource(page, `{"tools":[${texts.join(',')}]${rest}}`);
      return page;
    },
    /** `server:tool`, which may not exist; undefined: this is not a name of direct mode. */
    resolve: (name: string): string | undefined => (isMarked(name) ? readMarked(name) : readPlainName(name)),
    /** The whole menu, without a token's scope, and the largest one that was listed since the start. */
    state(): MenuSize & { listed?: MenuSize } {
      const { tools, tokens } = viewFor(undefined);
      return { tools, tokens, ...(listed && { listed }) };
    },
  };
}

function isListed(
  tool: CatalogTool,
  audience: Audience | undefined,
  destructive: Config['direct']['destructive'],
): boolean {
  if (!tool.offered || (destructive === 'variants' && tool.operation.verdict === 'destructive')) return false;
  return !audience || audience.tool(tool);
}

/** The last name of a page, so that a change between two pages neither repeats nor skips a tool. */
function writeCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function readCursor(cursor: unknown): string {
  const name = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  if (name !== '' && writeCursor(name) === cursor) return name;
  throw new RpcError(CODE.invalidParams, 'Invalid cursor', { record: 'INVALID_REQUEST' });
}

function firstAfter(names: string[], last: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (names[middle]! <= last) low = middle + 1;
    else high = middle;
  }
  return low;
}
