import type { SetupState } from '../../runtime.ts';

export interface SetupFlags {
  yes?: boolean;
  skip?: string;
  policy?: string;
  keepServers?: boolean;
  undo?: boolean;
  dryRun?: boolean;
  listen?: string;
}

/** What one step did: lines for people, and what is needed to undo it. */
export interface StepDone {
  step: string;
  lines: string[];
  /** For programs. */
  result: unknown;
  failed?: boolean;
}

export interface StepInput {
  flags: SetupFlags;
  state: SetupState;
}
