/** The words that a slip of the finger may hide. Short ones are left out: too many other words are one letter away. */
const TARGETS =
  `remind reminder reminders reminded remember delete remove cancel complete completed finish finished update rename
   reschedule postpone shopping grocery groceries tomorrow create please everything`.split(/\s+/);
const KNOWN = new Set(TARGETS);

/** Real words that are one slip away from a target. */
const LEAVE = new Set(
  `remain remained remand rewind reminds removed removes remover remorse remote deletes deleted deplete cancels canceled
   cancelled cancer cancers completes completely complexes compete competed finishes finishing finnish updates updated
   renamed renames reread unfinished diminish reminded remembers remembered dismember greater crate crated creates
   created creator cremate pleased pleas release pleases lease groceries grocer grocers hopping chopping shipping
   stopping swapping dropping shopped selected elected grocery mopping topping popping`.split(/\s+/),
);
/** What is often typed for targets that are too short to be found otherwise. */
const SLIPS = new Map(
  `taks=task tsk=task taskss=tasks tsks=tasks tasck=task lsit=list lisr=list lits=list lst=list shwo=show sohw=show
   hsow=show chnage=change cahnge=change chage=change chnge=change chagne=change adn=and amrk=mark makr=mark dn=done
   doen=done tood=todo odne=done shoping=shopping tooday=today todya=today cancle=cancel cancell=cancel`
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
);
const MIN_LENGTH = 5;

/** The word that was most likely meant, where one slip (a letter lost, added, changed or swapped) explains it. */
export function mendSpelling(word: string): string {
  const slip = SLIPS.get(word);
  if (slip) return slip;
  if (word.length < MIN_LENGTH || word.length > 12 || KNOWN.has(word) || LEAVE.has(word)) return word;
  return TARGETS.find((target) => isOneSlip(word, target)) ?? word;
}

function isOneSlip(typed: string, target: string): boolean {
  if (typed === target || Math.abs(typed.length - target.length) > 1) return false;
  // First letters are rarely wrong, and hold words of other meaning apart.
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
