/** The content of a client's file. */
export interface ParsedDocument {
  value: unknown;
  /** The line of a value, or of the nearest enclosing one; undefined where the parser does not know it. */
  lineOf(path: ReadonlyArray<string | number>): number | undefined;
}

export interface Unreadable {
  /** With line and column. */
  problem: string;
}

/** The text itself may hold a secret, so the error names only the place. */
export function parseErrorAt(line: number, column: number, what: string): string {
  return `line ${line}, column ${column}: ${what}`;
}
