import type { OperationType } from '../../contract/operation.ts';
import type { HintState } from '../verdict/held-hints.ts';

export interface Decision {
  operation: OperationType;
  by: string;
  at: string;
}

/** A definition that was accepted or rejected, by its hash, and how its server was started or reached then. */
export interface Accepted {
  hash: string;
  identity: string;
  by: string;
  at: string;
}

/** What is remembered of a tool, also while its server is away. */
export interface KnownTool extends HintState {
  /** Empty: the operator has decided on a tool that was never listed. */
  hash: string;
  identity: string;
  operator?: Decision;
  accepted?: Accepted;
  /** What the operator does not want, until it is accepted after all. */
  rejected?: Accepted;
  firstSeen: string;
  changedAt: string;
  /** Not stored: so many tools of the server are remembered that this one is not. A change of it would go unseen. */
  unremembered?: true;
}

export interface ToolKey {
  server: string;
  tool: string;
}

/** The definition that is accepted with a listing, as JSON when it is asked for. */
export interface AcceptedDefinition {
  json: () => string;
  accepts: Acceptance;
}

/** `first`: accepted at first use, unless another proxy was first. `always`: part of the program, so nobody else has a say. */
export type Acceptance = 'first' | 'always';
