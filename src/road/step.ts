import type { ErrorCode } from '../contract/errors.ts';
import type { CallContext } from './context.ts';
import type { CheckParts, RoadParts } from './parts.ts';

/** One step of the road. It reads and fills the context of the call, or throws one of its refusals. */
export interface Step {
  readonly name: string;
  /** One line for the documentation. */
  readonly does: string;
  /** Every error code that the step can end a call with. */
  readonly refusals: readonly ErrorCode[];
  /** A step that waits returns a promise; one that does not costs no turn of the event loop. */
  run(call: CallContext, parts: RoadParts): Promise<void> | undefined | void;
  /** Where it runs if not in the list: the HTTP door runs it before the body is read. */
  readonly at?: 'door';
  /** The span that shows the wait in a trace; a step without one traces itself or is not traced. */
  readonly span?: string;
}

/** A step that decides from what is known at this moment: it never waits, sends nothing, and can run again. */
export interface Check extends Step {
  run(call: CallContext, parts: CheckParts): void;
}
