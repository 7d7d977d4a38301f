import type { Identity } from '../../contract/call.ts';
import type { ProxyError } from '../../contract/errors.ts';
import { clientOf, type Admission } from '../../load/index.ts';
import type { Step } from '../step.ts';

/** Runs at the HTTP door, before the body of a request is read; the step `admission` decides finally. */
export const doorAdmission: Step = {
  name: 'admission at the door',
  does: 'rejects a call that cannot get a slot before its body is read, and counts it in the log',
  refusals: ['OVERLOADED'],
  at: 'door',
  run({ caller }, { admission }) {
    const refusal = admission && refusalAtDoor(admission, caller);
    if (refusal) throw refusal;
  },
};

export function refusalAtDoor(admission: Admission, caller: Identity): ProxyError | undefined {
  return admission.rejection(clientOf(caller));
}
