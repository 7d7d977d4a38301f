import { audienceOf } from '../../../road/index.ts';
import type { Identity } from '../../../contract/call.ts';
import type { Config } from '../../../contract/config.ts';
import type { ToolMode } from '../../../contract/tool.ts';
import type { JsonObject } from '../../../json/index.ts';
import { listProxyTools } from '../tools/tool-list.ts';
import type { Menu } from './menu.ts';

/** A `tools/list`. */
export interface ListRequest {
  /** The client program, as it names itself. */
  client: string | undefined;
  mode: ToolMode;
  identity: Identity;
  cursor: unknown;
}

export type ListTools = (request: ListRequest) => JsonObject;

/** With these the destructive tools that the menu leaves out are found and called. */
const FOR_DESTRUCTIVE = ['retrieve_tools', 'describe_tool', 'call_tool_destructive'];

export function createListTools(
  config: () => Pick<Config, 'intent_declaration' | 'tools' | 'direct'>,
  menu: Menu,
): ListTools {
  return ({ client, mode, identity, cursor }) => {
    const all = listProxyTools(config(), client);
    if (mode === 'search') return { tools: all };
    const needed = config().direct.destructive === 'variants' ? FOR_DESTRUCTIVE : [];
    const own = mode === 'both' ? all : all.filter(({ name }) => needed.includes(name));
    return menu.page({ audience: audienceOf(identity.token), own, cursor });
  };
}
