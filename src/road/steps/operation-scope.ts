import { checkOperationInScope } from '../scope.ts';
import type { Check } from '../step.ts';

export const operationScope: Check = {
  name: 'operation scope',
  does: "the tool's verdict against the operations of the agent's token, whatever variant was chosen",
  refusals: ['OUT_OF_SCOPE'],
  run({ caller, tool }) {
    checkOperationInScope(caller.token, tool);
  },
};
