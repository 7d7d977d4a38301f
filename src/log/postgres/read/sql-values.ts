/** Values of a statement, in the order of their numbers. */
export interface Values {
  readonly list: unknown[];
  /** Gives the parameter that stands for a value. */
  of(value: unknown): string;
}

export function createValues(): Values {
  const list: unknown[] = [];
  return { list, of: (value) => `$${list.push(value)}` };
}
