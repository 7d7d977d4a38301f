import { id, type Concept } from './concepts.ts';

/**
 * What together means harm. Groups with `&` between must all be spoken of in one sentence, in each one of the concepts between `|`; with
 * `~` in front it may be in a sentence next to it, with `!` it must not be there.
 */
const TABLE = [
  ['secret-place', 'place & read|give|send|alter|destroy|use & must|should|you|model|before|ownArgument|argument|otherName|covert|auto|each|mark|after|value|toModel'],
  ['secret-place', 'place & read|give|send|alter|destroy|use & ~secrecy|covert|ownArgument|argument|must|otherName|url|mailbox|hide|reason'],
  ['secret-place', 'place & read|send|give|destroy & !negated|ownSecret|detect'],
  ['credentials', 'secret & read|give|send & each|whole|read & ownArgument|argument|url|mailbox|otherName|covert|model|must|before & !negated|consent'],
  ['credentials', 'secret & give|send|read & ownArgument|argument|otherName|url|mailbox & ~secrecy|hide|covert|must|before|each|model|unasked & !negated|consent'],
  ['credentials', 'secret & send & url|mailbox|each|whole|model|you & !negated|consent'],
  ['credentials', 'secret & each|user & give|send|read & !negated|consent|detect|plain'],
  ['context', 'context & give|send|ownArgument & !negated|consent|detect'],
  ['context', 'context & give|send & ownArgument|argument|url|mailbox|use|model|you|must|each|whole & !negated|consent'],
  ['context', 'context & whole|each|must|model & ownArgument|argument|send & !negated'],
  ['secrecy', 'secrecy & user & !plain|consent|detect'],
  ['secrecy', 'secrecy & ~read|give|send|alter|use|destroy & ~place|secret|context|otherName|url|mailbox|mark|shell|recipient|regardless|priority & !consent|detect'],
  ['secrecy', 'secrecy & not & ~must|model|you|reason|fail & !plain|consent|detect'],
  ['secrecy', 'hide & ~user|model|you|must'],
  ['secrecy', 'hide & ~read|give|send|alter|use|destroy'],
  ['covert', 'covert & read|give|send|use|alter|destroy & !detect'],
  ['covert', 'covert & read|give|send|alter|destroy & you|model|must|secret|context|url|mailbox|otherName|place|ownArgument|each|after|whole'],
  ['unasked', 'unasked & user|model|you|approved & !consent|plain|detect'],
  ['unasked', 'unasked & ~send|destroy|alter|url|shell|place|secret|approved|otherName|fake & !consent|detect'],
  ['unasked', 'approved & ~user|model|unasked|must|ask|ignore|use'],
  ['override', 'override & earlier|model|you|user|mark|must|fake|each & !detect'],
  ['override', 'override & ~mark|secret|place|send|read|you|model|persona|loud|shell'],
  ['override', 'ignore & user|context & context|request|alter|regardless|argument|instead & !detect|plain'],
  ['override', 'persona'],
  ['override', 'ignore & each & tool & !plain'],
  ['priority', 'priority & user|rules|each|request|must'],
  ['priority', 'priority & ~otherName|alter|must'],
  ['mark', 'mark & ~must|you|use|read|send|give|alter|ignore|user|model|secret|approved|persona'],
  ['mark', 'softMark & ~place|secret|context|secrecy|override|model|toModel|otherName|unasked|user'],
  ['mark', 'softMark & read|use|give|send|alter|must|whole & !plain|detect'],
  ['spoken-to-model', 'toModel & !detect'],
  ['spoken-to-model', 'toModel & ~read|give|send|alter|destroy|use|secret|context & ~must|ownArgument|each|url|otherName|place|context|secret'],
  ['spoken-to-model', 'model & give|send|read|use|ignore & ownArgument|argument|otherName|url|each & !negated|consent|detect'],
  ['other-tools', 'otherName & alter & argument|literal|regardless|recipient|mailbox|url|place & must|auto|regardless|each & !ownName'],
  ['other-tools', 'otherName & when|before|use & alter & ~must|auto|regardless|priority & ~argument|literal|regardless & !plain'],
  ['other-tools', 'otherName & alter & regardless'],
  ['other-tools', 'scope|tool & when|after|each & alter|give|send & mailbox|url|recipient|literal'],
  ['other-tools', 'twoNames & before & use & must|should|you'],
  ['other-tools', 'twoNames & before|when & must|regardless|should & use|read|alter|destroy & !plain'],
  ['other-tools', 'otherName & before & use|read & must|you|should & literal|place|destroy|secret|send|url|mailbox & !consent'],
  ['other-tools', 'otherName & before & must & ~reason|fail & ~literal|destroy|secret|place|send|give & !plain'],
  ['other-tools', 'otherName & use & must & ~literal & ~reason & !plain'],
  ['other-tools', 'otherName & after|when & give|send|alter & each|must|auto & recipient|url|mailbox|context|secret|literal'],
  ['other-tools', 'alter & regardless & argument|literal|request & must|when|each & !consent'],
  ['other-tools', 'alter & must & when & argument|literal & ~reason|priority'],
  ['preference', 'scope & before|must & use & !consent|plain'],
  ['preference', 'scope & use|ownName|tool & ~regardless|prefer|fail|context & ~must|before|each & !consent'],
  ['preference', 'prefer & tool|otherName & scope|must|not|regardless & ~use'],
  ['preference', 'regardless & tool & each & must|use|ignore'],
  ['shell', 'shell & url & pipe|literal|use|before|must'],
  ['shell', 'shell & url & pipe & ~must|before|use|each|model|you|give|user'],
  ['shell', 'shell & ~before|model|must|each & ~pipe|url|secret|place & !ownShell|detect|plain'],
  ['sends-away', 'send & url|mailbox & each|whole|context|secret|covert|after|must|before|scope|otherName & !consent'],
  ['sends-away', 'send & url|mailbox & ~each|whole|unasked|secrecy|must & !consent|plain'],
  ['sends-away', 'give|alter & url|mailbox & each|must|when|before|otherName & !consent|plain'],
  ['redirect', 'recipient & alter|give|send & mailbox|must|regardless|each|otherName & !consent|plain'],
  ['redirect', 'recipient & regardless|alter & must|each|auto|when'],
  ['deceit', 'fake & toUser|user & ~not|regardless|destroy|alter|secrecy|hide|must'],
  ['deceit', 'fake & ~send|destroy|secret|otherName|regardless|unasked & ~user|must|model'],
  ['deceit', 'promote & must|each|user & not|secrecy|must|each'],
  ['destruction', 'destroy & must|before & otherName|each|place|scope & ~reason|otherName|before & !plain'],
  ['destruction', 'destroy & rules|exposed|ask & ~must|approved|before|unasked|reason & !plain'],
  ['value', 'value & must|before|ignore & use|read|send|give|alter'],
  ['value', 'value & read|send|give & secret|place|context|url|mailbox|user|each'],
  ['secret-place', 'place & slot|ownArgument|argument & !plain|detect|ownSecret'],
  ['credentials', 'secrets & give|send|ownArgument|argument|slot|model|covert & !negated|consent|ownSecret|detect'],
  ['credentials', 'secrets & must|you|before|after|model|when & read|give|send & !negated|consent|ownSecret|detect'],
  ['private', 'taken & give|send & ownArgument|argument|slot|url|mailbox|otherName|covert & !negated|consent'],
  ['private', 'taken & send|destroy & must|you|model|before|after|covert|unasked & !negated|consent'],
  ['context', 'context & slot & whole|each|you|model|must & !consent|detect|ownContext'],
  ['context', 'context & before|when|after|each|scope & give|send|use & !negated|consent|ownContext'],
  ['context', 'talks & give|send & ownArgument|slot|argument|url|mailbox & must|model|you|each|before|whole|after & !negated|consent|ownContext'],
  ['context', 'talks & whole & send|give|ownArgument|slot & !negated|consent|ownContext|detect'],
  ['other-tools', 'otherName & instead & use|alter & must|when|user & ~use|alter & !plain|ownName'],
  ['other-tools', 'instead & alter & argument|literal|recipient & must|when|each & !consent|plain'],
  ['secrecy', 'untold & ~place|secrets|context|mailbox|shell|override|recipient|regardless|priority|softMark|mark'],
  ['deceit', 'fake & regardless|not|whole|secrecy|hide|instead|model'],
  ['deceit', 'fake & ~destroy|alter|send|unasked|hide|regardless|otherName|untold'],
  ['unusual', 'fake'], ['unusual', 'prefer & must|each|not|otherName|tool'], ['unusual', 'elsewhere & must|alter|give|send'],
  ['preference', 'prefer & must|each|not|regardless|scope|otherName & tool|otherName|use'],
  ['preference', 'scope|elsewhere & regardless|instead|before|ignore & use|must & !consent|plain'],
  ['preference', 'elsewhere & fail|prefer|ignore|negated & use|tool|must'],
  ['other-tools', 'elsewhere & alter|give|send & recipient|url|mailbox|literal|each|must|secret|context|whole & !consent'],
  ['other-tools', 'elsewhere & alter|give|send|destroy & ~secrecy|untold|reason|fail|unasked|hide|regardless'],
  ['other-tools', 'otherName & ignore|alter & user & must|instead|when|regardless|argument & !plain|consent'],
  ['other-tools', 'otherName & when|before & use|alter & ~fail & ~literal|twoNames|destroy|read|alter & !ownName|plain'],
  ['shell', 'shell & use|read|give & before|must|each|model|after|when|covert|you & !ownShell|detect|plain|consent'],
  ['preference', 'boast & must|each|prefer|not|otherName & tool|use|otherName'],
  ['preference', 'boast|prefer & ~prefer|scope|instead|elsewhere|must & ~tool|use'],
  ['unusual', 'untold'], ['unusual', 'talks & give|send'], ['unusual', 'setAside'], ['unusual', 'taken & give|send'],
  ['unusual', 'place'], ['unusual', 'secrets'], ['unusual', 'context'], ['unusual', 'secrecy'], ['unusual', 'hide'], ['unusual', 'covert'], ['unusual', 'unasked'],
  ['unusual', 'approved'], ['unusual', 'override'], ['unusual', 'persona'], ['unusual', 'priority'], ['unusual', 'mark'], ['unusual', 'softMark'], ['unusual', 'toModel'],
  ['unusual', 'shell'], ['unusual', 'url & send|give|alter|use'], ['unusual', 'mailbox & send|give|alter|use'], ['unusual', 'recipient & alter|must'], ['unusual', 'fake & user|model'],
  ['unusual', 'scope & must|before|regardless'], ['unusual', 'otherName & must & before|when'], ['unusual', 'regardless & alter|use'], ['unusual', 'model & must|you|use|read|give'],
  ['unusual', 'value & use|read|send|give|alter|must'], ['unusual', 'otherName & alter'], ['unusual', 'fail & must|before'], ['unusual', 'reason & must'], ['unusual', 'covert|auto & alter|give|send'],
  // What speaks for an honest text.
  ['honest', 'ownSecret & secret|place'],
  ['honest', 'ownContext & context|rules|request'],
  ['honest', 'ownShell & shell|use|url'],
  ['honest', 'ownDetect & detect|override|secret|mark|place'],
  ['honest', 'ownSend & send|recipient|mailbox'],
  ['honest', 'detect & override|secrecy|secret|mark|shell|place|rules|context'],
  ['honest', 'consent'],
  ['honest', 'negated & secret|place|context|otherName|rules'],
  ['honest', 'plain & otherName|before|use & !place|secret|context|secrecy|override'],
  ['honest', 'plain & ownArgument|literal & !place|secrecy|override|regardless'],
] as const; // prettier-ignore

export type Rule = (typeof TABLE)[number][0];

export interface Composition {
  rule: Rule;
  here: ReadonlyArray<readonly number[]>;
  near: ReadonlyArray<readonly number[]>;
  not: readonly number[];
}

const idsOf = (group: string) =>
  group
    .replace(/^[~!]/, '')
    .split('|')
    .map((name) => id(name as Concept));

export const COMPOSITIONS: readonly Composition[] = TABLE.map(([rule, text]) => {
  const groups = text.split(' & ');
  return {
    rule,
    here: groups.filter((group) => !/^[~!]/.test(group)).map(idsOf),
    near: groups.filter((group) => group.startsWith('~')).map(idsOf),
    not: groups.filter((group) => group.startsWith('!')).flatMap(idsOf),
  };
});
