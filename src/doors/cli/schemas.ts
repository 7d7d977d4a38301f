/** The schemas of the contract, for the flags and files that a command validates. Always loaded on demand: most commands need none. */
import { z } from 'zod';

export { ActivityFilter } from '../../contract/activity.ts';
export { GrantTerms, PolicyRules } from '../../contract/approval-policy.ts';
export { Config, Duration, durationWithin } from '../../contract/config.ts';
export { issueText, leafIssues } from '../../contract/issue-text.ts';
export { routes } from '../../contract/routes/api.ts';
export { NewToken } from '../../contract/token.ts';
export { VerdictFile } from '../../contract/tool.ts';

/** As `workers` of the configuration; a flag is text. */
export const WorkerCount = z.union([z.literal('auto'), z.coerce.number().int().min(1).max(64)]);
export const approvalLimit = z.coerce.number().int().min(1).max(200);
export const decisionReason = z.string().max(1000);
export const countOf = (schema: z.ZodType<unknown, number>) => z.coerce.number().pipe(schema);

/** Parses "a, b" into a list for the schema of a route. */
export const listOf = (schema: z.ZodType) =>
  z.preprocess(
    (text) =>
      String(text)
        .split(',')
        .map((item) => item.trim()),
    schema,
  );
