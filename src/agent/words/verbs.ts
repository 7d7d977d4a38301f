const list = (text: string) => text.trim().split(/\s*[\n,]\s*/);
const forms = (text: string) =>
  new Map(
    list(text).map((line) => {
      const [base = '', past = '', ing = ''] = line.split(' ');
      return [base, { past, ing }] as const;
    }),
  );

/** Verbs that put something on a list; with their gerunds, for "would you mind adding". */
export const ADD =
  list(`add, put, append, insert, include, place, throw, stick, pop, chuck, toss, slap, shove, slot, drop, enter, write, jot,
  jot down, write down, note, note down, mark down, take down, put down, log, record, register, tack, tack on, squeeze in, pencil in,
  adding, putting, appending, inserting, including, placing, throwing, sticking, writing, noting, jotting, jotting down, writing down, noting down,
  add in, get, plop, bung, save, whack, lob, fling, sling, pencil`);
/** Verbs that need nothing but what to add: "add milk". */
export const ADD_ALONE = list(
  `add, append, jot down, write down, note down, mark down, take down, pencil in, note, adding, jotting down, noting down`,
);
/** Verbs whose object is the task itself: "create a task to …". */
export const MAKE =
  list(`add, create, make, set, set up, setup, put, put in, put up, put down, write, write down, enter, schedule, give me, send me, get me,
  open, start, log, record, register, save, turn on, enable, activate, insert, draft, leave, leave me, place, new, stick, pop, bung, chuck, throw, jot, note, need, want, would like, add me, set me,
  make me, create me, make up, throw in, pop in, jot down, note down, program, generate, plan, repeat, adding, creating, making, setting, setting up, have,
  put me, put me down for, issue, file, establish, prepare, compose, book`);
export const SHOW =
  list(`show, show me, show us, list, list out, display, see, view, read, read me, read out, read back, read off, read aloud, read through, tell, tell me,
  give, give me, get, get me, fetch, pull up, pull out, bring up, bring me, open, open up, print, print out, check, check on, go over, go through, walk me through, run through,
  run me through, recite, repeat, let me see, let me know, let me hear, let me have, look at, look over, look up, review, summarise, summarize, recap, find, find me, hear, know, present,
  present me with, inform me of, inform me, inform us, advise me, advise me of, tell me about, tell us about, give us, read me back, go over with me, give me a rundown of, give us a rundown of, rundown of, overview of, summary of, give me an overview of, give me a summary of, give me a list of, have an overview of, get an overview of, get a summary of, see an overview of, see a summary of, provide me with a summary of, provide a summary of, provide an overview of, a list of, an overview of, a summary of, get a list of, see a list of, look into, know about, enumerate, output, retrieve, load, access, call up, speak back, speak back to me, say, share, send me, catch me up on, update me on, brief me on, remind me of,
  remind me, take me through, have a look at, take a look at, look in, look through, watch, want, would like, need, showing, listing, telling me, reading, reading me, read to me, read me out, report,
  search, filter, sort, count, scan, talk me through, bring back, flash up, put up, where is, where are, how about, what about, browse, examine, inspect, reveal, gimme, provide, provide me with, hand me`);
export const FINISH = list(
  `complete, finish, close, close out, close off, finish off, finish up, wrap up, resolve, completing, finishing, tick, tick off, check, check off, cross off, cross out,
  strike off, strike out, strike, strike through, scratch off, scratch out, mark off, cross, ticking off, checking off, crossing off, mark, checkmark, knock off, knock out, sign off on, sign off`,
);
export const CHANGE =
  list(`change, update, modify, edit, rename, reword, rephrase, rewrite, revise, correct, amend, alter, adjust, fix, retitle, relabel, call, move, shift, reschedule, postpone,
  push, push back, push off, push out, bump, bump back, bump up, delay, put off, defer, bring forward, move up, move back, move forward, snooze, replace, swap, swap out, switch, switch out, set, make, turn, convert,
  extend, tweak, redo, changing, updating, modifying, editing, renaming, moving, rescheduling, postponing, pushing, replacing, swapping, re-schedule, reprioritise, reprioritize, prioritise, prioritize, flag, tag, label,
  reset, put back, carry over, expand`);
export const DELETE =
  list(`delete, scrub, rub off, bin off, strike off, zap, wipe away, remove, erase, cancel, drop, scrap, ditch, trash, bin, dump, discard, clear, clear out, clear off, clear away, clear up, wipe, wipe out, wipe off, wipe clean, get rid of, get rid off, getting rid of, do away with,
  throw out, throw away, toss, toss out, chuck, chuck out, kill, nix, axe, purge, empty, forget, forget about, scratch, strike, strike out, lose, eliminate, destroy, blank out, blank, void, take out, take off, take away,
  take down, turn off, disable, deactivate, unset, dismiss, stop, undo, pull, kick, zap, nuke, withdraw, revoke, abort, call off, cut, dispose of, deleting, removing, erasing, cancelling, canceling, dropping, clearing, wiping, abandon, skip, reset, unschedule, obliterate, cross out, cross off, rub out, be done with, rid me of, shred, terminate, omit, exclude, x out`);

