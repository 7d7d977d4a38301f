import { z } from 'zod';
import { ConfigState } from '../status.ts';
import type { Route } from './route.ts';

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
  'trusted_proxies',
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
      'Change settings. They are validated, written to the file and applied immediately. null removes a setting',
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
} as const satisfies Record<string, Route>;
