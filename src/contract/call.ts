import { z } from 'zod';
import { ToolVariant } from './operation.ts';

export const CallRequest = z.looseObject({
  tool_variant: ToolVariant,
  name: z.unknown().optional().describe('server:tool'),
  args: z.unknown().optional().describe('arguments as an object'),
  args_json: z
    .unknown()
    .optional()
    .describe('arguments as JSON text, instead of args; an object is taken as args'),
  intent: z.unknown().optional().describe('{operation_type, data_sensitivity?, reason?}'),
  timeout: z.string().optional(),
  approval_wait: z
    .string()
    .optional()
    .describe(
      'how long to wait for a person before the call is answered as pending; default: approvals.wait',
    ),
});
export type CallRequest = z.infer<typeof CallRequest>;

/** The upstream's result, untouched. */
export const CallResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.infer<typeof CallResult>;
