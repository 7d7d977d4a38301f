import type { z } from 'zod';

/**
 * Every REST route, once. From this table come the server's validation, the typed client, `/openapi.json` and the flags of the CLI.
 * `{name}` in a path is one segment; tool names contain ":" and are percent-encoded by the client.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Absent: the route answers with a stream of its own type (export, events). */
  output?: z.ZodType;
  stream?: string;
  /** True: a token that was made for the assistant opens it too, as the user that the token is for. */
  token?: true;
}
