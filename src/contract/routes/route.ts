import { z } from 'zod';

/**
 * A REST route. The table of routes defines the server's validation, the typed client, `/openapi.json` and the flags of the CLI.
 * `{name}` in a path is one segment; tool names contain ":" and are percent-encoded by the client.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Absent: the route returns a stream (export, events). */
  output?: z.ZodType;
  stream?: string;
  /** True: an agent token with access to the assistant can use it too, as the user of the token. */
  token?: true;
}

/** Query parameters arrive as text. */
export const limit = (fallback: number, max: number) =>
  z.coerce.number().int().min(1).max(max).default(fallback);
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1')
  .optional();
export const cursor = z.string().max(2000).optional();
