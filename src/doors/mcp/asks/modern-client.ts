import { hash } from 'node:crypto';
import type { ClientChannel } from '../../../road/index.ts';
import { canonicalJson, isObject, type JsonObject } from '../../../json/index.ts';
import type { ActiveCall } from '../calls.ts';
import { META, metaOf } from '../wire.ts';
import { readLevel, wantsLevel } from './log-level.ts';

/**
 * What a client since 2026-07-28 can be asked for. It has no session: it is known by its credential, its program and its capabilities, and
 * it is asked by the result of its call.
 */
export function modernChannel(call: ActiveCall, params: JsonObject | undefined): ClientChannel | undefined {
  const meta = metaOf(params);
  const level = readLevel(meta?.[META.logLevel]);
  const declared = meta?.[META.clientCapabilities];
  const capabilities = isObject(declared) ? declared : {};
  const { elicitation, sampling, roots } = capabilities;
  if (!(elicitation ?? sampling ?? roots) && level === undefined) return undefined;
  return {
    get key() {
      const { principal, userId, token, client } = call.caller;
      const parts = canonicalJson([principal, userId, token?.id ?? null, client ?? null, capabilities]);
      return `client ${hash('sha256', parts, 'hex')}`;
    },
    capabilities,
    logLevel: level,
    log(message) {
      if (level === undefined || call.aborted || !wantsLevel(level, message.level)) return;
      call.reply.notify({ jsonrpc: '2.0', method: 'notifications/message', params: message });
    },
  };
}
