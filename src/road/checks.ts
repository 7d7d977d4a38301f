import type { CallContext } from './context.ts';
import type { Check, CheckParts } from './step.ts';
import { argumentsStep } from './steps/arguments.ts';
import { intent } from './steps/intent.ts';
import { lookUp, offered } from './steps/look-up.ts';
import { operationScope, scope } from './steps/scope.ts';
import { serverHints } from './steps/server-hints.ts';

/** The checks that need the tool. */
export const TOOL_CHECKS: readonly Check[] = [
  lookUp,
  offered,
  operationScope,
  intent,
  serverHints,
  argumentsStep,
];

/** The checks of the road, in order. They run again after a person has decided, and when the tool has changed while the call waited. */
export const CHECKS: readonly Check[] = [scope, ...TOOL_CHECKS];

export function runChecks(call: CallContext, parts: CheckParts): void {
  for (const check of CHECKS) check.run(call, parts);
}
