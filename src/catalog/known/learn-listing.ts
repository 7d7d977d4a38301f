import type { ToolDefinition } from '../../contract/tool.ts';
import { canonicalJson } from '../../json/index.ts';
import { hintsOf } from '../verdict/held-hints.ts';
import type { CatalogConfig } from '../verdict/judge-tool.ts';
import type { KnownTools } from './known-tools.ts';
import type { KnownTool } from './known-tool.ts';
import { learnTool, trustedTool, unrememberedTool, type Learnt } from './learn-tool.ts';
import { serverIdentity } from './server-identity.ts';

export interface Listed {
  server: string;
  builtin: boolean;
  definition: ToolDefinition;
  /** Fingerprint of how its server introduced itself. */
  introduction?: string | undefined;
}

export type LearnListed = (listed: Listed, hash: string) => Learnt;

/** Compares a listed definition with what is remembered of the tool, also from before a restart, and remembers what is new. */
export function createLearning(parts: {
  store: KnownTools;
  config: () => CatalogConfig;
  now: () => string;
}): LearnListed {
  const { store, config, now } = parts;
  return function learn({ server, builtin, definition, introduction }, hash) {
    const settings = config();
    const identity = serverIdentity(settings, server, introduction);
    const before = store.ofServer(server).get(definition.name);
    if (before && isSettled(before, hash, identity)) return { known: before };
    const seen = {
      hash,
      identity,
      hints: hintsOf(definition.annotations),
      at: now(),
      trusted: builtin || settings.quarantine !== 'new',
    };
    if (!builtin && !before && store.isFull(server)) return unrememberedTool(seen);
    const learnt = builtin ? trustedTool(before, seen) : learnTool(before, seen);
    if (learnt.known !== before)
      store.save(
        { server, tool: definition.name },
        learnt.known,
        learnt.accepts && { json: () => canonicalJson(definition), accepts: builtin ? 'always' : 'first' },
      );
    return learnt;
  };
}

/** By far the most at every look: listed as before, from where it was before, and accepted at some time. */
function isSettled(before: KnownTool, hash: string, identity: string): boolean {
  const { accepted } = before;
  return (
    before.hash === hash && before.identity === identity && accepted !== undefined && accepted.hash !== ''
  );
}
