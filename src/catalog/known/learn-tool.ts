import type { Quarantine } from '../../contract/config.ts';
import type { ToolStanding } from '../../contract/tool.ts';
import { nextHints, type HintSet } from '../verdict/held-hints.ts';
import type { KnownTool } from './known-tool.ts';
import { isSamePlace, isSameServer } from './server-identity.ts';

/** A tool as it is listed now. */
export interface Seen {
  hash: string;
  identity: string;
  hints: HintSet;
  at: string;
  /** A tool nobody has accepted yet is accepted by being there. */
  trusted: boolean;
}

const FIRST_USE = 'first use';

export type ToolChangeKind =
  | 'tool_new'
  | 'definition_changed'
  | 'definition_restored'
  | 'hints_weakened'
  | 'hints_strengthened'
  | 'hints_changed';

export interface Learnt {
  known: KnownTool;
  /** What is worth telling; a tool that is accepted at first sight is not. */
  change?: ToolChange;
  /** The server answers from another place than before, or introduces itself otherwise. */
  moved?: 'place' | 'introduction';
  /** The definition is the accepted one from now on. */
  accepts?: true;
}

export interface ToolChange {
  change: ToolChangeKind;
  before?: HintSet;
  after?: HintSet;
  held?: HintSet;
}

/** Compares a listed tool with what is remembered of it. The same object comes back where nothing is new. */
export function learnTool(before: KnownTool | undefined, seen: Seen): Learnt {
  const { hash, identity, at } = seen;
  if (!before || before.hash === '') return firstSight(before, seen);
  const same = before.hash === hash;
  if (same && before.identity === identity) return settle({ known: before }, seen);
  const { state, change: hintChange } = nextHints(before, seen.hints);
  const known = { ...before, ...state, hash, identity, changedAt: same ? before.changedAt : at };
  const pinned = before.accepted !== undefined && before.accepted.hash !== '';
  const moved = pinned &&
    !isSameServer(before.identity, identity) && {
      moved: isSamePlace(before.identity, identity) ? ('introduction' as const) : ('place' as const),
    };
  const change = hintChange ?? (!same && pinned ? { change: kindOf(known) } : undefined);
  return settle({ known, ...moved, ...(change && { change }) }, seen);
}

/** What is part of the program is as good as the program: nothing that it says needs to be accepted. */
export function trustedTool(before: KnownTool | undefined, seen: Seen): Learnt {
  const { known } = learnTool(before, seen);
  if (known === before && standingOf(known, seen.identity, 'changed') === 'accepted') return { known };
  return { known: { ...accepted(known, FIRST_USE, seen.at), held: seen.hints }, accepts: true };
}

/** There is no room to remember the tool, so that nobody could tell later whether it has changed. It counts as accepted by nobody. */
export function unrememberedTool({ hash, identity, hints, at }: Seen): Learnt {
  const known = { hash, identity, hints, held: hints, firstSeen: at, changedAt: at };
  return { known: { ...known, unremembered: true } };
}

function firstSight(before: KnownTool | undefined, seen: Seen): Learnt {
  const { hash, identity, hints, at } = seen;
  const fresh = { hash, identity, hints, held: hints, firstSeen: before?.firstSeen ?? at, changedAt: at };
  const learnt = settle({ known: { ...before, ...fresh } }, seen);
  return learnt.accepts ? learnt : { ...learnt, change: { change: 'tool_new' } };
}

/** Accepts what may be accepted without asking: at first use, and what was known before acceptance was written down. */
function settle(learnt: Learnt, { trusted, at }: Seen): Learnt {
  const { known } = learnt;
  const upgraded = known.accepted?.hash === '';
  if (known.accepted ? !upgraded : !trusted) return learnt;
  return { ...learnt, known: accepted(known, FIRST_USE, at), accepts: true };
}

export function accepted(
  { unremembered: _unremembered, rejected: _rejected, ...known }: KnownTool,
  by: string,
  at: string,
): KnownTool {
  return { ...known, accepted: { hash: known.hash, identity: known.identity, by, at } };
}

/** What was accepted before stays the accepted one: if the server returns to it, the tool is there again. */
export function rejected(
  { unremembered: _unremembered, ...known }: KnownTool,
  by: string,
  at: string,
): KnownTool {
  return { ...known, rejected: { hash: known.hash, identity: known.identity, by, at } };
}

/** Whether the operator has rejected the tool as it is now. */
export function isRejected({ hash, identity, rejected: no }: KnownTool): boolean {
  return no !== undefined && no.hash === hash && no.identity === identity;
}

function kindOf({ hash, accepted: pin }: KnownTool): ToolChangeKind {
  return pin?.hash === hash ? 'definition_restored' : 'definition_changed';
}

/**
 * Where a tool stands with the operator. Who only wants to be warned is not asked about every new version of a server, as long as its
 * tools are the same.
 */
export function standingOf(
  { hash, accepted: pin }: KnownTool,
  identity: string,
  quarantine: Quarantine,
): ToolStanding {
  if (!pin) return 'new';
  const isSame = quarantine === 'warn' ? isSamePlace : isSameServer;
  return pin.hash === hash && isSame(pin.identity, identity) ? 'accepted' : 'changed';
}

/** Whether a person has accepted the definition as it is, and not only its being there. */
export function isVouchedFor({ hash, accepted: pin }: KnownTool): boolean {
  return pin !== undefined && pin.by !== FIRST_USE && pin.hash === hash;
}

/** Whether agents may neither see nor call a tool of this standing. */
export function isWithheld(standing: ToolStanding, quarantine: Quarantine): boolean {
  if (standing === 'changed') return quarantine !== 'warn';
  return standing === 'new' && quarantine === 'new';
}
