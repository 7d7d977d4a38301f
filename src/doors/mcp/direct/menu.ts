import type { Audience, CatalogTool } from '../../../catalog/index.ts';
import type { Config } from '../../../contract/config.ts';
import type { ToolDefinition } from '../../../contract/tool.ts';
import type { JsonObject } from '../../../json/index.ts';
import type { Log } from '../../../lib/log.ts';
import { pageOf } from '../pages.ts';
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
    const shown = menuEntry(catalog.get(name)!).value.name;
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
      const entryOf = (name: string) => menuEntry(catalog.get(name)!);
      return pageOf({ field: 'tools', names: view.names, entryOf, cursor, own });
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
