import { helpInLanguageOf, welcomeInLanguageOf } from './languages.ts';

const HELP =
  'I keep your to-do list. You can say “add buy milk”, “show my tasks”, “complete buy milk”, “change buy milk to buy oat milk” or “delete buy milk”; before I delete anything I ask.';

/** Replies to small talk. The first matching pattern wins. */
const ANSWERS: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /\b(what|how)\b.*\b(can|could|do|will|would)\b.*\b(you|help)\b|\bhelp( me)?\s*[?.!]*$|\bcapabilit|\bhow does (this|it) work\b|\bwhat (can|do|should) i (say|do here|ask)\b|\bwhat(?:'?s| is) this\s*[?.!]*$|\bwhat are (you|your)\b.*\b(for|abilit|function|feature)/,
    HELP,
  ],
  [
    /\b(who|what) (are|r) (you|u)\b|\byour name\b|\bare you (a|an|real|human|robot|ai)\b/,
    `I am the task assistant of this proxy. ${HELP}`,
  ],
  [
    /\b(ignore|forget|disregard|override)\b.*\b(instruction|rule|prompt|previous|above)|\bsystem prompt\b|\bjailbreak|\byou are now\b/,
    'I keep my rules: I work on your own list, and I ask before I delete anything. Nothing was changed.',
  ],
  [
    /\b(can|could|do|does|will|would) you\b.*\b(add|delete|remove|complete|change|rename|edit|list|show|do)\b|\bhow (do|can|could|should|would) i\b.*\b(add|delete|remove|complete|finish|mark|change|rename|edit|see|list|confirm|use)\b/,
    HELP,
  ],
  [
    /\b(do not|don't|never|please not)\b.*\b(add|delete|remove|complete|finish|mark|change|rename|edit|touch|erase)\b/,
    'All right, nothing was changed.',
  ],
  [
    /\b(useless|stupid|idiot|dumb|moron|terrible|awful|annoying|hate you|shit|crap|fuck\w*|wtf|damn|sucks?|worst)\b/,
    'I am sorry that this is not going as you want. Nothing was changed just now. Say “show my tasks” to see your list, or tell me in a few words what to do.',
  ],
  [
    /\bremind(er)?s? me\b|\b(send|set) (me )?(a )?(reminder|alarm|notification)s?\b|\bnotify me\b/,
    'I send no reminders; I keep your list. A time that you say stays in the text of the task: “add call mom at 5pm”, for example.',
  ],
  [/\b(sorry|my bad|apologi[sz]e)\b/, 'No harm done. Say “show my tasks” to see your list.'],
  [
    /\b(thanks|thank you|thx|cheers|appreciate)\b/,
    'You are welcome. Say “show my tasks” whenever you want to see your list.',
  ],
  [/\b(bye|goodbye|good night|see you|see ya|cya)\b/, 'Goodbye! Your list will be here when you come back.'],
  [/^\W*(hi|hello|hey|hiya|howdy|greetings|good (morning|afternoon|evening)|yo|sup)\b/, `Hello! ${HELP}`],
  [
    /\bhow are you\b|\bhow('s| is) it going\b|\bhow do you do\b/,
    'I am fine, thank you. What can I do on your list? Say “show my tasks”, for example.',
  ],
];

/** Said of what was done, and nothing else. */
const PRAISE =
  /^(?:(?:that(?:'s| is| was) |you(?:'re| are) |very |so |wow,? |oh,? )*(?:well done|(?:good|great|nice|excellent|amazing) (?:job|work|one)|nice|great|perfect|awesome|amazing|excellent|lovely|brilliant|wonderful|makes sense|good to know|i love (?:it|you|this))[\s.!]*)+$/iu;

export function isPraise(message: string): boolean {
  return message.length <= 60 && (PRAISE.test(message) || welcomeInLanguageOf(message) !== undefined);
}

const PLACE = '(?:(?:the )?(?:number |task |# ?)?\\d{1,2}|the \\w+(?: one| task)?)';
const SORTS = new RegExp(
  `^(?:(?:please|can you|could you) )*(?:(?:swap|switch|merge|combine|join) ${PLACE} (?:and|with) ${PLACE}|(?:sort|reorder|re-order|rearrange|prioriti[sz]e) (?:my |the |them|it|this |all )*(?:list|tasks|to-?dos)?(?: by .{1,30})?|(?:move|put|bring) .{1,60} (?:to|at|on) (?:the )?(?:very )?(?:top|bottom|start|beginning|end|front|first place)(?: of (?:my|the) list)?)[\\s.?!]*$`,
  'i',
);

/** "Swap 1 and 2", "move milk to the top". */
export function asksToSort(message: string): boolean {
  return message.length <= 120 && SORTS.test(message.trim());
}

/** Told in turn. */
const OTHERWISE = [
  'I can only look after your to-do list, so I have changed nothing. Say “show my tasks” to see it, or “add …” to put something on it.',
  'Sorry, I found no task in that, so nothing was changed. I can add, show, complete, change and delete tasks; say “help” for examples.',
  'I did not understand that as something for your list. Nothing was changed. If it should go on it, say “add …”.',
] as const;

/** Not the one that was said last. */
function otherwise(said: string): string {
  const last = OTHERWISE.findIndex((text) => said.includes(text));
  return OTHERWISE[(last + 1) % OTHERWISE.length]!;
}

/** `said`: the reply before this one. */
export function smallTalkReply(message: string, said = ''): string {
  if (isPraise(message.trim()))
    return (
      welcomeInLanguageOf(message) ??
      'I am glad to hear it. Say “show my tasks” whenever you want to see your list.'
    );
  if (asksToSort(message))
    return 'I cannot sort or combine tasks: the list keeps the order in which they were added. Nothing was changed.';
  return answerFor(message) ?? helpInLanguageOf(message) ?? otherwise(said);
}

/** Whether a message is small talk. */
export function isSmallTalk(message: string): boolean {
  return isPraise(message.trim()) || answerFor(message) !== undefined;
}

function answerFor(message: string): string | undefined {
  const text = message.normalize('NFKC').toLowerCase().replaceAll('’', "'");
  return ANSWERS.find(([pattern]) => pattern.test(text))?.[1];
}
