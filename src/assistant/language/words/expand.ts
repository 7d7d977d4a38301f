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
