import type { Identity } from '../../contract/call.ts';
import { durationMs } from '../../contract/config.ts';
import type { ProxyError } from '../../contract/errors.ts';
import { type Admission, clientOf } from '../../load/index.ts';
import type { CallContext } from '../context.ts';
import type { RoadParts, Step } from '../step.ts';

/** Runs at the HTTP door, before the body of a request is read; the step `admission` decides finally. */
export const doorAdmission: Step = {
  name: 'admission at the door',
  does: 'rejects a call that cannot get a slot before its body is read, and counts it in the log',
  refusals: ['OVERLOADED'],
  at: 'door',
  run({ caller }, { admission }) {
    const refusal = admission && overloadErrorFor(admission, caller);
    if (refusal) throw refusal;
  },
};

export function overloadErrorFor(admission: Admission, caller: Identity): ProxyError | undefined {
  return admission.rejection(clientOf(caller));
}

/**
 * Only calls on their way to a server hold a slot: a call that waits for a person may wait for long. The wait for a slot is part of the
 * time that the call has.
 */
export const admission: Step = {
  name: 'admission',
  does: 'limits the concurrent calls, in total and per client; waiting calls of all clients take turns',
  refusals: ['OVERLOADED', 'CANCELLED'],
  span: 'admission',
  run(call, parts) {
    if (!parts.admission || call.pass?.shared) return undefined;
    const since = performance.now() - call.startWaitMs;
    if (call.startWaitMs > 0) call.waitingSince = since;
    const { signal, timeoutMs = Infinity } = call.request;
    const limitMs = () => Math.max(1, Math.min(timeoutMs, serverLimitMs(call, parts)) - call.startWaitMs);
    const waiting = parts.admission.enter(clientOf(call.caller), signal, limitMs);
    if (!waiting) {
      call.hasSlot = true;
      return undefined;
    }
    call.waitingSince = since;
    return waiting.then(() => {
      call.hasSlot = true;
    });
  },
};

export function releaseSlot(call: CallContext, { admission: slots }: RoadParts): void {
  if (!call.hasSlot) return;
  call.hasSlot = false;
  slots!.leave(clientOf(call.caller));
}

function serverLimitMs({ tool }: CallContext, { config }: RoadParts): number {
  const { call_timeout: general, mcpServers } = config();
  const own = mcpServers[tool.server]?.timeout;
  return Math.min(durationMs(general), own === undefined ? Infinity : durationMs(own));
}
