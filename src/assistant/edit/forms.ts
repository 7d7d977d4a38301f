import type { Manner } from './new-title.ts';

/** Verbs of edits. */
export const CHANGE =
  '(?:change|changing|chnage|chage|update|updating|edit|editing|modify|modifying|alter|adjust|amend|revise|correct|correcting|fix|fixing|turn|convert|ändere?|benenne|changer|modifie[rz]?|cambi(?:a|ar|are)|modific(?:a|ar|are)|mud(?:a|ar|e)|alter(?:a|e|ar)|wijzig|verander)';
/** Also said of other things: with a whole title or a place, or with a value that the task has. */
export const SET = '(?:make|making|set|setting|have|let)';
export const RENAME =
  '(?:rename|renaming|retitle|relabel|shorten|reword|rephrase|rewrite|call|name|renomme[rz]?|renombr(?:a|ar)|rinomin(?:a|are)|renome(?:ia|ie|ar)|hernoem)';
export const MOVE =
  '(?:move|moving|shift|push|pushing|bump|reschedule|re-schedule|rescheduling|postpone|postponing|delay|defer|snooze|bring|put|schedule)(?: (?:back|forward|off|up|out|over))?';
export const SWAP =
  '(?:replace|replacing|swap(?:ping)?(?: out)?|switch|exchange|substitute|change|correct|ersetze|remplace[rz]?|reemplazar?|cambi(?:a|ar)|sostitu(?:isci|ire)|substitu(?:i|a|ir)|troc(?:a|ar|que)|vervang)';
const verb = (...verbs: string[]) => new RegExp(`^(?:${verbs.join('|')}) (?<rest>.+)$`, 'i');
const TO = / ?(?:->|=>|→| = ) ?| (?:to|into|as|in|zu|en|a|para|naar|auf) /gi;
const SAY =
  /,? (?:to|so (?:that )?it|and make it|it should|to now) (?:say|says|reads|be called|be|read(?= ["“])|read(?=:))(?: |: ?)/gi;

/** A way to ask for an edit: how its words are divided into a task and what it is to say. */
export interface Form {
  starts: RegExp;
  between: RegExp;
  manner: Manner;
  /** A value of a kind that the task has ("4pm"): the form is also said of other things. */
  needsValue?: true;
  /** Only of a task that is named by its place or its whole title. */
  whole?: true;
  /** The new text comes first. */
  isTurned?: true;
  /** Not by words of the title: "call mom on monday" is a thing to do. */
  isExact?: true;
  /** Only of a place in the list that was shown. */
  isPlace?: true;
}

const INSTEAD =
  /^(?:i (?:meant|mean|want|wanted|need) |(?:make|write|put|say|use|do)(?: it| that)? |(?:it|that) should be )?(?<rest>.+)$/i;
const THE_ONE = /^(?<rest>(?:the|my) (?:\S+ ){1,4}one\b.+)$/i;
export const FORMS: readonly Form[] = [
  { starts: /^(?<rest>.+)$/, between: /: /g, manner: 'text', isPlace: true },
  { starts: THE_ONE, between: /(?<= one): /g, manner: 'text' },
  { starts: THE_ONE, between: /(?<= one) /g, manner: 'change', needsValue: true },
  { starts: /^(?<rest>.+)$/, between: / /g, manner: 'change', needsValue: true, isPlace: true },
  { starts: verb(CHANGE, RENAME, SET), between: SAY, manner: 'text' },
  { starts: verb(RENAME), between: TO, manner: 'text' },
  { starts: verb(CHANGE, RENAME), between: /(?<=["”]) (?=["“])/g, manner: 'text' },
  {
    starts: /^(?:make|set) (?:it|that) (?<rest>.+)$/i,
    between: / for /gi,
    manner: 'change',
    needsValue: true,
    isTurned: true,
  },
  { starts: verb(CHANGE), between: TO, manner: 'change' },
  { starts: verb(SET), between: TO, manner: 'change', whole: true },
  { starts: verb(SET), between: TO, manner: 'change', needsValue: true },
  { starts: verb(SWAP), between: / (?:with|for|by|to|durch|par|por|con|door) /gi, manner: 'change' },
  {
    starts: verb(MOVE),
    between: / (?:(?:back|forward|off|up|out|over) )?(?:to|until|till|by|for|on) /gi,
    manner: 'change',
    needsValue: true,
  },
  { starts: verb(SET), between: / (?:say|read|be)(?: called)? /gi, manner: 'text' },
  {
    starts: verb(CHANGE, RENAME, SET),
    between: /(?<=\S) ?(?::(?!\d)|=| [–-]|,?(?: and)? (?:it should be|make it|call it)) ?/gi,
    manner: 'text',
  },
  {
    starts: verb('call', 'name', 'benenne', 'nenne'),
    between: / (?:in|zu|auf) | /gi,
    manner: 'text',
    isExact: true,
  },
  { starts: verb('make', 'make that'), between: / /g, manner: 'change', whole: true },
  { starts: verb('make', 'set', MOVE), between: / /g, manner: 'change', needsValue: true },
  {
    starts: /^(?:instead )?of (?<rest>.+)$/i,
    between:
      /,? (?:(?:it|that) (?:should|must) (?:be|say|read)|make it|write|put|say|use|do|have|i (?:meant|mean|want|wanted|need)) |, /gi,
    manner: 'change',
  },
  { starts: /^not (?<rest>.+)$/i, between: /,? but /gi, manner: 'change' },
  {
    starts: /^(?:i(?:['’]?d| would) like |i want )?(?<rest>.+)$/i,
    between: / to (?:say|read|be)(?: called)? /gi,
    manner: 'text',
  },
  {
    starts: /^i (?:meant|mean|said) (?<rest>.+)$/i,
    between: /,? (?:and )?not /gi,
    manner: 'text',
    whole: true,
    isTurned: true,
  },
  {
    starts: INSTEAD,
    between: / (?:instead of|in place of|rather than) /gi,
    manner: 'text',
    whole: true,
    isTurned: true,
  },
  {
    starts: /^(?<rest>.+)$/,
    between: / (?:is|was) (?:now |actually |really )+(?:called )?/gi,
    manner: 'change',
    whole: true,
  },
  {
    starts: /^(?<rest>.+)$/,
    between:
      / (?:should|must|needs to|has to|ought to) (?:now )?(?:say|read|be called|become|be (?:renamed|changed|updated|edited|corrected) to)(?: |: ?)| (?:becomes|turns into|changes to|is now called) |(?: (?:has|have))?(?: been)? (?:renamed|changed|updated) to |(?:,| -|:) (?:please )?(?:change|rename|edit|update)(?: (?:it|that|this))? to /gi,
    manner: 'text',
  },
  {
    starts: /^(?<rest>.+)$/,
    between:
      / (?:should|must|needs to|has to|ought to) (?:now )?(?:have )?(?:(?:be|been)(?: (?:paid|sent|done|made|\w+ed)(?= (?:on|at|by|before|in) ))?|go to|goes to) |(?: ?->| ?=>| ?→) ?/gi,
    manner: 'change',
  },
  {
    starts: /^(?<rest>.+)$/,
    between:
      /(?: (?:is|are|was|gets?|got|goes|has been|moved|changed|leaves|starts|begins|ends|arrives)|['’]s)(?: (?:now|actually|really|moved|changed|pushed|rescheduled|due|only))*(?: (?:to|on|at|in|for|by))? /gi,
    manner: 'change',
    needsValue: true,
  },
];
