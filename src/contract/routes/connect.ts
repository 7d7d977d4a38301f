import { z } from 'zod';
import type { Route } from './route.ts';

const ConnectableClient = z.object({
  id: z.string(),
  title: z.string(),
  rules: z
    .string()
    .nullable()
    .describe('what makes reads pass and changes ask; null: only the settings of the client itself'),
});

/** Stands in the printed files where the token belongs. */
export const TOKEN_PLACE = 'mcpp_…';

const ClientEntry = z.object({
  title: z.string(),
  variable: z
    .string()
    .nullable()
    .describe(`the variable that holds the token; null: it replaces "${TOKEN_PLACE}" in the files`),
  files: z.array(z.object({ file: z.string(), text: z.string() })),
  notes: z.array(z.string()),
});

export const connectRoutes = {
  listClients: {
    method: 'GET',
    path: '/clients',
    summary: 'List the client programs whose configuration is known',
    output: z.object({ clients: z.array(ConnectableClient) }),
  },
  clientEntry: {
    method: 'GET',
    path: '/clients/{client}/entry',
    summary: 'Get what to write into the files of a client program to connect it; nothing is changed',
    params: z.object({ client: z.string().describe('id or name of the client, as in "cursor"') }),
    query: z.object({
      url: z
        .string()
        .max(2000)
        .regex(/^https?:\/\/[^\s]+$/, 'must begin with http:// or https://')
        .describe('the MCP endpoint as the client reaches it'),
    }),
    output: ClientEntry,
  },
} as const satisfies Record<string, Route>;
