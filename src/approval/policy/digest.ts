import { createHash } from 'node:crypto';
import type { Caller } from '../../contract/call.ts';
import { canonicalJson } from '../../json/index.ts';

/** Everything that an approval is bound to. Whatever of it changes makes another call, which is asked anew. */
export interface BoundCall {
  caller: Caller;
  server: string;
  /** How the server is started or reached: another program under the same name is another server. */
  serverIdentity: string;
  tool: string;
  definitionHash: string;
  /** What would be sent. The order of keys in an object does not count. */
  args: Record<string, unknown>;
  /** What the call brings to a server that asked back; sent as well. */
  brought?: { inputResponses?: unknown; requestState?: unknown };
  policyVersion: string;
}

export function callDigest(call: BoundCall): string {
  const { server, serverIdentity, tool, definitionHash, args, brought, policyVersion } = call;
  const caller = callerKey(call.caller);
  const bound = { v: 1, caller, server, serverIdentity, tool, definitionHash, args, brought, policyVersion };
  return createHash('sha256').update(canonicalJson(bound)).digest('hex');
}

/** Who asks. Sessions are left out: a client that comes back after a lost connection is the same caller. */
function callerKey(caller: Caller): unknown {
  const { principal, userId, source, client, conversationId } = caller;
  return { principal, token: caller.token?.id, userId, source, client, conversationId };
}
