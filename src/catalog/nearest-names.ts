export interface NameForms {
  name: string;
  full: string;
  tool: string;
}

const MAX_LENGTH = 128;

/** Case and the choice of separator are the commonest slips, so they cost nothing. */
export function nameForms(name: string): NameForms {
  const full = name
    .slice(0, 2 * MAX_LENGTH)
    .toLowerCase()
    .replace(/[-_. ]+/g, '_')
    .slice(0, MAX_LENGTH);
  return { name, full, tool: full.slice(full.indexOf(':') + 1) };
}

/** The names that a wrong one was probably meant to be: close as a whole, or the right tool under the wrong server. */
export function nearestNames(wanted: string, names: Iterable<NameForms>, count: number): string[] {
  const target = nameForms(wanted);
  const bound = Math.min(8, Math.max(2, Math.floor(target.tool.length / 3)));
  const near: Array<{ name: string; distance: number }> = [];
  for (const candidate of names) {
    const whole = editDistance(target.full, candidate.full, bound);
    // One more than the whole name, so that the right server goes first.
    const distance = Math.min(whole, 1 + editDistance(target.tool, candidate.tool, bound - 1));
    if (distance <= bound) near.push({ name: candidate.name, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}

/** Levenshtein, given up as soon as it exceeds the bound. Only the cells near the diagonal can stay below it. */
export function editDistance(a: string, b: string, bound: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > bound) return bound + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = Array.from({ length: b.length + 1 }, () => bound + 1);
    if (i <= bound) row[0] = i;
    let best = row[0]!;
    for (let j = Math.max(1, i - bound); j <= Math.min(b.length, i + bound); j++) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(change, previous[j]! + 1, row[j - 1]! + 1, bound + 1);
      if (row[j]! < best) best = row[j]!;
    }
    if (best > bound) return bound + 1;
    previous = row;
  }
  return previous[b.length]!;
}
