import type { OperationType } from '../../contract/operation.ts';

const set = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

/** The operation of each verb, in base form. Words that are as often nouns ("log", "map", "watch") are in no list. */
const VERBS: Record<OperationType, Set<string>> = {
  destructive: set(`
    delete remove drop purge wipe erase destroy truncate uninstall revoke terminate kill clear reset clean cleanup prune discard archive
    unpublish detach leave reject rotate rollback overwrite cancel deny ban evict drain trash empty nuke shred flush unlink rm rmdir del
    logout unsubscribe expire deprovision decommission reboot shutdown restore revert undeploy deactivate disable unregister expunge kick
    suspend withdraw liquidate transfer refund obliterate dismantle unlist annihilate demolish scrub defund deallocate dissolve void abort unset
    burn pop dequeue consume quash retract recall rescind invalidate nullify offboard expel dismiss decline blacklist undo unbind unpair
    unshare uninvite untag unassign vacuum reformat squash halt isolate zap strip downgrade
  `),
  write: set(`
    create add make new insert update edit modify change set put post patch write save store upload send publish submit register rename
    move copy duplicate clone import merge commit push pull install upgrade apply deploy scale start stop restart launch run trigger rerun
    invoke enable activate assign unassign subscribe follow unfollow invite approve accept respond reply comment react like favorite mark
    complete resolve close open reopen click type press fill drag swipe tap scroll hover select navigate goto manage configure setup
    initialize init sync migrate schedule book reserve order buy sell pay purchase charge mint sign stake swap borrow lend vote append
    prepend attach upsert replace record build compile test boot login authenticate connect disconnect reconnect lock unlock promote demote
    generate compose draft remember forget train allocate provision release fork tag label checkout stash rebase reload refresh handle play
    pause skip mute batch interact emulate resize toggle switch use crawl scrape download export encrypt decrypt increment decrement share
    grant block unblock pin unpin join mount format convert transform print notify email call dial broadcast tweet unarchive process perform
    control adjust increase decrease turn draw place organize begin end finish continue resume execute give return fix repair optimize optimise
    compress extend link tune customize reorder rewrite refactor capture
    conduct queue enqueue dispatch take ack acknowledge ingest backfill seed redeploy rebuild reindex requeue retry replay rerender resend
    escalate snooze unstar unwatch triage redirect forward hire withhold evolve enhance amend revise inject rebalance reassign reschedule
    confirm authorize authorise impersonate collect gather
  `),
  read: set(`
    get list search read find fetch retrieve show view display describe lookup look query check count inspect browse explore analyze analyse
    compare detect validate verify calculate compute estimate summarize summarise translate preview explain ping wait poll discover recommend
    suggest identify examine extract parse predict forecast measure whoami exists has is can head tail cat ls stat grep peek scan lint greet
    echo ask think reason solve rank sort filter classify audit assess investigate diagnose trace observe locate enumerate geocode diff decode
    encode hash research
  `),
};

/** These read in a sentence ("Returns the balance") but not in a name (`return_order`, `give_item`). */
const READ_IN_TEXT = set('return provide give tell see');

/** "Is used for …", "a tool that can …", "using …": grammar in a sentence, though verbs in a name (`is_open`, `cat`). */
const NO_VERBS_IN_TEXT = set('is can has head tail cat ls stat exists using');

/** Verbs that are never nouns: beside a reading verb they outweigh it. */
const UNMISTAKABLE = set(
  'delete remove purge wipe erase destroy truncate uninstall revoke terminate overwrite replace',
);

/** Verbs that are also nouns: in the middle of a name they say little. */
const NOUNS_TOO = set(`
  type build play comment test record order book label tag release fork draft format batch post schedule set print call place vote share
  block copy change stop start end control process handle use run return sign stake charge pin like switch pull commit deploy link trigger
  invite upload merge export import patch push reply vote backup update install
`);

/** The same among the reading verbs. */
const READ_NOUNS_TOO = set(
  'search query research scan audit filter trace check hash rank sort count forecast estimate view display lookup look diff',
);

/** Verbs that may or may not change anything: with them, a statement that the tool only reads is believed. */
const MILD = set(`
  generate run export download open select use convert transform format refresh reload resolve crawl scrape build test perform process call
  batch compile start connect make new compose draft play print
`);

/** Ways to output what was read: "get_logs: Download the logs of a job". */
const OUTPUT_VERBS = set('download export generate compile format convert print collect gather');

