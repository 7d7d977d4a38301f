/** What was done, and how it is ordered. Ending in -ing for "it needs deleting". */
const TABLE = `
  deleted=delete, removed=remove, erased=erase, dropped=drop, scrapped=scrap, cancelled=cancel, canceled=cancel, binned=bin, trashed=trash,
  ditched=ditch, discarded=discard, cleared=clear, wiped=wipe, gone=remove, taken=take, struck=strike, axed=axe, nixed=nix, purged=purge,
  dumped=dump, emptied=empty, killed=kill, forgotten=delete, eliminated=delete,
  marked=mark, ticked=tick, checked=check, crossed=cross, completed=complete, finished=finish, closed=close, resolved=resolve,
  changed=change, updated=update, edited=edit, modified=modify, renamed=rename, reworded=reword, rephrased=rephrase, moved=move,
  rescheduled=reschedule, postponed=postpone, pushed=push, shifted=shift, bumped=bump, delayed=delay, deferred=defer, corrected=correct,
  fixed=fix, replaced=replace, swapped=swap, switched=switch, amended=amend, revised=revise, adjusted=adjust, altered=alter, retitled=retitle,
  extended=extend, prioritised=prioritise, prioritized=prioritize, snoozed=snooze, relabelled=relabel, called=rename,
  added=add, put=put, noted=note, logged=log, included=include, placed=put, listed=list, shown=show, displayed=show, read=read,
  deleting=delete, removing=remove, erasing=erase, dropping=drop, cancelling=cancel, canceling=cancel, changing=change, updating=update,
  renaming=rename, moving=move, rescheduling=reschedule, postponing=postpone, pushing=push, shifting=shift, rewording=reword, editing=edit,
  ticking=tick, crossing=cross, marking=mark, checking=check, adding=add, correcting=correct, fixing=fix`;

export const PARTICIPLES: ReadonlyMap<string, string> = new Map(
  TABLE.trim()
    .split(/,\s*/)
    .map((pair) => pair.split('=') as [string, string]),
);
