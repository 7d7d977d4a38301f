import type { Approvals, Policy, Ruling } from '../approval/index.ts';
import type { ArgumentChecker, Audience, CatalogTool, Items } from '../catalog/index.ts';
import type { ActivityRecord } from '../contract/activity.ts';
import type { Cancellation } from '../contract/call.ts';
import type { Config } from '../contract/config.ts';
import type { ItemKind } from '../contract/item.ts';
import type { ServerView } from '../contract/status.ts';
import type { Log } from '../lib/log.ts';
import type { StateSeal } from '../lib/state-seal.ts';
import type { Admission } from '../load/index.ts';
import type { OpenRecord, RecordDraft } from '../log/index.ts';
import type { PolicyGuard } from '../revisions/index.ts';
import type { Dispatch } from '../upstream/dispatch/dispatch-call.ts';
import type { AskDesk } from './asks/ask-desk.ts';
import type { Flows } from './flows/flows.ts';
import type { Answered } from './scan-results.ts';
import type { SeenResources } from './seen-resources.ts';
import type { Explanation } from '../contract/approval.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { CallContext } from './context.ts';

/** One step of the road. It reads and fills the context of the call, or throws one of its refusals. */
export interface Step {
  readonly name: string;
  /** One line for the documentation. */
  readonly does: string;
  /** Every error code that the step can end a call with. */
  readonly refusals: readonly ErrorCode[];
  /** A step that waits returns a promise; one that does not costs no turn of the event loop. */
  readonly run: (call: CallContext, parts: RoadParts) => Promise<void> | undefined | void;
  /**
   * The decision of the step without its effects, for `explain`. Throws the same refusals; returns an outcome where the step settles it.
   * Absent: the step decides nothing about the call itself.
   */
  readonly preview?: (call: CallContext, parts: PreviewParts) => Promise<Outcome> | Outcome | void;
  /** The ruling of the step on a recorded call under another policy, for `replay`. Absent: the policy does not change its decision. */
  readonly replay?: (record: ActivityRecord, policy: Policy) => Ruling | undefined;
  /** Where it runs if not in the list: the HTTP door runs it before the body is read. */
  readonly at?: 'door';
  /** The span that shows the wait in a trace; a step without one traces itself or is not traced. */
  readonly span?: string;
}

/** A step that decides from what is known at this moment: it never waits, sends nothing, and can run again. */
export interface Check extends Step {
  readonly run: (call: CallContext, parts: CheckParts) => void;
}

/** A check has no effects, so it is its own preview. */
export function check(step: Omit<Check, 'preview'>): Check {
  return { ...step, preview: step.run };
}

/** How `explain` answers. */
export type Outcome = Pick<Explanation, 'outcome' | 'why'> & Partial<Explanation>;

/** What `explain` uses. */
export interface PreviewParts extends CheckParts {
  config: () => Pick<Config, 'intent_declaration' | 'validate_arguments' | 'mcpServers'>;
  approvals: Pick<Approvals, 'policy' | 'ttlMs' | 'grantFor'>;
}

/** What the checks use. */
export interface CheckParts {
  config: () => Pick<Config, 'intent_declaration' | 'validate_arguments'> & Partial<Pick<Config, 'direct'>>;
  catalog: {
    get(name: string): CatalogTool | undefined;
    nearest(name: string, audience?: Audience): string[];
  };
  /** Absent: servers offer tools only. */
  items?: Pick<Items, ItemKind | 'unlisted' | 'serversOf' | 'properUri' | 'skillFile'> | undefined;
  argumentChecker: ArgumentChecker;
  /** Absent: a missing tool is never explained by the state of its server. */
  servers?: {
    view(
      name: string,
    ): Pick<ServerView, 'state' | 'tool_count' | 'waiting_for' | 'waiting_since'> | undefined;
    whenStarted?(name: string, limitMs: () => number, signal: Cancellation): Promise<void> | undefined;
  };
}

/** What the steps use. */
export interface RoadParts extends CheckParts {
  config: () => Pick<
    Config,
    'intent_declaration' | 'validate_arguments' | 'activity' | 'mcpServers' | 'flows' | 'call_timeout'
  >;
  activity: { open(draft: RecordDraft): OpenRecord; state(): { log: 'ok' | 'unavailable'; reason?: string } };
  /** Absent: no call needs an approval. */
  approvals?: Pick<Approvals, 'policy' | 'ttlMs' | 'waitMs' | 'obtainPermit'> | undefined;
  dispatch: Dispatch;
  /** Absent: every call is admitted. */
  admission?: Admission;
  /** Absent: this proxy has its database for itself. */
  policy?: (PolicyGuard & { isTokenActive(id: string): boolean }) | undefined;
  /** Seals the states that servers return between two rounds of a call. */
  stateSeal: StateSeal;
  flows: Flows;
  /** The resources that results have named. */
  seen: SeenResources;
  /** What servers ask of clients within calls. */
  asks: AskDesk;
  /** Receives each answer after it was returned to the caller. */
  scanResult?: (answered: Answered) => void;
  log: Log;
}
