import type { Quarantine } from '../../contract/config.ts';
import type { ToolStanding } from '../../contract/tool.ts';
import { nextHints, type HintSet } from '../verdict/held-hints.ts';
import type { KnownTool } from './known-tool.ts';
import { isSamePlace, isSameServer } from './server-identity.ts';

/** A tool as listed now. */
export interface Seen {
  hash: string;
  identity: string;
  hints: HintSet;
  at: string;
  /** A new tool is accepted without a decision of the operator. */
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

export interface LearnResult {
  known: KnownTool;
  /** The change to report; a tool that is accepted at first use is not reported. */
  change?: ToolChange;
  /** The server is started or reached differently, or introduces itself differently. */
  moved?: 'place' | 'introduction';
  /** This definition becomes the accepted one. */
  accepts?: true;
}

export interface ToolChange {
  change: ToolChangeKind;
  before?: HintSet;
  after?: HintSet;
  held?: HintSet;
}

/** Compares a listed tool with what is remembered of it. Returns the same object if nothing is new. */
export function learnTool(before: KnownTool | undefined, seen: Seen): LearnResult {
  const { hash, identity, at } = seen;
  if (!before || before.hash === '') return firstListing(before, seen);
  const same = before.hash === hash;
  if (same && before.identity === identity) return acceptIfTrusted({ known: before }, seen);
  const { state, change: hintChange } = nextHints(before, seen.hints);
  const known = { ...before, ...state, hash, identity, changedAt: same ? before.changedAt : at };
  const isPinned = hasAcceptedHash(before);
  const moved = isPinned ? moveOf(before.identity, identity) : undefined;
  const change = hintChange ?? (!same && isPinned ? { change: kindOf(known) } : undefined);
  return acceptIfTrusted({ known, ...(moved && { moved }), ...(change && { change }) }, seen);
}

/** False also for tools from versions that did not store which definition was accepted. */
export function hasAcceptedHash({ accepted: pin }: KnownTool): boolean {
  return pin !== undefined && pin.hash !== '';
}

function moveOf(before: string, now: string): LearnResult['moved'] {
  if (isSameServer(before, now)) return undefined;
  return isSamePlace(before, now) ? 'introduction' : 'place';
}

/** Built-in tools are part of the program, so they need no acceptance. */
export function trustedTool(before: KnownTool | undefined, seen: Seen): LearnResult {
  const { known } = learnTool(before, seen);
  if (known === before && standingOf(known, seen.identity, 'changed') === 'accepted') return { known };
  return { known: { ...accepted(known, FIRST_USE, seen.at), held: seen.hints }, accepts: true };
}

/** A tool beyond the limit per server: a later change could not be detected, so it counts as not accepted. */
export function unrememberedTool({ hash, identity, hints, at }: Seen): LearnResult {
  const known = { hash, identity, hints, held: hints, firstSeen: at, changedAt: at };
  return { known: { ...known, unremembered: true } };
}

function firstListing(before: KnownTool | undefined, seen: Seen): LearnResult {
  const { hash, identity, hints, at } = seen;
  const fresh = { hash, identity, hints, held: hints, firstSeen: before?.firstSeen ?? at, changedAt: at };
  const result = acceptIfTrusted({ known: { ...before, ...fresh } }, seen);
  return result.accepts ? result : { ...result, change: { change: 'tool_new' } };
}

/** Accepts without a decision of the operator: at first use, and tools from versions that did not store acceptances. */
function acceptIfTrusted(result: LearnResult, { trusted, at }: Seen): LearnResult {
  const { known } = result;
  const isUpgraded = known.accepted?.hash === '';
  if (known.accepted ? !isUpgraded : !trusted) return result;
  return { ...result, known: accepted(known, FIRST_USE, at), accepts: true };
}

export function accepted(
  { unremembered: _unremembered, rejected: _rejected, ...known }: KnownTool,
  by: string,
  at: string,
): KnownTool {
  return { ...known, accepted: { hash: known.hash, identity: known.identity, by, at } };
}

/** The accepted definition stays accepted: if the server returns to it, the tool is available again. */
export function rejected(
  { unremembered: _unremembered, ...known }: KnownTool,
  by: string,
  at: string,
): KnownTool {
  return { ...known, rejected: { hash: known.hash, identity: known.identity, by, at } };
}

/** Whether the operator has rejected the present definition. */
export function isRejected({ hash, identity, rejected: no }: KnownTool): boolean {
  return no !== undefined && no.hash === hash && no.identity === identity;
}

function kindOf({ hash, accepted: pin }: KnownTool): ToolChangeKind {
  return pin?.hash === hash ? 'definition_restored' : 'definition_changed';
}

/** Whether the operator has accepted the tool. With `quarantine: warn` and `risky` a new version of a server with the same tools stays accepted. */
export function standingOf(
  { hash, accepted: pin }: KnownTool,
  identity: string,
  quarantine: Quarantine,
): ToolStanding {
  if (!pin) return 'new';
  const isSame = quarantine === 'warn' || quarantine === 'risky' ? isSamePlace : isSameServer;
  return pin.hash === hash && isSame(pin.identity, identity) ? 'accepted' : 'changed';
}

/** Whether a person has accepted the present definition; acceptance at first use does not count. */
export function isAcceptedByPerson({ hash, accepted: pin }: KnownTool): boolean {
  return pin !== undefined && pin.by !== FIRST_USE && pin.hash === hash;
}

/** Whether agents can neither see nor call a tool of this standing. With `risky`, what has changed decides. */
export function isWithheld(standing: ToolStanding, quarantine: Exclude<Quarantine, 'risky'>): boolean {
  if (standing === 'changed') return quarantine !== 'warn';
  return standing === 'new' && quarantine === 'new';
}
