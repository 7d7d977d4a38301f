import { z } from 'zod';
import type { Route } from './route.ts';

/** What can be changed while the proxy runs. Addresses, places and the key are left to the file: they take a restart. */
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
] as const;

export const ConfigView = z.object({
  file: z.string(),
  error: z.string().nullable().describe('why the file on disk is not the configuration that serves'),
  settings: z.record(z.string(), z.unknown()).describe('those that can be changed here, with their values'),
  schema: z.record(z.string(), z.unknown()).describe('JSON Schema of each of them'),
});
export type ConfigView = z.infer<typeof ConfigView>;

export const configRoutes = {
  getConfig: {
    method: 'GET',
    path: '/config',
    summary: 'The settings that can be changed while the proxy runs, and their schema',
    output: ConfigView,
  },
  updateConfig: {
    method: 'PATCH',
    path: '/config',
    summary: 'Change settings; they are checked, written to the file and in force at once. null removes one',
    body: z
      .partialRecord(z.enum(CHANGEABLE), z.unknown())
      .refine((settings) => Object.keys(settings).length > 0, 'must name a setting'),
    output: ConfigView,
  },
} as const satisfies Record<string, Route>;
