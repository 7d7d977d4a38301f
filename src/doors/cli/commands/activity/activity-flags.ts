import type { Command } from 'commander';
import type { ActivityStatus, ActivityType, ActivityFilter } from '../../../../contract/activity.ts';
import type { OperationType } from '../../../../contract/operation.ts';
import { ACTIVITY_STATUSES, ACTIVITY_TYPES, OPERATION_TYPES } from '../../../../contract/values.ts';
import { checked, choice } from '../../define.ts';
import { pointInTime } from '../../output/time.ts';

export interface FilterFlags {
  intentType?: OperationType;
  status?: ActivityStatus;
  type?: ActivityType;
  server?: string;
  tool?: string;
  session?: string;
  requestId?: string;
  conversation?: string;
  principal?: string;
  client?: string;
  approval?: string;
  decider?: string;
  since?: string;
  until?: string;
  query?: string;
  filter?: string;
}

/** The flags for the filter of the REST query; their values come from its schemas. */
export function addFilterFlags(command: Command): Command {
  return command
    .addOption(
      choice(
        '--intent-type <operation>',
        'only calls that are this by declaration, by variant or by the verdict on the tool',
        OPERATION_TYPES,
      ),
    )
    .addOption(choice('--status <status>', 'only records with this status', ACTIVITY_STATUSES))
    .option('--server <name>', 'only this server')
    .option('--tool <name>', 'only this tool, with or without its server')
    .addOption(choice('--type <type>', 'only records of this type', ACTIVITY_TYPES))
    .option('--session <id>', 'only this MCP session')
    .option('--request-id <id>', 'only this request')
    .option('--conversation <id>', 'only this conversation with the task assistant')
    .option(
      '--principal <name>',
      'only calls with this credential: operator, anonymous, token:NAME or the name of a token',
    )
    .option('--client <name>', 'only calls of this client program, with or without its version')
    .option('--approval <id>', 'only records about this approval, and the call that it permitted')
    .option('--decider <name>', 'only what this person decided, and the calls that it permitted')
    .option(
      '--since <time>',
      'start: an age (2h, 7d, 1w), today, yesterday, "last week", or an ISO 8601 date',
    )
    .option('--until <time>', 'end, in the same formats; a day or week is included')
    .addOption(
      checked(
        '-q, --query <words>',
        'search in tool, arguments, reason, error, principal, client, approval and decider',
        ({ ActivityFilter }) => ActivityFilter.shape.q,
      ),
    )
    .addOption(
      checked(
        '--filter <text>',
        'several values and exclusions, as in "agent:cursor op:write,destructive -status:success since:7d"; days are UTC',
        ({ ActivityFilter }) => ActivityFilter.shape.filter,
      ),
    );
}

export function filterOf(flags: FilterFlags, now: number): ActivityFilter {
  const {
    intentType,
    session,
    requestId,
    conversation,
    approval,
    decider,
    since,
    until,
    query,
    ...sameName
  } = flags;
  const filter: ActivityFilter = {
    ...sameName,
    intent_type: intentType,
    session_id: session,
    request_id: requestId,
    conversation_id: conversation,
    approval_id: approval,
    decided_by: decider,
    start_time: since && pointInTime(since, now),
    end_time: until && pointInTime(until, now, 'end'),
    q: query,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
}
