import { HeldCalls } from './held-calls.ts';
import { SamplingBudget } from './sampling-budget.ts';

/** What the requests of servers to clients share. */
export interface AskDesk {
  held: HeldCalls;
  budget: SamplingBudget;
}

export function createAskDesk(): AskDesk {
  return { held: new HeldCalls(), budget: new SamplingBudget() };
}
