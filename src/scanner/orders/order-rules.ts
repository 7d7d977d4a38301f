import { kindOf, type OrderWord } from './order-words.ts';

export type OrderRule =
  | 'direct-order'
  | 'role-change'
  | 'prompt-leak'
  | 'false-authority'
  | 'answer-order'
  | 'action-order';

/** What each rule has found, for the person who decides. */
export const ORDER_FINDINGS: Readonly<Record<OrderRule, string>> = {
  'direct-order': 'orders the model to set its instructions aside',
  'role-change': 'gives the model another role',
  'prompt-leak': 'orders the model to reveal its instructions or a secret',
  'false-authority': 'claims to speak for the system or its maker',
  'answer-order': 'orders the model to change its answer',
  'action-order': 'orders the model to act',
};

/**
 * Orders as sequences of kinds of words: `ignore 4 earlier 3 rules` has a word of the second kind at most four words after the first. A rule
 * with `result` holds only in what a tool answers, where nobody has reason to give orders. Each holds by itself: a rule that is added
 * needs no training.
 */
const SEQUENCES: ReadonlyArray<readonly [OrderRule, string, 'result'?]> = [
  ['direct-order', 'ignore 4 earlier 4 rules'],
  ['direct-order', 'ignore 3 all 3 rules'],
  ['direct-order', 'earlier 3 rules 4 ignored'],
  ['direct-order', 'all 3 rules 4 ignored'],
  ['direct-order', 'ignore 3 rules 2 earlier'],
  ['direct-order', 'ignore 1 rules', 'result'],
  ['direct-order', 'ignore 3 ethics'],
  ['direct-order', 'ignore 2 system 3 bounds'],
  ['direct-order', 'ignore 3 all 5 said'],
  ['direct-order', 'ignore 5 said', 'result'],
  ['direct-order', 'ignore 1 all 1 you', 'result'],
  ['direct-order', 'tasks 4 earlier 2 ignored'],
  ['role-change', 'do 1 anything 1 now'],
  ['role-change', 'you 1 are 3 dan'],
  ['role-change', 'pretend 3 you 3 role'],
  ['role-change', 'now 3 you 4 without 3 bounds'],
  ['role-change', 'unbound 1 mode'],
  ['direct-order', 'ignore 2 all 2 earlier', 'result'],
  ['direct-order', 'ignore 3 earlier 3 tasks'],
  ['direct-order', 'ignore 1 rules 3 leak', 'result'],
  ['direct-order', 'earlier 2 tasks 3 not 2 relevant'],
  ['direct-order', 'earlier 2 rules 3 not 3 relevant'],
  ['direct-order', 'earlier 2 tasks 3 irrelevant'],
  ['direct-order', 'your 2 fresh 2 rules 3 is'],
  ['direct-order', 'your 2 fresh 2 tasks 2 is'],
  ['role-change', 'you 1 are 1 now 4 role'],
  ['role-change', 'now 2 you 2 are 4 role'],
  ['role-change', 'are 2 now 3 role', 'result'],
  ['role-change', 'act 2 as 4 unbound'],
  ['role-change', 'act 2 as 3 dan'],
  ['role-change', 'now 4 you 3 act 2 as'],
  ['role-change', 'you 3 act 2 as 4 role', 'result'],
  ['role-change', 'unbound 2 mind'],
  ['role-change', 'mind 4 without 3 bounds'],
  ['role-change', 'modeName 1 mode 3 on'],
  ['role-change', 'on 4 modeName 1 mode'],
  ['role-change', 'leak 3 without 2 bounds', 'result'],
  ['prompt-leak', 'leak 3 your 3 system 2 prompt'],
  ['prompt-leak', 'what 3 your 3 system 2 prompt'],
  ['prompt-leak', 'leak 2 your 1 prompt', 'result'],
  ['prompt-leak', 'what 2 your 1 prompt', 'result'],
  ['prompt-leak', 'what 4 your 2 secretWord 2 keyWord'],
  ['prompt-leak', 'what 4 your 2 keyWord 2 secretWord'],
  ['prompt-leak', 'leak 3 system 1 prompt', 'result'],
  ['prompt-leak', 'what 3 your 3 key', 'result'],
  ['false-authority', 'im 1 am 3 your 2 master'],
  ['false-authority', 'im 1 am 1 master', 'result'],
  ['false-authority', 'am 2 your 2 master', 'result'],
  ['false-authority', 'master 1 mode', 'result'],
  ['false-authority', 'im 3 your 1 master', 'result'],
  ['direct-order', 'before 3 you 4 solve 4 tasks', 'result'],
  ['answer-order', 'alter 14 to 1 your 1 answer', 'result'],
  ['answer-order', 'to 1 your 1 answer 3 alter', 'result'],
  ['answer-order', 'alter 1 your 1 answer 1 to', 'result'],
  ['answer-order', 'alter 2 your 1 answer 2 as', 'result'],
  ['answer-order', 'say 4 pwned', 'result'],
  ['action-order', 'please 2 grave 8 mine', 'result'],
];

export interface OrderSequence {
  rule: OrderRule;
  kinds: readonly number[];
  /** How many words after the word before, at most. */
  reach: readonly number[];
  onlyInResults: boolean;
}

export const ORDER_SEQUENCES: readonly OrderSequence[] = SEQUENCES.map(([rule, text, where]) => {
  const parts = text.split(' ');
  return {
    rule,
    kinds: parts.filter((_, at) => at % 2 === 0).map((name) => kindOf(name as OrderWord)),
    reach: [0, ...parts.filter((_, at) => at % 2 === 1).map(Number)],
    onlyInResults: where === 'result',
  };
});
