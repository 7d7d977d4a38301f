/** The known word that an unknown one was probably meant to be, for "did you mean". */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const wanted = plainWord(word);
  return (
    known.find((candidate) => plainWord(candidate) === wanted) ??
    known.find((candidate) => isOneEditApart(plainWord(candidate), wanted))
  );
}

export function plainWord(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** One letter too many, too few, wrong, or two swapped. */
function isOneEditApart(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}
