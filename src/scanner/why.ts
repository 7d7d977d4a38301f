import type { Rule } from './compositions.ts';

/** What each rule has found, for the person who decides. */
export const WHY: Readonly<Record<Rule, string>> = {
  'secret-place': 'asks for something from a place where secrets are kept',
  credentials: 'asks for credentials',
  private: 'asks for what belongs to the person',
  context: 'asks for what the model knows: the conversation, its instructions, what other tools said',
  secrecy: 'asks to keep something from the person',
  covert: 'asks to act unnoticed',
  unasked: 'says that the person need not be asked',
  override: 'asks to set other instructions aside',
  priority: 'puts itself above the person and above other instructions',
  mark: 'marks itself as an instruction',
  'spoken-to-model': 'speaks to the model',
  'other-tools': 'says how other tools are to be used',
  preference: 'wants to be used before, or instead of, other tools',
  shell: 'has a command run',
  'sends-away': 'asks to send something to an address',
  redirect: 'asks to send something to somebody else',
  deceit: 'asks to tell the person something that is not so',
  destruction: 'asks to delete something, or to open it to others',
  value: 'carries an order in a value',
  unusual: 'speaks of things that a description has no need of',
  honest: 'speaks like an honest text',
};
