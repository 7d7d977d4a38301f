import type { ToolDiff } from '../../contract/tool.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import { diffDefinitions } from './diff-definition.ts';
import { approvalEffect } from './approval-effect.ts';
import type { CatalogConfig, ToolFacts } from '../verdict/judge-tool.ts';
import { MAX_PER_SERVER } from './known-tools.ts';
import { rejection } from '../verdict/verdict-book.ts';
import { isSamePlace, isSameServer } from './server-identity.ts';

/** Why a tool is withheld whose server has listed too many names, and what helps. */
export const NOT_REMEMBERED =
  `its server has listed ${MAX_PER_SERVER} different tool names, and no more are remembered; a change of this tool would go unseen, ` +
  'so that it is withheld. Approve it to remember it; if the server makes up new names, fix or remove the server';

/** How a tool differs from what was accepted of it; `kept` is the accepted definition as JSON. */
export function diffTool(
  tool: CatalogTool,
  facts: ToolFacts,
  kept: string | null,
  config: CatalogConfig,
): ToolDiff {
  const { definition, known } = facts;
  const { accepted } = known;
  const same = accepted?.hash === known.hash;
  const { changes, cut } =
    kept === null || same || !accepted
      ? { changes: [], cut: false }
      : diffDefinitions(JSON.parse(kept) as unknown, definition);
  const notes = [
    ...(accepted ? [] : ['the tool is new: nothing was accepted yet']),
    ...(known.unremembered ? [NOT_REMEMBERED] : []),
    ...(accepted && !same && kept === null
      ? [
          'the accepted definition was not kept, as it was too large or one of too many; only its hash is known',
        ]
      : []),
    ...(accepted && !isSameServer(accepted.identity, known.identity)
      ? [
          isSamePlace(accepted.identity, known.identity)
            ? 'the server introduces itself differently: name, version or instructions'
            : 'the server is started or reached differently: command, arguments, URL, or names of environment variables or headers',
        ]
      : []),
    ...(cut ? ['there are more changes than are shown'] : []),
  ];
  return {
    name: tool.name,
    standing: tool.standing,
    withheld: tool.withheld,
    definition_hash: known.hash,
    accepted: accepted ? { by: accepted.by, at: accepted.at } : null,
    changes,
    notes,
    inferred: { operation: facts.inferred.operation, reason: facts.inferred.reason },
    approval: approvalEffect(tool, facts, kept, config),
    ...rejection(known),
  };
}
