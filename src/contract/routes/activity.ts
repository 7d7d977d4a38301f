import { z } from 'zod';
import {
  AcceptedRestore,
  ActivityBreakdown,
  ActivityFilter,
  ActivityPage,
  ActivityRecord,
  ActivitySeries,
  ActivitySummary,
  ActivityVerification,
  BreakdownQuery,
  ChainEntry,
  SeriesQuery,
  SummaryQuery,
} from '../activity.ts';
import { ActivityAudit, AuditQuery } from '../audit.ts';
import { type Route, cursor, limit } from './route.ts';

export const activityRoutes = {
  listActivity: {
    method: 'GET',
    path: '/activity',
    summary: 'List records, newest first',
    query: ActivityFilter.extend({
      limit: limit(50, 100),
      cursor,
      payloads: z.enum(['true', 'false']).optional().describe('false: without arguments and responses'),
    }),
    output: ActivityPage,
  },
  activitySummary: {
    method: 'GET',
    path: '/activity/summary',
    summary: 'Count records by operation, status, server and tool',
    query: SummaryQuery,
    output: ActivitySummary,
  },
  activitySeries: {
    method: 'GET',
    path: '/activity/series',
    summary: 'Count records over time, for charts',
    query: SeriesQuery,
    output: ActivitySeries,
  },
  activityBreakdown: {
    method: 'GET',
    path: '/activity/breakdown',
    summary:
      'Count matching records by agent, client, server, tool and others, over time, and by reason of failure',
    query: BreakdownQuery,
    output: ActivityBreakdown,
  },
  auditActivity: {
    method: 'GET',
    path: '/activity/audit',
    summary: 'Report what a credential destroyed, who approved each call, and whether the log is intact',
    query: AuditQuery,
    output: ActivityAudit,
  },
  exportActivity: {
    method: 'GET',
    path: '/activity/export',
    summary: 'Export all matching records as JSON lines or CSV, oldest first',
    query: ActivityFilter.extend({ format: z.enum(['json', 'csv']).default('json') }),
    stream: 'application/x-ndjson or text/csv',
  },
  verifyActivity: {
    method: 'GET',
    path: '/activity/verify',
    summary: 'Verify every record against the hash chain and its signatures',
    output: ActivityVerification,
  },
  verifyActivityAgainst: {
    method: 'POST',
    path: '/activity/verify',
    summary: 'Verify against checkpoints or a public key that you kept elsewhere',
    body: z.object({
      checkpoints: z.string().max(10_000_000).optional().describe('lines of a checkpoints.log'),
      witness: z
        .string()
        .max(10_000_000)
        .optional()
        .describe('lines of a witness: a file, or lines of a syslog'),
      public_key: z.string().max(10_000).optional().describe('PEM'),
    }),
    output: ActivityVerification,
  },
  digestActivity: {
    method: 'POST',
    path: '/activity/digest',
    summary: 'Compute the digest that a mask in the log shows for a text',
    body: z.strictObject({ text: z.string().min(1).max(1_000_000).describe('text, for example a secret') }),
    output: z.object({
      characters: z.number().describe('length in UTF-16 units'),
      digest: z.string().describe('as in ***[masked:KIND N characters, digest DIGEST]'),
    }),
  },
  exportSealed: {
    method: 'GET',
    path: '/activity/sealed',
    summary: 'Export the whole log with its hash chain, for the stand-alone verifier',
    stream: 'application/x-ndjson',
  },
  acceptRestore: {
    method: 'POST',
    path: '/activity/accept-restore',
    summary: 'Accept that the log was restored to an older state; this is recorded',
    body: z.object({ reason: z.string().max(1000).optional().describe('reason; stored in the record') }),
    output: AcceptedRestore,
  },
  redactActivity: {
    method: 'POST',
    path: '/activity/{id}/redact',
    summary: 'Remove arguments, response, error text and reason of a record; the hash chain stays valid',
    params: z.object({ id: z.string() }),
    body: z.object({ reason: z.string().max(1000).optional().describe('reason; stored in the record') }),
    output: ActivityRecord,
  },
  activityChain: {
    method: 'GET',
    path: '/activity/{id}/chain',
    summary: 'List the hash chain entries of a record',
    params: z.object({ id: z.string() }),
    output: z.object({ entries: z.array(ChainEntry) }),
  },
  getActivity: {
    method: 'GET',
    path: '/activity/{id}',
    summary: 'Get a record',
    params: z.object({ id: z.string() }),
    output: ActivityRecord,
  },
} as const satisfies Record<string, Route>;