/** Objects that make "run" or "perform" an inspection: "run an audit". */
const INSPECTIONS = set(`
  audit audits analysis check checks scan diagnosis diagnostics inspection search lookup report benchmark comparison calculation estimate
  assessment healthcheck measurement
`);
const LIGHT = set('run perform conduct');

/** In a name without a verb these introduce something to read: `current_time`, `top_stories`. */
export const READ_ADJECTIVES = set(
  'current latest recent top trending popular upcoming nearby available random hot',
);

/** Nouns for irreversible acts; as clear as the verbs, in a name or a sentence. */
const FINAL_NOUNS = set(`
  deletion removal destruction erasure termination revocation cancellation deactivation wiper remover eraser cleaner killer uninstaller deleter
  destroyer
`);

/** Things to read. At the end of a name without a verb they make it a reading tool: `git_log`, `match-history`. */
export const READ_NOUNS = set(`
  status log logs diff blame history info details stats statistics version versions help docs documentation summary overview metadata schema
  screenshot snapshot leaderboard rankings standings trends analysis report insights price prices rates quote quotes forecast weather news
  profile finder balance readme changelog alternatives recommendations comparison data information results list usage metrics health audit
  explorer viewer lookup search calculator stories headlines quality rate timeline calendar index articles papers transcript transcripts lyrics
  definition definitions facts whois
`);

/** Verbs that only compute if their object is a value rather than a stored thing. */
const ON_VALUES: ReadonlyMap<string, Set<string>> = new Map([
  [
    'convert',
    set(
      'currency currencies unit units temperature time timezone date color colour length weight number base coordinates amount',
    ),
  ],
  ['resolve', set('library id name address dns host hostname domain url')],
  [
    'generate',
    set(
      'password passwords passphrase uuid uuids guid hash checksum slug palette name names lorem ipsum number numbers',
    ),
  ],
  ['take', set('screenshot screenshots snapshot heapsnapshot')],
  ['capture', set('screenshot snapshot screen page ui image frame log logs heap trace')],
]);

export function verbOperation(word: string): OperationType | undefined {
  if (VERBS.destructive.has(word) || FINAL_NOUNS.has(word)) return 'destructive';
  if (VERBS.write.has(word)) return 'write';
  return VERBS.read.has(word) ? 'read' : undefined;
}

/** "Additions and deletions": the act as a thing that is counted or listed. */
export function isActNoun(word: string): boolean {
  return FINAL_NOUNS.has(word);
}

export function isNounToo(verb: string): boolean {
  return NOUNS_TOO.has(verb);
}

export function isReadNounToo(verb: string): boolean {
  return READ_NOUNS_TOO.has(verb);
}

export function isMild(verb: string): boolean {
  return MILD.has(verb);
}

export function isOutputVerb(verb: string): boolean {
  return OUTPUT_VERBS.has(verb);
}

/** `run_audit`, `perform-security-scan`: a light verb with an inspection as its object. */
export function isInspection(verb: string, words: readonly string[]): boolean {
  return LIGHT.has(verb) && INSPECTIONS.has(words.at(-1) ?? '');
}

/** "Performs a web search using …": the same in a sentence, where the object follows closely. */
export function isInspectionInText(verb: string, following: readonly string[]): boolean {
  return (
    (LIGHT.has(verb) || verb === 'execute') && following.slice(0, 4).some((word) => INSPECTIONS.has(word))
  );
}

export function isUnmistakable(verb: string): boolean {
  return UNMISTAKABLE.has(verb);
}

/** Whether the verb only computes a value: `convert_currency`, `resolve-library-id`. */
export function computesValue(verb: string, words: readonly string[]): boolean {
  const values = ON_VALUES.get(verb);
  return values !== undefined && words.some((word) => values.has(word));
}

export interface Verb {
  verb: string;
  operation: OperationType;
}

/** A word of a sentence, where verbs are inflected: "Deletes", "retrieving", "copies". */
export function verbInText(word: string): Verb | undefined {
  if (NO_VERBS_IN_TEXT.has(word)) return undefined;
  for (const verb of baseForms(word)) {
    const operation = READ_IN_TEXT.has(verb) ? 'read' : verbOperation(verb);
    if (operation) return { verb, operation };
  }
  return undefined;
}

function baseForms(word: string): string[] {
  const forms = [word];
  if (word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`);
  if (word.endsWith('es')) forms.push(word.slice(0, -2));
  if (word.endsWith('s')) forms.push(word.slice(0, -1));
  if (word.endsWith('ing')) forms.push(word.slice(0, -3), `${word.slice(0, -3)}e`, word.slice(0, -4));
  return forms;
}
