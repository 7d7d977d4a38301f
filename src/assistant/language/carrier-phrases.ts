import { phrases } from './groups.ts';

/** Before the point: greetings, hesitation, names, afterthoughts. */
export const FILLERS = phrases(`
  hey there, hi there, hello there, good morning|afternoon|evening
  hey|hi|hello|yo|ok|so|well|um|uh|umm|uhh|er|erm|hmm|hm|alright|oh|ah|aha|listen|look|great|cool|perfect|awesome|right|sorry|btw|fyi|oops|whoops|wait|dear|hiya|morning
  thank you very|so much, thank you, thanks a lot, thanks, by the way, excuse me, just to be clear, one more thing, another thing
  before i forget, in that case, for the record, quick question|one|thing|request, real quick, while you are at it
  if you can|could|would, if it is not too much trouble, if you would not mind, if you do not mind, if possible
  when you get|have a chance|minute|moment|sec|second, for me, as well
  actually|also|and|then|plus|just|quickly|first|firstly|next|second|secondly|finally|lastly|now|again|instead|anyway|anyways|basically|obviously|honestly|but|kindly|please|simply
  siri|alexa|cortana|jarvis|olly|assistant|bot|computer|robot|ai|google|buddy|mate|dude|man|bro|friend|sir|madam|love|bixby|chatbot
  ok google, to assistant, i am back, yes|yeah|yep|yup|sure, no|nope|nah, dear assistant, let us see, oh no, my god, you know what
  guess what, turns out, it turns out, phew|ugh|blimey|yikes|argh, right then, good morning, omg
`);

/** Asks the assistant to do what follows. */
export const REQUESTS = phrases(`
  can|could|would|will|may|might you be able to, can|could|would|will you please|kindly|just|possibly|maybe|quickly|also|perhaps|to*
  can|could|would|will you help me to?, can|could|would|will you help me out and, can|could|would|will you
  can|could|would i|we ask|get|have|trouble|bother you to, would you be so kind as to, would you be so kind and
  would|could you be willing|able|happy to, are you willing|able to, would you mind, do you mind, mind, do you think you can|could
  are you able to, is it possible for you to, is it possible to, is there any|a way|chance you can|could
  is there any|a way|chance that? you can|could, any chance you can|could, it would be great|nice|helpful|lovely if you could|would
  it would be great|nice|helpful|lovely to, i was wondering if you can|could|would, i wonder if you can|could|would
  i would appreciate it if you can|could|would, i would appreciate it if you, i would be grateful if you can|could|would
  i need|want|wish|require|expect|request|ask|would you to please?, i need|want for? you to please?
  i would like|love|prefer|appreciate for? you to please?, i would like|love it if you could|would, i am asking you to, i ask that? you
  my request is to, you can|could|should|must|may please?, you need|have|ought to, you may want to, we can|could|should please?
  i kindly? request|ask that? you to?, kindly? request that you, please? to, i should like you to, could i get you to
  i will need you to, you might want to, you go ahead and, go ahead and, go ahead, go and, do me a favor|favour and
  be a dear|doll|darling|pal and, help me to?, help, try to, try and, make sure to, make sure that? you, please? be sure to, be sure and
  feel free to, remember to please, let us, please do, time to, it is time to, would it be possible to, would it be possible for you to
  could it be possible to, i am requesting that you, request to, let us go ahead and
`);

/** Says what the person wants to do with the assistant. */
export const WISHES = phrases(`
  i want to, i should like to, i want us to, i would really? like|love|prefer|want to, i would really? like|love|prefer|want
  i really? wish|like to, i am looking|trying|hoping|wanting to, i am here|calling to, i feel like, can|could|may|might i please?
  can|could|may|might we please?, let me, am i able to, i am going|about to, i will, want to, would like to, looking|trying to
  we want to, we would like to, i decided|plan|intend|aim to, i have decided to, i think i will, i think i want to, i think we should
  i think i should
`);

/** Says what the person has to do. */
export const DUTIES = phrases(`
  i really|also|still|just|only? need|have to
  i|we really|also|still|just|only|definitely|desperately|urgently|seriously|actually* need|have|got|ought|am to
  i|we really|also|still|just|only* must|should|better, i|we had|would better, i|we have got to
  i am|are supposed|meant|required|obliged|due to, i will need|have to, i am going to need|have to, i can not forget to
  i do need|have to, need|gotta|got|have to, must, it is important that i, i should really|probably|also
`);

/** Says what shall not be done. */
export const NEGATIONS = phrases(`
  do|does|did not, please? do not, never, i do|did|would|could|can|will not want|need|wish|like|think|mean|have you? to?
  i do|did|would|could|can|will not, i would rather not, i am not, we do|should|must|can not
  you do|should|must|can|need not need|have|want? to?, you should never, can|could|would|will you not, no need to, there is no need to
  stop adding|putting|creating|deleting|removing|changing|marking|making|showing|listing, not, let us not, avoid
  i no longer want|need|have|wish to, i refuse to, without
`);

/** After the point. */
export const TRAILERS = phrases(`
  please, pls, thanks, thank you, thank you very|so much, thanks a lot|bunch|ton|million, many thanks, for me, for me please
  for me thanks, if you can|could|would|will|please, if possible, if you would not mind, if you do not mind
  if that is ok|possible|alright, will|would|can|could you, can|could|will|would you please, can|could|will|would you do that
  when you get|have a chance|minute|moment|sec|second, ok, cheers, ta, man|dude|mate|buddy|bro|love|friend|assistant|alexa|siri|google
  lol|haha|ha|lmao, right away, real quick, quickly, asap please, as well, too, kindly, now please, yeah, yes, actually, a favor
  thankyou, that would be great|nice|lovely|helpful, i would appreciate it, in advance, btw, emoji-yes
`);
