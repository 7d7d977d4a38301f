import type { ToolDefinition } from '../contract/tool.ts';
import { canonicalJson } from './definition-hash.ts';
import { hintsOf } from './held-hints.ts';
import type { CatalogConfig } from './judge-tool.ts';
import type { KnownTools } from './known-tools.ts';
import { learnTool, type Learnt } from './learn-tool.ts';
import { serverIdentity } from './server-identity.ts';

export interface Listed {
  server: string;
  builtin: boolean;
  definition: ToolDefinition;
}

export type LearnListed = (listed: Listed, hash: string) => Learnt;

/** Compares a listed definition with what is remembered of the tool, also from before a restart, and remembers what is new. */
export function createLearning(parts: {
  store: KnownTools;
  config: () => CatalogConfig;
  now: () => string;
}): LearnListed {
  const { store, config, now } = parts;
  return function learn({ server, builtin, definition }, hash) {
    const settings = config();
    const before = store.ofServer(server).get(definition.name);
    const learnt = learnTool(before, {
      hash,
      identity: serverIdentity(settings, server),
      hints: hintsOf(definition.annotations),
      at: now(),
      trusted: builtin || settings.quarantine !== 'new',
    });
    if (learnt.known !== before)
      store.save(server, definition.name, learnt.known, learnt.accepts && (() => canonicalJson(definition)));
    return learnt;
  };
}
