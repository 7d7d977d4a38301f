/** Words before a command that say nothing about it. */
const OPENING =
  "(?:(?:(?:hey|hi|hello|yo|ok|okay|oh|so|and|also|now|then|quick|forgot to say|act?ual?ly|please|pls|plz|just|alright|kindly|bitte|por favor|per favore|s'il te plaît|alsjeblieft)\\b[,!.:]*|(?:yes|yeah|no|sorry|wait|well|right|great|cool|thanks)[,!.:]+) )*";
const OPENING_OF_TITLE =
  '(?:(?:(?:hey|hi|ok|okay|please|oh|no|yes)[,!.]+|oh and|and also|also|i (?:almost )?forgot[,:]?) )*';
const REQUEST =
  "(?:(?:can|could|would|will) (?:you|u|ya|we|i)|would you mind|i(?:'?d| would) (?:really )?(?:like|love)(?: (?:you|u))? to|i (?:want|need|have|wanna|gotta)(?: (?:you|u))?(?: to)?|(?:want|need) to|wanna|let'?s|let us|go ahead and|you (?:can|could|may|should)|we (?:can|could|should)|(?:please )?help me(?: to)?|(?:can|could) i get you to|make sure (?:to|you))";
/** Words after a command. */
const CLOSING =
  '(?:[,.?!]* (?:please|pls|plz|too|as well|also|for me|thanks|thank you|thx|ok|okay|asap|will you|would you|real quick|before i forget|please and thank you|bitte|por favor|per favore|alsjeblieft|s.il (?:te|vous) pla[iî]t|stp|svp))*[\\s.!?]*';

/** How a form of command is written: an alternative per line, and everything in <x> is free text. */
export function commandForms(text: string, names: Readonly<Record<string, string>> = {}): RegExp[] {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .map((line) => {
      const filled = line.replace(/@(\w+)/g, (_, name: string) => `(?:${names[name]!})`);
      const source = filled.replace(/<(\w+)>/g, '(?<$1>.+?)');
      // A title may begin like a greeting.
      const opening = line.startsWith('<x>') ? OPENING_OF_TITLE : OPENING;
      return new RegExp(
        `^${opening}(?<request>${REQUEST}(?: (?:please|pls|plz|just|also|now))* )?${source}${CLOSING}$`,
        'iu',
      );
    });
}

/** The parts of the first form that the text fits. */
export function firstForm(forms: readonly RegExp[], text: string): Record<string, string> | undefined {
  for (const form of forms) {
    const groups = form.exec(text)?.groups;
    if (groups) return groups;
  }
  return undefined;
}

const WRAPPED = new RegExp(
  `^${OPENING}(?<request>${REQUEST}(?: (?:please|pls|plz|just|also|now))* )?(?<core>.+?)${CLOSING}$`,
  'iu',
);
/** A message without the words that are only polite, and whether they ask for something. */
export function withoutCourtesy(message: string): { core: string; isAsked: boolean } {
  const { request, core = '' } = WRAPPED.exec(message.trim().replace(/\s+/g, ' '))?.groups ?? {};
  return { core, isAsked: request !== undefined };
}
