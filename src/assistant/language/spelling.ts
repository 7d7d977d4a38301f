/** Words whose typos are corrected. Short words are left out: too many other words are one letter away. */
const TARGETS =
  `remind reminder reminders reminded remember delete remove cancel complete completed finish finished update rename
   reschedule postpone shopping grocery groceries tomorrow create please everything`.split(/\s+/);
const KNOWN = new Set(TARGETS);

/** Real words that are one typo away from a target. */
const LEAVE = new Set(
  `remain remained remand rewind reminds removed removes remover remorse remote deletes deleted deplete cancels canceled
   cancelled cancer cancers completes completely complexes compete competed finishes finishing finnish updates updated
   renamed renames reread unfinished diminish reminded remembers remembered dismember greater crate crated creates
   created creator cremate pleased pleas release pleases lease groceries grocer grocers hopping chopping shipping
   stopping swapping dropping shopped selected elected grocery mopping topping popping`.split(/\s+/),
);
/** Common typos of shorter words. */
const SLIPS = new Map(
  `taks=task tsk=task taskss=tasks tsks=tasks tasck=task lsit=list lisr=list lits=list lst=list shwo=show sohw=show
   hsow=show chnage=change cahnge=change chage=change chnge=change chagne=change adn=and amrk=mark makr=mark dn=done
   doen=done tood=todo odne=done shoping=shopping tooday=today todya=today cancle=cancel cancell=cancel`
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
);
const MIN_LENGTH = 5;

/** The most likely intended word, if it differs by one typo (a letter lost, added, changed or swapped). */
export function correctSpelling(word: string): string {
  const slip = SLIPS.get(word);
  if (slip) return slip;
  if (word.length < MIN_LENGTH || word.length > 12 || KNOWN.has(word) || LEAVE.has(word)) return word;
  return TARGETS.find((target) => isOneSlip(word, target)) ?? word;
}

function isOneSlip(typed: string, target: string): boolean {
  if (typed === target || Math.abs(typed.length - target.length) > 1) return false;
  // First letters are rarely wrong, and tell other words apart.
  if (typed[0] !== target[0]) return false;
  let at = 0;
  while (typed[at] === target[at]) at++;
  if (typed.length > target.length) return typed.slice(at + 1) === target.slice(at);
  if (typed.length < target.length) return typed.slice(at) === target.slice(at + 1);
  const changed = typed.slice(at + 1) === target.slice(at + 1);
  const swapped =
    typed[at] === target[at + 1] &&
    typed[at + 1] === target[at] &&
    typed.slice(at + 2) === target.slice(at + 2);
  return changed || swapped;
}

function table(text: string): Map<string, readonly string[]> {
  const pairs = text
    .trim()
    .split(/,\s*/)
    .map((pair) => pair.split('='));
  return new Map(pairs.map(([short = '', long = '']) => [short, long.split(/\s+/)]));
}

/** Short and sloppy forms, and the words they stand for. Keys carry no apostrophe, so that "dont" and "don't" are one. */
export const EXPANSIONS: ReadonlyMap<string, readonly string[]> = table(`
  im=i am, ive=i have, id=i would, ill=i will, ima=i will, imma=i will, youre=you are, youve=you have,
  youll=you will, youd=you would, weve=we have, theyre=they are, whats=what is, wats=what is, wat=what,
  wot=what, whatre=what are, whatve=what have, whatd=what did, whos=who is, wheres=where is,
  whens=when is, hows=how is, whys=why is, thats=that is, theres=there is, heres=here is, lets=let us,
  dont=do not, doesnt=does not, didnt=did not, cant=can not, cannot=can not, couldnt=could not,
  wont=will not, wouldnt=would not, shouldnt=should not, mustnt=must not, neednt=need not, isnt=is not,
  arent=are not, wasnt=was not, werent=were not, havent=have not, hasnt=has not, hadnt=had not,
  aint=is not, gonna=going to, gotta=got to, wanna=want to, hafta=have to, needa=need to, gimme=give me,
  lemme=let me, dunno=do not know, idk=i do not know, nvm=never mind, nevermind=never mind, pls=please,
  plz=please, plss=please, pleaze=please, plese=please, u=you, ur=your, thx=thanks, thnx=thanks,
  tnx=thanks, ty=thanks, tysm=thanks, thankyou=thank you, tmrw=tomorrow, tmr=tomorrow, tmw=tomorrow,
  tomoz=tomorrow, 2moro=tomorrow, 2morrow=tomorrow, tommorow=tomorrow, tommorrow=tomorrow,
  tomorow=tomorrow, abt=about, bc=because, cuz=because, rn=right now, w=with, okay=ok, okey=ok, okie=ok,
  k=ok, kk=ok, oke=ok, yr=your, reminde=remind, remaind=remind, remeber=remember, rember=remember,
  rmbr=remember, fav=favourite, shouldve=should have, couldve=could have, wouldve=would have, alot=a lot,
  hv=have, sched=schedule, rmnd=remind, rmd=remind, l8r=later, l8er=later, 2day=today, 2nite=tonight,
  tonite=tonight, 2mrw=tomorrow, rm=delete, del=delete, appts=appointments, wut=what,
  whaddya=what do you, dya=do you, gotten=got, prolly=probably, kinda=kind of, cmon=come on`);

/** Only with the apostrophe: without it they are words of their own. */
export const WITH_APOSTROPHE: ReadonlyMap<string, readonly string[]> = table(`
  it's=it is, we're=we are, we'll=we will, we'd=we would, i'd=i would, i'll=i will, he's=he is,
  she's=she is, she'll=she will, one's=one is, everything's=everything is, who'll=who will,
  that'll=that will, that'd=that would, there's=there is, they'll=they will, he'll=he will`);

/** Words of their own, which the first table must leave alone when no apostrophe says otherwise. */
export const NOT_SHORT: ReadonlySet<string> = new Set(['id', 'ill', 'w']);
