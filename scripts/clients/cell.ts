/** The outcome of one step of one client, in a few words for the table. */
export interface Cell {
  readonly held: boolean;
  readonly says: string;
  /** What was on the screen or in the answer when a step failed; printed, not put into the table. */
  readonly detail?: string;
}

export const good = (says: string): Cell => ({ held: true, says });
export const bad = (says: string, detail = ''): Cell => ({ held: false, says, detail });
