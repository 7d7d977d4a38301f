const list = (text: string) => text.trim().replace(/\s+/g, ' ').split(/ ?, ?/);

/** What people have to do: base, past and gerund. Tells a title ("buy milk") and a report ("I bought the milk") from other talk. */
const FORMS = list(`
  buy bought buying, call called calling, phone phoned phoning, ring rang ringing, email emailed emailing,
  text texted texting, message messaged messaging, write wrote writing, send sent sending, mail mailed mailing,
  post posted posting, pick picked picking, get got getting, grab grabbed grabbing, fetch fetched fetching,
  collect collected collecting, drop dropped dropping, return returned returning, take took taking,
  bring brought bringing, make made making, cook cooked cooking, bake baked baking, prepare prepared preparing,
  prep prepped prepping, clean cleaned cleaning, wash washed washing, vacuum vacuumed vacuuming,
  hoover hoovered hoovering, mop mopped mopping, sweep swept sweeping, dust dusted dusting, scrub scrubbed scrubbing,
  tidy tidied tidying, organise organised organising, organize organized organizing,
  declutter decluttered decluttering, fold folded folding, iron ironed ironing, do did doing,
  finish finished finishing, complete completed completing, submit submitted submitting, file filed filing,
  pay paid paying, renew renewed renewing, book booked booking, schedule scheduled scheduling,
  reschedule rescheduled rescheduling, order ordered ordering, plan planned planning, pack packed packing,
  unpack unpacked unpacking, move moved moving, fix fixed fixing, repair repaired repairing,
  replace replaced replacing, change changed changing, install installed installing, assemble assembled assembling,
  build built building, paint painted painting, mow mowed mowing, rake raked raking, shovel shovelled shovelling,
  water watered watering, feed fed feeding, walk walked walking, groom groomed grooming, bathe bathed bathing,
  visit visited visiting, see saw seeing, meet met meeting, attend attended attending, go went going,
  study studied studying, read read reading, review reviewed reviewing, revise revised revising,
  practice practiced practicing, practise practised practising, learn learned learning,
  research researched researching, draft drafted drafting, proofread proofread proofreading, print printed printing,
  scan scanned scanning, sign signed signing, fill filled filling, update updated updating, backup backed backing,
  charge charged charging, check checked checking, test tested testing, deploy deployed deploying,
  refactor refactored refactoring, merge merged merging, push pushed pushing, ship shipped shipping,
  release released releasing, invoice invoiced invoicing, ask asked asking, tell told telling, talk talked talking,
  speak spoke speaking, contact contacted contacting, follow followed following, reply replied replying,
  respond responded responding, thank thanked thanking, invite invited inviting, register registered registering,
  apply applied applying, enroll enrolled enrolling, enrol enrolled enrolling, unsubscribe unsubscribed unsubscribing,
  download downloaded downloading, upload uploaded uploading, sell sold selling, donate donated donating,
  recycle recycled recycling, throw threw throwing, empty emptied emptying, refill refilled refilling,
  restock restocked restocking, sew sewed sewing, trim trimmed trimming, cut cut cutting,
  exercise exercised exercising, run ran running, jog jogged jogging, swim swam swimming, stretch stretched stretching,
  meditate meditated meditating, pray prayed praying, hang hung hanging, decorate decorated decorating,
  wrap wrapped wrapping, deposit deposited depositing, vote voted voting, turn turned turning, lock locked locking,
  hand handed handing, give gave giving, help helped helping, start started starting, work worked working,
  watch watched watching, eat ate eating, drink drank drinking, defrost defrosted defrosting, thaw thawed thawing,
  unload unloaded unloading, load loaded loading, weed weeded weeding, plant planted planting, prune pruned pruning,
  present presented presenting, rehearse rehearsed rehearsing, confirm confirmed confirming,
  arrange arranged arranging, cancel cancelled cancelling, measure measured measuring, shop shopped shopping,
  stop stopped stopping, wake woke waking, set set setting, close closed closing, open opened opening,
  configure configured configuring, upgrade upgraded upgrading, interview interviewed interviewing,
  train trained training, unclog unclogged unclogging, patch patched patching, sharpen sharpened sharpening,
  polish polished polishing, vaccinate vaccinated vaccinating, sync synced syncing, debug debugged debugging,
  document documented documenting, onboard onboarded onboarding, negotiate negotiated negotiating,
  catch caught catching, shave shaved shaving, brush brushed brushing, floss flossed flossing, join joined joining,
  use used using, request requested requesting, celebrate celebrated celebrating, dine dined dining,
  skype skyped skyping, ping pinged pinging, list listed listing, share shared sharing, discuss discussed discussing,
  compare compared comparing, choose chose choosing, find found finding, leave left leaving, put put putting,
  wear wore wearing, weigh weighed weighing, claim claimed claiming, approve approved approving,
  archive archived archiving, sort sorted sorting, split split splitting, boil boiled boiling,
  marinate marinated marinating, freeze froze freezing, knit knitted knitting, oil oiled oiling, hire hired hiring,
  rent rented renting, transfer transferred transferring, withdraw withdrew withdrawing, quote quoted quoting,
  outline outlined outlining, rotate rotated rotating, stock stocked stocking`).map((forms) =>
  forms.split(' '),
);

