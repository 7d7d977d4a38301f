import type { Relay } from '../../db/index.ts';
import type { Log } from '../../lib/log.ts';
import { CallsElsewhere } from './calls-elsewhere.ts';
import { HeldCalls } from './held-calls.ts';
import { SamplingBudget } from './sampling-budget.ts';

/** What the requests of servers to clients share. */
export interface AskDesk {
  held: HeldCalls;
  /** Absent: no other proxy can have the call of a client. */
  elsewhere?: CallsElsewhere;
  budget: SamplingBudget;
}

export function createAskDesk(others?: { relay: Relay; log: Log }): AskDesk {
  const held = new HeldCalls();
  const desk = { held, budget: new SamplingBudget() };
  if (!others?.relay.isShared) return desk;
  return { ...desk, elsewhere: new CallsElsewhere(others.relay, held, others.log) };
}
