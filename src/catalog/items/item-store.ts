import type { KnownTools } from '../known/known-tools.ts';
import type { KnownTool, ToolKey } from '../known/known-tool.ts';

/** The kinds that are remembered beside the tools. No server has a colon in its name, so these are the names of none. */
const ENDING = { prompt: ':prompts', skill: ':skills' } as const;

/** Remembers prompts or skills, with limits of their own. */
export function rememberingStore(store: KnownTools, kind: keyof typeof ENDING): KnownTools {
  const ending = ENDING[kind];
  const keyOf = ({ server, tool }: ToolKey): ToolKey => ({ server: server + ending, tool });
  return {
    ...store,
    ofServer: (server) => store.ofServer(server + ending),
    isFull: (server, at) => store.isFull(server + ending, at),
    save: (key, known, accepted) => store.save(keyOf(key), known, accepted),
    update: (key, update) => store.update(keyOf(key), update),
    acceptedDefinition: (key) => store.acceptedDefinition(keyOf(key)),
    decisions: () => [],
    onChanged: (listener) =>
      store.onChanged(({ server, tool }, known) => {
        if (server.endsWith(ending)) listener({ server: server.slice(0, -ending.length), tool }, known);
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
