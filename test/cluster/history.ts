/** What clients, operators and the server saw in one run. Times are milliseconds of one clock. */
export interface History {
  calls: SeenCall[];
  /** What the server ran, in its own words. */
  runs: SeenRun[];
  /** Approvals that an operator sent, whether or not they were answered. */
  approvals: Array<{ nonce: string; id: string }>;
  policies: PolicyChange[];
}

export const TOOLS = ['put', 'log', 'wipe', 'get'] as const;
export type ToolName = (typeof TOOLS)[number];

export interface SeenCall {
  nonce: string;
  tool: ToolName;
  client: string;
  started: number;
  ended: number;
  /** `done`: it was acknowledged. `refused`: the answer says that it did not run. `unclear`: it may have run. */
  outcome: 'done' | 'refused' | 'unclear';
  said: string;
}

export interface SeenRun {
  nonce: string;
  tool: ToolName;
  at: number;
}

/** From `acknowledged` until `ended` nobody may run the tool. */
export interface PolicyChange {
  tool: ToolName;
  acknowledged: number;
  /** When the operator began to permit it again. */
  ended: number;
}

/** What the log of the proxies says afterwards. */
export interface FoundLog {
  /** Nonces of the records, each with the states of its records. */
  records: Map<string, string[]>;
  /** Why the chain does not verify. */
  problem: { reason: string; message: string } | undefined;
  /** What the proxies themselves say about entries that are missing. Undefined: nothing. */
  missing: string | undefined;
}
