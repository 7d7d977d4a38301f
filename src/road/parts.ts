import type { Approvals } from '../approval/index.ts';
import type { ArgumentChecker, Audience, CatalogTool } from '../catalog/index.ts';
import type { Config } from '../contract/config.ts';
import type { ServerView } from '../contract/status.ts';
import type { Log } from '../lib/log.ts';
import type { StateSeal } from '../lib/state-seal.ts';
import type { Admission } from '../load/index.ts';
import type { OpenRecord, RecordDraft } from '../log/index.ts';
import type { Dispatch } from '../upstream/dispatch/dispatch-call.ts';
import type { Flows } from './flows/flows.ts';
import type { Answered } from './scan-results.ts';

/** What the checks of a call need. */
export interface CheckParts {
  config: () => Pick<Config, 'intent_declaration' | 'validate_arguments'>;
  catalog: {
    get(name: string): CatalogTool | undefined;
    nearest(name: string, audience?: Audience): string[];
  };
  argumentChecker: ArgumentChecker;
  /** Absent: no server is expected to list more tools than it does now. */
  servers?: {
    view(
      name: string,
    ): Pick<ServerView, 'state' | 'tool_count' | 'waiting_for' | 'waiting_since'> | undefined;
  };
}

/** What the steps of the road work with. */
export interface RoadParts extends CheckParts {
  config: () => Pick<
    Config,
    'intent_declaration' | 'validate_arguments' | 'activity' | 'mcpServers' | 'flows' | 'call_timeout'
  >;
  activity: { open(draft: RecordDraft): OpenRecord; state(): { log: 'ok' | 'unavailable'; reason?: string } };
  /** Absent: nobody is ever asked. */
  approvals?: Pick<Approvals, 'policy' | 'ttlMs' | 'waitMs' | 'pass'> | undefined;
  dispatch: Dispatch;
  /** Absent: every call is admitted. */
  admission?: Admission;
  /** Seals the states that servers hand out between two rounds of a call. */
  stateSeal: StateSeal;
  flows: Flows;
  /** Receives each answer after it was returned to the caller. */
  scanResult?: (answered: Answered) => void;
  log: Log;
}
