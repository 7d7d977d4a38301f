import type { CallContext } from './context.ts';
import type { CheckParts } from './step.ts';
import type { Check } from './step.ts';
import { argumentsStep } from './steps/arguments.ts';
import { intent } from './steps/intent.ts';
import { lookUp } from './steps/look-up.ts';
import { offered } from './steps/offered.ts';
import { operationScope } from './steps/operation-scope.ts';
import { scope } from './steps/scope.ts';
import { serverHints } from './steps/server-hints.ts';

/** The checks of the road, in order. They run again after a person has decided, and when the tool has changed while the call waited. */
export const CHECKS: readonly Check[] = [
  scope,
  lookUp,
  offered,
  operationScope,
  intent,
  serverHints,
  argumentsStep,
];

export function runChecks(call: CallContext, parts: CheckParts): void {
  for (const check of CHECKS) check.run(call, parts);
}
