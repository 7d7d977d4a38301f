import type { KnownTools } from '../known/known-tools.ts';
import type { KnownTool, ToolKey } from '../known/known-tool.ts';

/** No server has a colon in its name, so this is the name of none. */
const PROMPTS = ':prompts';

/** Remembers prompts beside the tools, with limits of their own. */
export function promptStore(store: KnownTools): KnownTools {
  const keyOf = ({ server, tool }: ToolKey): ToolKey => ({ server: server + PROMPTS, tool });
  return {
    ...store,
    ofServer: (server) => store.ofServer(server + PROMPTS),
    isFull: (server, at) => store.isFull(server + PROMPTS, at),
    save: (key, known, accepted) => store.save(keyOf(key), known, accepted),
    update: (key, update) => store.update(keyOf(key), update),
    acceptedDefinition: (key) => store.acceptedDefinition(keyOf(key)),
    decisions: () => [],
    onChanged: (listener) =>
      store.onChanged(({ server, tool }, known) => {
        if (server.endsWith(PROMPTS)) listener({ server: server.slice(0, -PROMPTS.length), tool }, known);
      }),
  };
}

const NOTHING: ReadonlyMap<string, KnownTool> = new Map();

/** Resources come and go with the data of a server, so none is remembered: each is accepted as it is listed. */
export function forgetfulStore(): KnownTools {
  return {
    ofServer: () => NOTHING,
    isFull: () => false,
    save: () => undefined,
    update: (_key, { initial, change }) => Promise.resolve(change(initial)),
    acceptedDefinition: () => Promise.resolve(null),
    decisions: () => [],
    onChanged: () => undefined,
    flush: () => Promise.resolve(),
    close: () => undefined,
  };
}
