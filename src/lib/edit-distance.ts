/** Longer texts are not compared. */
const MAX_LENGTH = 256;
const above = new Uint8Array(MAX_LENGTH + 1);
const current = new Uint8Array(MAX_LENGTH + 1);

/** Levenshtein distance, aborted when it exceeds the bound. Only the cells near the diagonal are computed. */
export function editDistance(a: string, b: string, bound: number): number {
  if (a === b) return 0;
  const far = bound + 1;
  if (Math.abs(a.length - b.length) > bound || Math.max(a.length, b.length) > MAX_LENGTH) return far;
  for (let j = 0; j <= b.length; j++) above[j] = Math.min(j, far);
  for (let i = 1; i <= a.length; i++) {
    const [from, to] = [Math.max(1, i - bound), Math.min(b.length, i + bound)];
    current[from - 1] = from === 1 ? Math.min(i, far) : far;
    let best = current[from - 1]!;
    for (let j = from; j <= to; j++) {
      const change = above[j - 1]! + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      const least = Math.min(change, above[j]! + 1, current[j - 1]! + 1, far);
      current[j] = least;
      if (least < best) best = least;
    }
    if (best > bound) return far;
    above.set(current.subarray(from - 1, to + 1), from - 1);
    // The next row reads one cell further, which was not computed.
    if (to < b.length) above[to + 1] = far;
  }
  return above[b.length]!;
}

/** The known name that was probably meant, for "did you mean". Case does not count. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let bound = wanted.length < 5 ? 1 : 2;
  let nearest: string | undefined;
  for (const each of known) {
    const distance = editDistance(wanted, each.toLowerCase(), bound);
    if (distance > bound) continue;
    nearest = each;
    bound = distance - 1;
    if (bound < 0) break;
  }
  return nearest;
}
