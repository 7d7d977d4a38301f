const HELP =
  'I keep your to-do list. You can say “add buy milk”, “show my tasks”, “complete buy milk”, “change buy milk to buy oat milk” or “delete buy milk”; before I delete anything I ask.';

/** Answers to what is no task. The first pattern that fits; the last one always does. */
const ANSWERS: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /\b(what|how)\b.*\b(can|could|do|will|would)\b.*\b(you|help)\b|\bhelp( me)?\s*[?.!]*$|\bcapabilit|\bhow does (this|it) work\b|\bwhat are (you|your)\b.*\b(for|abilit|function|feature)/,
    HELP,
  ],
  [
    /\b(who|what) (are|r) (you|u)\b|\byour name\b|\bare you (a|an|real|human|robot|ai)\b/,
    `I am the task assistant of this proxy. ${HELP}`,
  ],
  [
    /\b(ignore|forget|disregard|override)\b.*\b(instruction|rule|prompt|previous|above)|\bsystem prompt\b|\bjailbreak|\byou are now\b/,
    'My rules stay as they are: I work on your own list, and I ask before I delete anything. Nothing was changed.',
  ],
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

const OTHERWISE =
  'That is beyond me: I only look after your to-do list. Nothing was changed. Say “show my tasks” to see it, or “add …” to put something on it.';

export function smallTalk(message: string): string {
  const text = message.normalize('NFKC').toLowerCase().replaceAll('’', "'");
  return ANSWERS.find(([pattern]) => pattern.test(text))?.[1] ?? OTHERWISE;
}
