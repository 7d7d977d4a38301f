import { z } from 'zod';
import { ToolStanding } from './tool.ts';

/** What a server offers besides tools. */
export type ItemKind = 'prompt' | 'resource' | 'template' | 'skill';

export const ITEM_KINDS: readonly ItemKind[] = ['prompt', 'resource', 'template', 'skill'];

const Offered = {
  server: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  standing: ToolStanding,
  withheld: z.boolean().describe('true: agents can neither see nor use it'),
  enabled: z.boolean(),
};

export const PromptView = z.object({
  name: z.string().describe('server:prompt'),
  ...Offered,
  arguments: z.array(z.looseObject({ name: z.string() })).optional(),
  definition_hash: z
    .string()
    .optional()
    .describe('hash of the listed definition, to approve exactly this one'),
});
export type PromptView = z.infer<typeof PromptView>;

export const ResourceView = z.object({
  uri: z
    .string()
    .describe('URI through the proxy: mcpproxy://SERVER/ and the URI of the server; or a URI template'),
  server_uri: z.string().describe('as the server wrote it'),
  name: z.string(),
  mime_type: z.string().optional(),
  ...Offered,
});
export type ResourceView = z.infer<typeof ResourceView>;

const reason = z.string().optional().describe('why, for the activity log');

export const SkillView = z.object({
  uri: z.string().describe('URI through the proxy: mcpproxy://SERVER/ and the URI of the server'),
  server_uri: z.string().describe('as the server wrote it'),
  name: z.string(),
  ...Offered,
  files: z.number().describe('how many files its server lists, SKILL.md included'),
  definition_hash: z
    .string()
    .optional()
    .describe('hash of the listed skill with the digests of its files, to approve exactly this one'),
});
export type SkillView = z.infer<typeof SkillView>;

export const PromptRequest = z.object({
  name: z.unknown().describe('server:prompt'),
  arguments: z.unknown().optional().describe('arguments of the prompt, as an object of texts'),
  reason,
});

export const ResourceRequest = z.object({
  uri: z.unknown().describe('URI through the proxy, or that of the server where only one server has it'),
  reason,
});

/** The answer of the server, unchanged. */
export const PromptResult = z.looseObject({
  description: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })).optional(),
});
export type PromptResult = z.infer<typeof PromptResult>;

/** The answer of the server, unchanged. */
export const ResourceResult = z.looseObject({
  contents: z.array(z.looseObject({ uri: z.string() })).optional(),
});
export type ResourceResult = z.infer<typeof ResourceResult>;
