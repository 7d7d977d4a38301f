import { namedThing } from '../revision.ts';
import { META, metaOf, type Message } from '../wire.ts';

export interface BridgeSession {
  id: string;
  revision: string;
}

/** A 2026 message says its revision itself; undefined for all others. */
export function claimedRevision(message: Message | undefined): string | undefined {
  const version = metaOf(message?.params)?.[META.version];
  return typeof version === 'string' ? version : undefined;
}

/** What a pipe leaves unsaid and HTTP wants said in headers. */
export function headersFor(
  message: Message | undefined,
  session: BridgeSession | undefined,
): Record<string, string> {
  const revision = claimedRevision(message);
  if (message === undefined || revision === undefined) return sessionHeaders(session);
  const name = namedThing(message);
  return {
    'mcp-protocol-version': headerText(revision),
    'mcp-method': headerText(message.method),
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
  };
}

export function sessionHeaders(session: BridgeSession | undefined): Record<string, string> {
  return session ? { 'mcp-session-id': session.id, 'mcp-protocol-version': session.revision } : {};
}

/** Headers carry plain ASCII only; everything else goes encoded. */
function headerText(text: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
