import { z } from 'zod';
import { durationWithin } from './duration.ts';
import { OperationType } from './operation.ts';
import { ToolMode } from './tool.ts';

/** Makes tokens recognisable to people and to secret scanners. */
export const TOKEN_PREFIX = 'mcpp_';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
/** A name must not be taken for an id: `revoke` takes either. */
const LIKE_AN_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;
export const isTokenId = (text: string): boolean => LIKE_AN_ID.test(text);

export const TokenName = z
  .string()
  .regex(NAME, 'must be 1–64 letters, digits, "_", "." or "-", starting with a letter or digit')
  .refine((name) => !isTokenId(name), 'looks like the id of a token; choose another name');

/** Principals that are no token, although a token could have this name. */
const NO_TOKEN: readonly string[] = ['operator', 'anonymous', 'unknown', 'system'];

/** The principal that a filter means: the name of a token alone stands for `token:NAME`. */
export const principalNamed = (given: string): string =>
  NAME.test(given) && !NO_TOKEN.includes(given) ? `token:${given}` : given;

/** The principal of a filter. */
export const PrincipalText = z.string().transform(principalNamed);

/** `*` matches any number of characters; everything else matches itself. */
const ServerPattern = z
  .string()
  .regex(/^[A-Za-z0-9_.*-]{1,64}$/, 'must be the name of a server; "*" matches any characters');
const ToolPattern = z
  .string()
  .max(512)
  .regex(
    /^[A-Za-z0-9_.*-]{1,64}:[^\u0000-\u001f\u007f-\u009f]+$/,
    'must be "server:tool", as in "github:list_*"; "*" matches any characters',
  );

const MAX_PATTERNS = 200;

/** The scope of a token. All given restrictions apply together: operation, server and tool. */
export const TokenScope = z.object({
  operations: z.array(OperationType).min(1).describe('operations of the tools that it may call'),
  servers: z.array(ServerPattern).min(1).max(MAX_PATTERNS).optional().describe('absent: every server'),
  tools: z.array(ToolPattern).min(1).max(MAX_PATTERNS).optional().describe('absent: every tool'),
  assistant: z
    .boolean()
    .optional()
    .describe(
      'true: it also gives access to the task assistant, where its holder answers questions as the user',
    ),
  metrics: z.boolean().optional().describe('true: it gives access to /metrics only'),
  mode: ToolMode.optional().describe('what tools/list shows its holder; absent: the setting `mode`'),
});
export type TokenScope = z.infer<typeof TokenScope>;

export const TOKEN_NEVER = 'never';
/** Long enough for a client in daily use; a forgotten token still expires. */
export const TOKEN_EXPIRES = '90d';

export const NewToken = z.strictObject({
  name: TokenName.describe('who will use it; part of every record'),
  operations: TokenScope.shape.operations.default(() => [...OperationType.options]),
  servers: TokenScope.shape.servers,
  tools: TokenScope.shape.tools,
  assistant: TokenScope.shape.assistant,
  metrics: TokenScope.shape.metrics,
  mode: TokenScope.shape.mode,
  expires: z
    .union([z.literal(TOKEN_NEVER), durationWithin('1s', '3650d')])
    .default(TOKEN_EXPIRES)
    .describe('a duration from now, or "never"'),
  user: z
    .string()
    .regex(NAME, 'must be 1–64 letters, digits, "_", "." or "-", starting with a letter or digit')
    .default('local')
    .describe('user whose tasks its calls access'),
  replace: z
    .boolean()
    .optional()
    .describe('true: an existing token with this name is revoked in the same step'),
});
export type NewToken = z.infer<typeof NewToken>;

export const TokenStatus = z
  .enum(['active', 'expired', 'revoked', 'invalid'])
  .describe('invalid: its row was changed outside of mcpproxy; it permits nothing. Replace or revoke it');
export type TokenStatus = z.infer<typeof TokenStatus>;

/** A token without its secret, which is shown once, when the token is created. */
export const TokenView = TokenScope.extend({
  id: z.string(),
  name: z.string(),
  user: z.string(),
  status: TokenStatus,
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string().nullable().describe('null: never'),
  revoked_at: z.string().nullable(),
  last_used_at: z.string().nullable().describe('updated about twice a minute'),
});
export type TokenView = z.infer<typeof TokenView>;

export const MadeToken = TokenView.extend({
  token: z.string().describe('the secret; it is shown only once'),
  replaced: z.string().optional().describe('id of the token with this name that was revoked'),
  callable: z
    .object({ now: z.number(), total: z.number() })
    .describe('now: tools within its scope; total: tools that agents can call now'),
});
export type MadeToken = z.infer<typeof MadeToken>;
