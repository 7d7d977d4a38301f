import { ProxyError } from '../../contract/errors.ts';
import { runChecks } from '../checks.ts';
import type { CallContext } from '../context.ts';
import type { RoadParts } from '../step.ts';
import type { Step } from '../step.ts';

/** A read may share the next commit; a change is on disk before it is made. */
export const durableRecord: Step = {
  name: 'durable record',
  does: 'waits until the record of a change is on disk, before the change is made',
  refusals: ['AUDIT_UNAVAILABLE'],
  span: 'log opened',
  run(call, parts) {
    if (call.operation !== 'read') return waitForDisk(call, parts);
    if (!mayBeUnrecorded(call, parts)) requireLog(parts.activity.state());
    return undefined;
  },
};

/** Whether the operator allows this call to run although its record may not be written. */
export function mayBeUnrecorded({ operation }: CallContext, { config }: RoadParts): boolean {
  return operation === 'read' && config().activity.when_unavailable === 'allow_reads';
}

async function waitForDisk(call: CallContext, parts: RoadParts): Promise<void> {
  await call.record!.durable();
  // The tool may have changed meanwhile.
  if (parts.catalog.get(call.parsed.name) !== call.tool) runChecks(call, parts);
}

/** A read needs no record on disk beforehand, but it is not made while the log cannot be written. */
function requireLog({ log, reason }: ReturnType<RoadParts['activity']['state']>): void {
  if (log === 'ok') return;
  throw new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The activity log cannot be written (${reason ?? 'unknown'}), so the call was not made`,
    { executed: false },
  );
}
