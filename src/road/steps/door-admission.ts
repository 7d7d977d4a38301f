import type { Identity } from '../../contract/call.ts';
import type { ProxyError } from '../../contract/errors.ts';
import { clientOf, type Admission } from '../../load/index.ts';
import type { Step } from '../step.ts';

/** Runs at the HTTP door, before the body of a request is read; the step of the same name later on has the last word. */
export const doorAdmission: Step = {
  name: 'admission at the door',
  does: 'a call that is sure to find no slot is rejected before its body is read, and counted in the log',
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
