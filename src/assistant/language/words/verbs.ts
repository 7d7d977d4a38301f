const list = (text: string) => text.trim().replace(/\s+/g, ' ').split(/ ?, ?/);
const each = (verbs: string, tails: string) =>
  list(verbs).flatMap((verb) => [verb, ...list(tails).map((tail) => `${verb} ${tail}`)]);

/** Verbs that put something on a list; with their gerunds, for "would you mind adding". */
export const ADD = list(`
  add, add in, put, put down, append, insert, include, place, throw, stick, pop, chuck, toss, slap, shove, slot, enter, write, write down,
  jot, jot down, note, note down, mark down, take down, log, record, register, tack, tack on, squeeze in, pencil, pencil in, get, plop, bung,
  save, whack, lob, fling, sling, list down, adding, putting, appending, inserting, including, placing, throwing, sticking, writing,
  writing down, noting, noting down, jotting, jotting down`);

/** Verbs that need nothing but what to add: "add milk". */
export const ADD_ALONE = list(`
  add, append, jot down, write down, note down, mark down, take down, pencil in, note, adding, jotting down, noting down`);

/** Verbs whose object is the task itself: "create a task to …". */
export const MAKE = list(`
  add, add me, create, create me, make, make me, make up, set, set me, set up, setup, put, put me, put in, put up, put down, write, write down,
  whack, lob, sling, enter, schedule, give me, send me, get me, open, start, log, record, register, save, turn on, enable, activate, insert, draft, leave,
  leave me, place, new, stick, pop, pop in, bung, chuck, throw in, jot, jot down, note, note down, need, want, would like, program, generate,
  plan, repeat, adding, creating, making, setting, setting up, have, issue, file, establish, prepare, compose, book`);

/** Verbs that only ask to see or hear. */
export const SHOW = [
  ...each(
    `show, read, tell, give, bring, get, find, present, provide, inform, advise, send, hand, remind`,
    `me, us, me about, us about, me of, me with, me back, me out, to me, me a list of, me an overview of, me a summary of, me a rundown of,
     us a rundown of, an overview of, a summary of, me the status of`,
  ),
  ...list(`
  list, list out, display, see, view, read out, read back, read off, read aloud, read through, fetch, pull up, pull out, bring up, bring back,
  open, open up, print, print out, check, check on, go over, go over with me, go through, walk me through, run through, run me through, run
  down, recite, repeat, let me see, let me know, let me hear, let me have, look at, look over, look up, look in, look into, look through, review,
  summarise, summarize, recap, hear, know, know about, enumerate, output, retrieve, load, access, call up, speak back, speak back to me, say,
  share, take me to, bring me to, go to, jump to, catch me up on, update me on, brief me on, take me through, talk me through, have a look at, take a look at, watch, want, would
  like, need, showing, listing, telling me, reading, reading me, report, search, filter, sort, count, scan, flash up, where is, where are,
  how about, what about, browse, examine, inspect, reveal, have an overview of, see an overview of, see a summary of, see a list of, get
  an overview of, get a summary of, get a list of, rundown of, overview of, summary of, a list of, an overview of, a summary of, status of`),
];

/** Verbs that end a task. */
export const FINISH = list(`
  complete, completing, finish, finishing, finish off, finish up, close, close out, close off, wrap up, resolve, tick, tick off, check, check
  off, cross, cross off, cross out, strike, strike off, strike out, strike through, scratch off, scratch out, mark off, ticking off, checking
  off, crossing off, checkmark, knock off, knock out, sign off, sign off on`);

/** Verbs that change what is there. */
export const CHANGE = list(`
  change, changing, update, updating, modify, modifying, edit, editing, rename, renaming, reword, rephrase, rewrite, revise, correct, amend,
  alter, adjust, fix, retitle, relabel, call, move, moving, move up, move back, move forward, shift, reschedule, rescheduling, re-schedule,
  postpone, postponing, prepone, preprone, push, pushing, push back, push off, push out, bump, bump back, bump up, delay, put off, put back, defer, bring forward,
  snooze, replace, replacing, swap, swapping, swap out, switch, switch out, set, make, turn, convert, extend, expand, tweak, redo, reset,
  shorten, lengthen, raise, lower, increase, decrease, reduce, prioritise, prioritize, reprioritise, reprioritize, flag, tag, label, carry over`);

/** Verbs that take away. Most of them say other things too, so their object must mention tasks. */
export const DELETE = list(`
  delete, deleting, remove, removing, erase, erasing, cancel, cancelling, canceling, drop, dropping, scrap, ditch, trash, bin, bin off, dump,
  discard, clear, clearing, clear out, clear off, clear away, clear up, wipe, wiping, wipe out, wipe off, wipe away, wipe clean, get rid of, get
  rid off, getting rid of, do away with, throw out, throw away, toss, toss out, chuck, chuck out, kill, nix, axe, purge, empty, forget, forget
  about, scratch, scrub, strike, strike out, strike off, rub out, rub off, eliminate, destroy, blank, blank out, void, take out, take off, take
  away, take down, turn off, disable, deactivate, unset, dismiss, stop, nuke, zap, abort, abandon, call off, dispose of, unschedule,
  obliterate, lose, omit, junk, get shot of, leave out, clean out, empty out, disregard, shut off, cross out, cross off, rid me of, shred, terminate`);
