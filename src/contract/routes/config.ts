import { z } from 'zod';
import { ConfigChange, ConfigRevision, ConfigState } from '../status.ts';
import { type Route, limit } from './route.ts';

/** Settings that can be changed while the proxy runs. Addresses, paths and the key require a restart and are set in the file only. */
export const CHANGEABLE = [
  'intent_declaration',
  'approvals',
  'quarantine',
  'scanner',
  'scan_results',
  'flows',
  'validate_arguments',
  'call_timeout',
  'tools',
  'activity',
  'allowed_hosts',
  'public_url',
  'trusted_proxies',
  'drain_delay',
  'confirm_weakening',
] as const;

export const ConfigView = z.object({
  file: z.string(),
  error: z.string().nullable().describe('why the file on disk is not in use; null: it is'),
  settings: z
    .record(z.string(), z.unknown())
    .describe('settings that can be changed here, with their values'),
  in_force: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('the whole configuration in force (file, environment, flags and defaults), without secrets'),
  schema: z.record(z.string(), z.unknown()).describe('JSON Schema of each setting'),
});
export type ConfigView = z.infer<typeof ConfigView>;

const dryRun = z.boolean().optional().describe('true: only show what would change');
const Revision = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** What a configuration changes, or has changed. */
export const ConfigApplied = z.object({
  applied: z.boolean(),
  revision: z
    .number()
    .nullable()
    .describe('the revision in force now; null where the file has the configuration'),
  changes: z.array(ConfigChange),
  ignored: z.array(z.string()).describe('local settings in the text, such as listen: they have no effect'),
});
export type ConfigApplied = z.infer<typeof ConfigApplied>;

export const configRoutes = {
  getConfig: {
    method: 'GET',
    path: '/config',
    summary: 'Get the settings that can be changed while the proxy runs, and their schema',
    output: ConfigView,
  },
  updateConfig: {
    method: 'PATCH',
    path: '/config',
    summary:
      'Change settings. They are validated, stored (as a new revision in the database, or in the file) and applied immediately. null removes a setting',
    body: z
      .partialRecord(z.enum(CHANGEABLE), z.unknown())
      .refine((settings) => Object.keys(settings).length > 0, 'must contain at least one setting'),
    output: ConfigView,
  },
  acceptConfig: {
    method: 'POST',
    path: '/config/accept',
    summary:
      'Confirm the configuration: an edit of the file that waits takes effect, and the list of weakened settings is cleared. `digest` is the one that the status shows',
    body: z.object({
      digest: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'must be the digest that "mcpproxy status" prints: 64 hexadecimal digits'),
    }),
    output: ConfigState,
  },
  applyConfig: {
    method: 'POST',
    path: '/config/apply',
    summary:
      'Replace all shared settings by those of a configuration file. Settings that the text does not name get their default',
    body: z.object({
      text: z.string().min(1).max(4_194_304).describe('the whole file: JSON, comments are allowed'),
      dry_run: dryRun,
      expected: Revision.optional().describe(
        'the revision that was reviewed: CONFLICT if another one is in force',
      ),
    }),
    output: ConfigApplied,
  },
  listConfigRevisions: {
    method: 'GET',
    path: '/config/revisions',
    summary: 'List the revisions of the shared configuration, newest first: who, when and what',
    query: z.object({ limit: limit(20, 200) }),
    output: z.object({ revisions: z.array(ConfigRevision) }),
  },
  getConfigRevision: {
    method: 'GET',
    path: '/config/revisions/{revision}',
    summary: 'Get one revision with all of its settings, without secrets',
    params: z.object({ revision: Revision }),
    output: ConfigRevision.extend({ settings: z.record(z.string(), z.unknown()) }),
  },
  rollbackConfig: {
    method: 'POST',
    path: '/config/revisions/{revision}/rollback',
    summary: 'Put an earlier revision into force again, as a new one',
    params: z.object({ revision: Revision }),
    body: z.object({
      dry_run: dryRun,
      expected: Revision.optional().describe(
        'the revision that was reviewed: CONFLICT if another one is in force',
      ),
    }),
    output: ConfigApplied,
  },
} as const satisfies Record<string, Route>;
