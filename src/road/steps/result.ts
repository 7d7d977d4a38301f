import type { Step } from '../step.ts';
import { carryState } from './request-state.ts';

export const result: Step = {
  name: 'result',
  does: "the server's own answer, untouched; a state that it hands out is sealed for this caller",
  refusals: [],
  run(call, { stateSeal }) {
    call.result = carryState(stateSeal, call.parsed, call.caller).sealed(call.result);
  },
};