/** The same for verbs whose forms follow the rule. */
const REGULAR = list(`
  try, root, renovate, refinish, sand, varnish, glue, staple, laminate, descale, bleach, disinfect, mend, patch, tighten, unblock, unpack, label,
  stack, shred, wipe, rinse, dry, season, grill, roast, chop, peel, blend, mix, taste, pickle, defrost, subscribe, type,
  translate, format, summarise, summarize, highlight, annotate, cite, memorise, memorize, attach, crop, migrate, benchmark,
  profile, lint, document, triage, escalate, coordinate, delegate, brainstorm, prioritise, prioritize, finalise, finalize, sketch, design,
  prototype, film, tune, rehearse, perform, publish, announce, promote, advertise, pitch, audit, reconcile, budget, save, invest, insure,
  deposit, cash, exchange, refund, dispute, settle, verify, validate, activate, configure, calibrate, reboot, restart, restore, lubricate,
  grease, inflate, refuel, park, tow, inspect, service, vacuum, dust, sponge, mulch, fertilise, fertilize, harvest, trim, clip, hydrate, massage,
  moisturise, moisturize, bandage, medicate, inject, measure, babysit, adopt, train, walk, worm, deworm, pet, entertain, greet, welcome, apologise,
  apologize, congratulate, console, introduce, chase, nudge, escort, accompany, drive, cycle, hike, climb, row, skate, ski, paddle,
  bike, sprint, rest, nap, relax, journal, reflect, sing, dance, knit, crochet, embroider, quilt, carve, whittle, solder, weld, drill, hammer, screw,
  hang, mount, tile, plaster, caulk, insulate, wallpaper, repaint, prime, assemble, dismantle, disassemble, demolish, dig, level, pave, fence, seed,
  repot, transplant, stake, compost, sow, sanitise, sanitize, sterilise, sterilize, sanitize, balance`);
function regular(base: string): string[] {
  const stem = base.endsWith('e') ? base.slice(0, -1) : base;
  const past = /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ied` : `${stem}ed`;
  return [base, past, `${stem}ing`];
}
const ALL = [...FORMS, ...REGULAR.map(regular)];

/** "buy" */
export const ACTION_VERBS: ReadonlySet<string> = new Set(ALL.map(([base = '']) => base));
/** "bought" */
export const PAST_VERBS: ReadonlySet<string> = new Set(
  ALL.map(([, past = '']) => past).filter((past) => !ACTION_VERBS.has(past)),
);
/** "buying" */
export const DOING: ReadonlySet<string> = new Set(ALL.map(([, , gerund = '']) => gerund));

/** Actions that people also ask other programs to do for them: alone they are no task. */
export const SERVICE_VERBS: ReadonlySet<string> = new Set(
  list(`
  book, transfer, withdraw, deposit, order, change, see, talk, speak, set, find, ask, tell, cancel, update, use, do,
  go, check, reschedule, schedule, learn, read, watch, open, close, help, choose, compare, rent, hire, sell, make,
  file, apply, run, turn, put, freeze, leave, work, eat, drink, stop, start, move, give, share, wake, list, install,
  download, pay, write, build, replace, quote, fix, repair, discuss, negotiate, catch, meet, unsubscribe, upgrade,
  reset, debug, hang, request, confirm, plan, arrange, sync, approve, split, claim, research, test, deploy, refactor`),
);

/** Actions that are things as well: "add water", "add email". */
export const NOUN_VERBS: ReadonlySet<string> = new Set(
  `water book text email message mail post phone call file order oil iron drink stock cut paint plant light work check move run walk ride
   drive test quote share list set number wash polish dust plan pack present train park shop study review report charge change help
   load start level row screw drill hammer stake fence tile seed season mix glue label document profile budget cash pet worm sponge
   measure rest dance journal patch service prime mount sketch design film tune pitch audit bandage wrap brush mop sweep vacuum
   cook bike use request feed cycle clip ski nap hike climb sprint ship release download upload backup print scan sign draft balance sand
   staple format highlight type taste grease park transfer claim sort split visit meet grill roast pickle rinse dry`.split(
    /\s+/,
  ),
);
