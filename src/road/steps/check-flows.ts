import { severest } from '../../approval/policy/call-facts.ts';
import type { ActivityMetadata } from '../../contract/activity.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Config } from '../../contract/config.ts';
import type { ToolVariant } from '../../contract/operation.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import type { Allowed } from './check-call.ts';
import { createFlows, type Origin } from './flows.ts';

export interface FlowCheck {
  /** Before a change: what of it comes from another server, in words, once it is in the notes. */
  before(call: Allowed, variant: ToolVariant, caller: Caller, notes: ActivityMetadata): string | undefined;
  /** After a call: what came back. */
  after(call: Allowed, caller: Caller, record: string, result: unknown): void;
}

/** The step of the road that notices when a change carries what another server has just said. Reads are not looked at: they follow links. */
export function createFlowCheck(config: () => Pick<Config, 'flows'>): FlowCheck {
  const flows = createFlows();
  return {
    before({ tool, args }, variant, caller, notes) {
      if (config().flows === 'off' || severest(tool.operation, variant) === 'read') return undefined;
      const origins = flows.into(tool.server, clientOf(caller), args);
      if (origins.length === 0) return undefined;
      notes.flows = origins;
      return `the arguments carry what came from ${origins.map(shown).join(' and ')}`;
    },
    after({ tool, args }, caller, record, result) {
      if (config().flows === 'off' || isReader(caller)) return;
      const origin = { server: tool.server, tool: tool.tool, record };
      flows.saw({ ...origin, client: clientOf(caller), args, result });
    },
  };
}

const shown = ({ server, tool, record }: Origin) =>
  `'${visibleLine(`${server}:${tool}`)}' (record ${record})`;

const clientOf = ({ token, principal }: Caller) => token?.id ?? principal;

/** Whoever can change nothing has nowhere to carry it. */
function isReader({ token }: Caller): boolean {
  const operations = token?.scope.operations;
  return operations !== undefined && operations.every((operation) => operation === 'read');
}
