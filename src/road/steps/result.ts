import type { Step } from '../step.ts';
import { stateFor } from './request-state.ts';

export const result: Step = {
  name: 'result',
  does: "returns the server's own answer, unchanged; a state in it is sealed for this caller",
  refusals: [],
  run(call, { stateSeal }) {
    call.result = stateFor(stateSeal, call.parsed, call.caller).sealed(call.result);
  },
};
