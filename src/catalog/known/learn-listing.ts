import type { ToolDefinition } from '../../contract/tool.ts';
import { canonicalJson } from '../../json/index.ts';
import { isHarmless } from '../risk/withhold-risky.ts';
import type { Scan } from '../../scanner/index.ts';
import { hintsOf } from '../verdict/held-hints.ts';
import type { CatalogConfig } from '../verdict/judge-tool.ts';
import type { KnownTools } from './known-tools.ts';
import type { KnownTool } from './known-tool.ts';
import { hasAcceptedHash, learnTool, trustedTool, unrememberedTool, type LearnResult } from './learn-tool.ts';
import { serverIdentity } from './server-identity.ts';

export interface Listed {
  server: string;
  builtin: boolean;
  definition: ToolDefinition;
  /** Hash of how its server introduced itself. */
  introduction?: string | undefined;
  scan: Scan;
  /** No tool of the server was accepted so far, and its tools are reviewed together. */
  isNewServer?: boolean | undefined;
}

export type LearnListed = (listed: Listed, hash: string) => LearnResult;

/** Compares listed tools with what is remembered of them, also from before a restart, and stores what is new. */
export function createLearner(parts: {
  store: KnownTools;
  config: () => CatalogConfig;
  now: () => string;
}): LearnListed {
  const { store, config, now } = parts;
  return function learn(listed, hash) {
    const { server, builtin, definition, introduction } = listed;
    const settings = config();
    const identity = serverIdentity(settings, server, introduction);
    const before = store.ofServer(server).get(definition.name);
    if (before && isSettled(before, hash, identity)) return { known: before };
    const seen = {
      hash,
      identity,
      hints: hintsOf(definition.annotations),
      at: now(),
      trusted: builtin || isTrusted(listed, settings),
    };
    if (!builtin && !before && store.isFull(server, seen.at)) return unrememberedTool(seen);
    const result = builtin ? trustedTool(before, seen) : learnTool(before, seen);
    if (result.known !== before)
      store.save(
        { server, tool: definition.name },
        result.known,
        result.accepts && { json: () => canonicalJson(definition), accepts: builtin ? 'always' : 'first' },
      );
    return result;
  };
}

/** Whether a new tool is accepted without a decision of the operator. */
function isTrusted({ scan, isNewServer }: Listed, settings: CatalogConfig): boolean {
  if (settings.quarantine !== 'risky') return settings.quarantine !== 'new';
  return isNewServer !== true && isHarmless(scan, settings);
}

/** The common case, decided early: same definition, same server, accepted. */
function isSettled(before: KnownTool, hash: string, identity: string): boolean {
  return before.hash === hash && before.identity === identity && hasAcceptedHash(before);
}
