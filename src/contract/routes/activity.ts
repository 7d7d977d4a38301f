import { z } from 'zod';
import {
  ActivityFilter,
  ActivityPage,
  ActivityRecord,
  ActivitySeries,
  ActivitySummary,
  ActivityVerification,
  ChainEntry,
  SeriesQuery,
  SummaryPeriod,
} from '../activity.ts';
import { type Route, cursor, limit } from './route.ts';

export const activityRoutes = {
  listActivity: {
    method: 'GET',
    path: '/activity',
    summary: 'Records, newest first',
    query: ActivityFilter.extend({ limit: limit(50, 100), cursor }),
    output: ActivityPage,
  },
  activitySummary: {
    method: 'GET',
    path: '/activity/summary',
    summary: 'Counts by operation, status, server and tool',
    query: z.object({ period: SummaryPeriod.default('24h') }),
    output: ActivitySummary,
  },
  activitySeries: {
    method: 'GET',
    path: '/activity/series',
    summary: 'Counts over time, for charts',
    query: SeriesQuery,
    output: ActivitySeries,
  },
  exportActivity: {
    method: 'GET',
    path: '/activity/export',
    summary: 'All matching records as JSON lines or CSV, oldest first',
    query: ActivityFilter.extend({ format: z.enum(['json', 'csv']).default('json') }),
    stream: 'application/x-ndjson or text/csv',
  },
  verifyActivity: {
    method: 'GET',
    path: '/activity/verify',
    summary: 'Check every record against the chain of hashes and its signatures',
    output: ActivityVerification,
  },
  verifyActivityAgainst: {
    method: 'POST',
    path: '/activity/verify',
    summary: 'The same, against checkpoints or a public key that were kept elsewhere',
    body: z.object({
      checkpoints: z.string().max(10_000_000).optional().describe('lines of a checkpoints.log'),
      public_key: z.string().max(10_000).optional().describe('PEM'),
    }),
    output: ActivityVerification,
  },
  exportSealed: {
    method: 'GET',
    path: '/activity/sealed',
    summary: 'The whole log with its chain, as lines that the stand-alone verifier checks',
    stream: 'application/x-ndjson',
  },
  redactActivity: {
    method: 'POST',
    path: '/activity/{id}/redact',
    summary: 'Remove arguments, response, error text and reason of a record; the chain stays whole',
    params: z.object({ id: z.string() }),
    body: z.object({ reason: z.string().max(1000).optional().describe('why; kept in the record') }),
    output: ActivityRecord,
  },
  activityChain: {
    method: 'GET',
    path: '/activity/{id}/chain',
    summary: 'Where the chain tells of a record',
    params: z.object({ id: z.string() }),
    output: z.object({ entries: z.array(ChainEntry) }),
  },
  getActivity: {
    method: 'GET',
    path: '/activity/{id}',
    summary: 'One record',
    params: z.object({ id: z.string() }),
    output: ActivityRecord,
  },
} as const satisfies Record<string, Route>;
