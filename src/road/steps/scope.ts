import { compiledScope, outOfScope, type Token } from '../scope.ts';
import { check } from '../step.ts';

export const scope = check({
  name: 'scope',
  does: "compares the tool's name with the servers and tools of the agent token",
  refusals: ['OUT_OF_SCOPE'],
  run({ caller, parsed }) {
    checkNameInScope(caller.token, parsed.name);
  },
});

/** By the name alone and before it is looked up, so that a token cannot tell a tool that it may not call from one that does not exist. */
export function checkNameInScope(token: Token, name: string): void {
  if (!token || compiledScope(token.scope).names(name)) return;
  throw outOfScope(token, { tool: name, why: 'it is not among the tools that the token is for' });
}