/** What people have to do: base, past and gerund. Tells a title ("buy milk") and a report ("I bought the milk") from other talk. */
export const DEEDS = forms(`
  buy bought buying
  call called calling
  phone phoned phoning
  ring rang ringing
  email emailed emailing
  text texted texting
  message messaged messaging
  write wrote writing
  send sent sending
  mail mailed mailing
  post posted posting
  pick picked picking
  get got getting
  grab grabbed grabbing
  fetch fetched fetching
  collect collected collecting
  drop dropped dropping
  return returned returning
  take took taking
  bring brought bringing
  make made making
  cook cooked cooking
  bake baked baking
  prepare prepared preparing
  prep prepped prepping
  clean cleaned cleaning
  wash washed washing
  vacuum vacuumed vacuuming
  hoover hoovered hoovering
  mop mopped mopping
  sweep swept sweeping
  dust dusted dusting
  scrub scrubbed scrubbing
  tidy tidied tidying
  organise organised organising
  organize organized organizing
  declutter decluttered decluttering
  fold folded folding
  iron ironed ironing
  do did doing
  finish finished finishing
  complete completed completing
  submit submitted submitting
  file filed filing
  pay paid paying
  renew renewed renewing
  book booked booking
  schedule scheduled scheduling
  reschedule rescheduled rescheduling
  order ordered ordering
  plan planned planning
  pack packed packing
  unpack unpacked unpacking
  move moved moving
  fix fixed fixing
  repair repaired repairing
  replace replaced replacing
  change changed changing
  install installed installing
  assemble assembled assembling
  build built building
  paint painted painting
  mow mowed mowing
  rake raked raking
  shovel shovelled shovelling
  water watered watering
  feed fed feeding
  walk walked walking
  groom groomed grooming
  bathe bathed bathing
  visit visited visiting
  see saw seeing
  meet met meeting
  attend attended attending
  go went going
  study studied studying
  read read reading
  review reviewed reviewing
  revise revised revising
  practice practiced practicing
  practise practised practising
  learn learned learning
  research researched researching
  draft drafted drafting
  proofread proofread proofreading
  print printed printing
  scan scanned scanning
  sign signed signing
  fill filled filling
  update updated updating
  backup backed backing
  charge charged charging
  check checked checking
  test tested testing
  deploy deployed deploying
  refactor refactored refactoring
  merge merged merging
  push pushed pushing
  ship shipped shipping
  release released releasing
  invoice invoiced invoicing
  ask asked asking
  tell told telling
  talk talked talking
  speak spoke speaking
  contact contacted contacting
  follow followed following
  reply replied replying
  respond responded responding
  thank thanked thanking
  invite invited inviting
  register registered registering
  apply applied applying
  enroll enrolled enrolling
  enrol enrolled enrolling
  unsubscribe unsubscribed unsubscribing
  download downloaded downloading
  upload uploaded uploading
  sell sold selling
  donate donated donating
  recycle recycled recycling
  throw threw throwing
  empty emptied emptying
  refill refilled refilling
  restock restocked restocking
  sew sewed sewing
  trim trimmed trimming
  cut cut cutting
  exercise exercised exercising
  run ran running
  jog jogged jogging
  swim swam swimming
  stretch stretched stretching
  meditate meditated meditating
  pray prayed praying
  hang hung hanging
  decorate decorated decorating
  wrap wrapped wrapping
  deposit deposited depositing
  vote voted voting
  turn turned turning
  lock locked locking
  hand handed handing
  give gave giving
  help helped helping
  start started starting
  work worked working
  watch watched watching
  eat ate eating
  drink drank drinking
  defrost defrosted defrosting
  thaw thawed thawing
  unload unloaded unloading
  load loaded loading
  weed weeded weeding
  plant planted planting
  prune pruned pruning
  present presented presenting
  rehearse rehearsed rehearsing
  confirm confirmed confirming
  arrange arranged arranging
  cancel cancelled cancelling
  measure measured measuring
  shop shopped shopping
  stop stopped stopping
  wake woke waking
  set set setting
  close closed closing
  open opened opening
  configure configured configuring
  upgrade upgraded upgrading
  interview interviewed interviewing
  train trained training
  unclog unclogged unclogging
  patch patched patching
  sharpen sharpened sharpening
  polish polished polishing
  vaccinate vaccinated vaccinating
  sync synced syncing
  debug debugged debugging
  document documented documenting
  onboard onboarded onboarding
  negotiate negotiated negotiating
  catch caught catching
  shave shaved shaving
  brush brushed brushing
  floss flossed flossing
  join joined joining
  use used using
  turn-in turned turning
  request requested requesting
  celebrate celebrated celebrating
  dine dined dining
  skype skyped skyping
  ping pinged pinging
  list listed listing
  share shared sharing
  discuss discussed discussing
  compare compared comparing
  choose chose choosing
  find found finding
  leave left leaving
  put put putting
  wear wore wearing
  weigh weighed weighing
  claim claimed claiming
  approve approved approving
  archive archived archiving
  sort sorted sorting
  split split splitting
  boil boiled boiling
  marinate marinated marinating
  freeze froze freezing
  knit knitted knitting
  oil oiled oiling
  hire hired hiring
  rent rented renting
  transfer transferred transferring
  withdraw withdrew withdrawing
  quote quoted quoting
  outline outlined outlining
  rotate rotated rotating
  stock stocked stocking`);
export const PAST_DEEDS: ReadonlySet<string> = new Set([...DEEDS.values()].map(({ past }) => past));
export const DOING: ReadonlySet<string> = new Set([...DEEDS.values()].map(({ ing }) => ing));

/** Deeds that people also ask other programs to do for them: alone they are no task. */
export const SERVICE_DEEDS: ReadonlySet<string> = new Set(
  list(
    `book, transfer, withdraw, deposit, order, change, see, talk, speak, set, find, ask, tell, cancel, update, use, do, go, check, reschedule, schedule, learn, read, watch, open, close,
    help, choose, compare, rent, hire, sell, make, file, apply, run, turn, put, freeze, leave, work, eat, drink, stop, start, move, give, share, wake, list, install, download, pay, write, build, replace, quote, fix, repair, discuss, negotiate, catch, meet, unsubscribe, upgrade, reset, debug, hang, request, confirm, plan, arrange, sync, approve, split, claim, research, test, deploy, refactor`,
  ),
);
