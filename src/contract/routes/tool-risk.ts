import { z } from 'zod';
import { SummaryPeriod } from '../activity.ts';
import { OperationType } from '../operation.ts';

/** How many tools are held to an operation while their text suggests one. */
const RiskCell = z.object({
  enforced: OperationType.nullable().describe(
    'what calls are checked against; null: any variant may call them',
  ),
  inferred: OperationType.describe('what name, description and parameters suggest'),
  tools: z.number(),
  calls: z.number().describe('calls in the period, also refused ones'),
});

const RiskyTool = RiskCell.omit({ tools: true }).extend({
  name: z.string().describe('server:tool'),
  annotated: z.boolean().describe('true: its server says what it does'),
  decided: z.boolean().describe('true: the operator has set its operation'),
});

/** All tools by what they are held to and what they look like, with their use. */
export const ToolRisk = z.object({
  period: SummaryPeriod,
  cells: z.array(RiskCell).describe('every tool is in one of them'),
  tools: z
    .array(RiskyTool)
    .describe('tools that agents may call as less than they look first, then the most used ones; up to 120'),
});
