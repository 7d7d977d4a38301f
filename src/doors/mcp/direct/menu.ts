import type { Audience, CatalogTool } from '../../../catalog/index.ts';
import type { Config } from '../../../contract/config.ts';
import type { ToolDefinition } from '../../../contract/tool.ts';
import { inTurn, type JsonObject, type Steps } from '../../../json/index.ts';
import type { Log } from '../../../lib/log.ts';
import { inBackground, pageOf } from '../pages.ts';
import { directName, isMarked, readPlainName } from './direct-name.ts';
import { menuEntry } from './direct-tool.ts';

export interface MenuParts {
  catalog: {
    get(name: string): CatalogTool | undefined;
    names(): string[];
    revision(): number;
  };
  config: () => Pick<Config, 'direct' | 'mode'>;
  log: Log;
}

export interface MenuSize {
  tools: number;
  /** Estimated as bytes / 4. */
  tokens: number;
}

/** The size of what one caller is shown, of one revision of the catalog. */
interface Measured {
  revision: number;
  destructive: Config['direct']['destructive'];
  size: Promise<MenuSize>;
}

/** What one page of tools/list asks for. */
export interface PageRequest {
  audience: Audience | undefined;
  /** Tools of the proxy itself, on the first page. */
  own: ToolDefinition[];
  cursor: unknown;
}

export type Menu = ReturnType<typeof createMenu>;

const BYTES_PER_TOKEN = 4;
const EVERYBODY = {};

/** The menu of direct mode: every offered tool within the scope of the caller, in pages, in the order of the names. */
export function createMenu({ catalog, config, log }: MenuParts) {
  const measured = new WeakMap<object, Measured>();
  const warned = new WeakSet<object>();
  const prepare = inBackground(() => measure(undefined));
  let isUsed = false;
  let listed: MenuSize | undefined;
  let changedNames: { revision: number; names: Map<string, string | null> } | undefined;
  /** The names of tools in the menu, which need a digest where they had to be changed. */
  let shownNames = new Map<string, string>();

  function isShown(name: string, audience: Audience | undefined): boolean {
    const tool = catalog.get(name);
    return tool !== undefined && isListed(tool, audience, config().direct.destructive) && isCallable(tool);
  }

  /** Makes the entries that are not there yet, too. */
  function* measure(audience: Audience | undefined): Steps<MenuSize> {
    let [tools, bytes] = [0, 0];
    for (const name of catalog.names()) {
      yield;
      if (!isShown(name, audience)) continue;
      tools++;
      bytes += menuEntry(catalog.get(name)!).bytes;
    }
    return { tools, tokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
  }

  /** In turn with other work, as it grows with the number of tools. */
  function sizeFor(audience: Audience | undefined): Promise<MenuSize> {
    const [key, revision, { destructive }] = [audience ?? EVERYBODY, catalog.revision(), config().direct];
    const before = measured.get(key);
    if (before?.revision === revision && before.destructive === destructive) return before.size;
    const size = inTurn(measure(audience));
    measured.set(key, { revision, destructive, size });
    return size;
  }

  /** Whether the name in the menu leads back to the tool. */
  function isCallable(tool: CatalogTool): boolean {
    const shown = menuEntry(tool).value.name as string;
    return !isMarked(shown) || readMarked(shown) === tool.name;
  }

  /** Reports a menu that is too large once, until it is small again. */
  async function noteSize(audience: Audience | undefined): Promise<void> {
    const { tools, tokens } = await sizeFor(audience);
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
      const before = shownNames;
      shownNames = new Map();
      for (const full of catalog.names()) {
        const { server, tool } = catalog.get(full)!;
        const shown = before.get(full) ?? directName(server, tool);
        shownNames.set(full, shown);
        if (isMarked(shown)) names.set(shown, names.has(shown) ? null : full);
      }
      changedNames = { revision, names };
    }
    return changedNames.names.get(name) ?? undefined;
  }

  return {
    page({ audience, own, cursor }: PageRequest): JsonObject {
      isUsed = true;
      const page = pageOf({
        field: 'tools',
        names: catalog.names(),
        entryOf: (name) => menuEntry(catalog.get(name)!),
        isShown: (name) => isShown(name, audience),
        cursor,
        own,
      });
      if (cursor === undefined) void noteSize(audience).catch(() => undefined);
      return page;
    },
    /** The tools have changed. Where direct mode is in use, their entries are made now, not in the request of a client. */
    toolsChanged(): void {
      if (isUsed || config().mode !== 'search') prepare();
    },
    /** `server:tool`, which may not exist; undefined: this is not a name of direct mode. */
    resolve: (name: string): string | undefined => (isMarked(name) ? readMarked(name) : readPlainName(name)),
    /** The whole menu, without a token's scope, and the largest one that was listed since the start. */
    async state(): Promise<MenuSize & { listed?: MenuSize }> {
      const { tools, tokens } = await sizeFor(undefined);
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
