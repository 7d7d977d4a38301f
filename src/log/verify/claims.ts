import { type Claim, type Problem, mismatchProblem, earliest } from './claim.ts';

/**
 * The claims of all chains of a database about records, as far as they depend on each other. The check of a segment returns the part that
 * others need (`part`), and these parts are merged in order (`merge`).
 */
export interface Claims {
  /** Adds a claim. `cut`: retention has dropped the beginning of its chain. */
  add(claim: Claim, cut: boolean): void;
  /** The record of the claim has no payload. */
  sawRedacted(claim: Claim): void;
  /** A record closed as recovered has another state now: a `late` entry must follow. */
  overtaken(claim: Claim): void;
  /** Claims of records that no entry closes. */
  open(): Iterable<Claim>;
  /** The first claim that lacks an earlier or later entry. */
  firstUnresolved(): Problem | null;
  /** Number of records that the entries are about. `isNew`: the entry was written after reading began. */
  count(isNew: (claim: Claim) => boolean): number;
  part(): ClaimsPart;
  merge(part: ClaimsPart): void;
}

export interface ClaimsPart {
  begun: number;
  /** Ids of records that were closed but not opened in this segment. */
  closed: string[];
  open: Claim[];
  recovered: Claim[];
  overtaken: Claim[];
  late: string[];
  redactions: Claim[];
  seenRedacted: Claim[];
}

/** `collect`: keeps what `part` returns. */
export function createClaims({ collect = false } = {}): Claims {
  const open = new Map<string, Claim>();
  // Another writer may have closed it, whose chain is read first.
  const recovered = new Map<string, Claim>();
  const overtaken = new Map<string, Claim>();
  const late = new Set<string>();
  const redactions = new Map<string, Claim>();
  const seenRedacted = new Map<string, Claim>();
  const closed: string[] = [];
  let begun = 0;

  function opened(claim: Claim): void {
    if (recovered.delete(claim.id)) return;
    begun++;
    open.set(claim.id, claim);
  }

  function ended(claim: Claim, cut: boolean): void {
    if (open.delete(claim.id)) return;
    begun++;
    if (collect) closed.push(claim.id);
    if (claim.kind === 'recovered' && !cut) recovered.set(claim.id, claim);
  }

  function sawRedacted(claim: Claim): void {
    const known = seenRedacted.get(claim.id);
    if (!known || claim.n < known.n) seenRedacted.set(claim.id, claim);
  }

  return {
    add(claim, cut) {
      if (claim.kind === 'opened') opened(claim);
      else if (claim.kind === 'redacted') redactions.set(claim.id, claim);
      else if (claim.kind === 'late') late.add(claim.id);
      else ended(claim, cut);
    },
    sawRedacted,
    overtaken: (claim) => void overtaken.set(claim.id, claim),
    open: () => open.values(),
    firstUnresolved: () =>
      earliest([
        ...[...recovered.values()].map(neverOpened),
        ...[...open.values()].filter((claim) => claim.later).map(mismatchProblem),
        ...[...overtaken.values()].filter(({ id }) => !late.has(id)).map(mismatchProblem),
        ...[...seenRedacted.values()].filter(({ id }) => !redactions.has(id)).map(mismatchProblem),
      ]),
    count(isNew) {
      // The entry before a redaction was seen beside a record without payload, or before it was redacted; else retention has dropped it.
      const alone = [...redactions.values()].filter((each) => !seenRedacted.has(each.id) && !isNew(each));
      return begun + alone.length;
    },
    part: () => ({
      begun,
      closed,
      open: [...open.values()],
      recovered: [...recovered.values()],
      overtaken: [...overtaken.values()],
      late: [...late],
      redactions: [...redactions.values()],
      seenRedacted: [...seenRedacted.values()],
    }),
    merge(part) {
      const resolved = new Set(part.closed.filter((id) => open.delete(id)));
      begun += part.begun - resolved.size - part.open.length;
      for (const claim of part.recovered) if (!resolved.has(claim.id)) recovered.set(claim.id, claim);
      for (const claim of part.open) opened(claim);
      for (const claim of part.overtaken) overtaken.set(claim.id, claim);
      for (const id of part.late) late.add(id);
      for (const claim of part.redactions) redactions.set(claim.id, claim);
      for (const claim of part.seenRedacted) sawRedacted(claim);
    },
  };
}

function neverOpened({ log, n, id }: Claim): Problem {
  const message = `record ${id} was closed after a crash, but never opened`;
  return { log, entry: n, record: id, reason: 'order', message };
}
