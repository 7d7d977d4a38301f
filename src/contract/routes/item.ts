import { z } from 'zod';
import {
  PromptRequest,
  PromptResult,
  PromptView,
  ResourceRequest,
  ResourceResult,
  ResourceView,
  SkillView,
} from '../item.ts';
import { ToolDiff } from '../tool.ts';
import { type Route, cursor, flag, limit } from './route.ts';

const byName = z.object({ name: z.string() });
const hash = z
  .string()
  .max(128)
  .optional()
  .describe('definition_hash that was reviewed; the request is rejected if the definition has changed since');
const decision = z.object({ uri: z.string().describe('URI through the proxy'), hash });
const page = { server: z.string().optional(), limit: limit(100, 1000), cursor };

export const itemRoutes = {
  listPrompts: {
    method: 'GET',
    path: '/prompts',
    summary: 'List the prompts of all servers, ordered by name',
    query: z.object({ ...page, withheld: flag.describe('only prompts that wait for approval') }),
    output: z.object({ prompts: z.array(PromptView), next_cursor: z.string().nullable(), total: z.number() }),
  },
  getPrompt: {
    method: 'POST',
    path: '/prompts/get',
    summary: 'Get a prompt; the request passes all policy checks',
    body: PromptRequest,
    output: PromptResult,
  },
  diffPrompt: {
    method: 'GET',
    path: '/prompts/{name}/diff',
    summary: 'Compare a prompt with its accepted definition',
    params: byName,
    output: ToolDiff,
  },
  approvePrompt: {
    method: 'POST',
    path: '/prompts/{name}/approve',
    summary: 'Accept the current definition of a prompt',
    params: byName,
    query: z.object({ hash }),
    output: PromptView,
  },
  rejectPrompt: {
    method: 'POST',
    path: '/prompts/{name}/reject',
    summary: 'Reject a new or changed prompt: agents cannot use it until it changes again',
    params: byName,
    query: z.object({ hash }),
    output: PromptView,
  },
  listResources: {
    method: 'GET',
    path: '/resources',
    summary: 'List the resources of all servers, or their templates',
    query: z.object({ ...page, templates: flag.describe('URI templates instead of resources') }),
    output: z.object({
      resources: z.array(ResourceView),
      next_cursor: z.string().nullable(),
      total: z.number(),
    }),
  },
  readResource: {
    method: 'POST',
    path: '/resources/read',
    summary: 'Read a resource; the request passes all policy checks',
    body: ResourceRequest,
    output: ResourceResult,
  },
  listSkills: {
    method: 'GET',
    path: '/skills',
    summary: 'List the skills of all servers',
    query: z.object({ ...page, withheld: flag.describe('only skills that wait for approval') }),
    output: z.object({ skills: z.array(SkillView), next_cursor: z.string().nullable(), total: z.number() }),
  },
  diffSkill: {
    method: 'GET',
    path: '/skills/diff',
    summary: 'Compare a skill with its accepted definition',
    query: z.object({ uri: z.string().describe('URI through the proxy') }),
    output: ToolDiff,
  },
  approveSkill: {
    method: 'POST',
    path: '/skills/approve',
    summary: 'Accept a skill with its files as they are listed now',
    body: decision,
    output: SkillView,
  },
  rejectSkill: {
    method: 'POST',
    path: '/skills/reject',
    summary: 'Reject a new or changed skill: agents cannot use it until it changes again',
    body: decision,
    output: SkillView,
  },
} as const satisfies Record<string, Route>;
