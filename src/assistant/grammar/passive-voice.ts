import type { Token } from '../language/token.ts';
import { phrases } from '../language/groups.ts';
import { matchAll, type Span } from '../language/phrase.ts';
import { PARTICIPLES } from '../language/words/verbs.ts';
import { isNounPhrase } from './guards.ts';
import type { Clause } from './reading.ts';

/** Commands in which the thing stands before what is to be done with it: "can the milk one be crossed off", "I want task 2 deleted". */
const PASSIVE = phrases(`
  can|could|should|may|might|would|will|must|shall {obj:10} please|also|just? be|get verb@participle {rest?}
  {obj:10} can|could|should|may|must|might please|also|just|now? be|get verb@participle {rest?}
  {obj:10} needs|need|has|have|ought|wants to be|get verb@participle {rest?}
  {obj:10} needs|need|wants verb@participle {rest?}
  i|we want|need|would|wanted like|love|prefer? {obj:10} to? be? verb@participle {rest?}
  have|get|see {obj:8} verb@participle {rest?}
  is it possible to have|get {obj:8} verb@participle {rest?}
  {obj:10} is|are to be verb@participle {rest?}
`);

/** The same clause with its verb first, so that the rules need to know one order of words only. */
export function toActiveVoice(clause: Clause): Clause | undefined {
  for (const span of spansOf(clause))
    for (const phrase of PASSIVE) {
      const slots = matchAll(phrase, clause.tokens, span);
      const [obj, verb, rest] = [slots?.['obj'], slots?.['verb'], slots?.['rest']];
      const order = verb && orderOf(clause.tokens[verb[0]]!);
      if (obj && order && isNounPhrase(clause.tokens, obj))
        return rebuilt(clause, [
          ...order,
          ...clause.tokens.slice(...obj),
          ...clause.tokens.slice(...(rest ?? NOTHING)),
        ]);
    }
  return undefined;
}

function spansOf({ core, whole }: Clause): Span[] {
  return core[0] === whole[0] ? [core] : [core, whole];
}

/** "removed" as "remove"; "gone" as "remove", too. */
function orderOf(token: Token): Token[] | undefined {
  const words = token.quoted ? undefined : PARTICIPLES.get(token.word);
  return words?.split(' ').map((word) => ({ ...token, word }));
}

const NOTHING: Span = [0, 0];

function rebuilt(clause: Clause, tokens: Token[]): Clause {
  const whole: Span = [0, tokens.length];
  return {
    ...clause,
    tokens,
    whole,
    core: whole,
    moods: new Set(['request']),
    asked: true,
    question: false,
  };
}
