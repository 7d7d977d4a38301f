import { checkNameInScope } from '../scope.ts';
import type { Check } from '../step.ts';

/** By the name alone and before it is looked up, so that a token cannot tell a tool that it may not call from one that is not there. */
export const scope: Check = {
  name: 'scope',
  does: "the tool's name against the servers and tools of the agent's token",
  refusals: ['OUT_OF_SCOPE'],
  run({ caller, parsed }) {
    checkNameInScope(caller.token, parsed.name);
  },
};
