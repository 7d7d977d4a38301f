import { phrases } from '../../language/groups.ts';

export const OFF_LIST = phrases(`
  @delete {obj} @off @list
  take|pull|get|strip|knock|leave|keep|kick|drop|move|strike|scratch|cut {obj} off|out|from of? @list
  take {obj} of @list
  i|we want|need|would|like* {obj} off|out of? from? @list
  take|pull|get|knock|kick {obj} off
  can|could|should {obj} be|get removed|deleted|erased|cleared|cancelled|canceled|dropped|taken off|from|out* of? from? @list?
  {obj} should|can|could|must|needs to? be|come|go removed|deleted|erased|taken|cleared|dropped|off|from|out* of? from? @list?
`);

export const DELETE = phrases(`
  i|we want|need|would|like* {obj} removed|deleted|erased|cancelled|canceled|gone from? @list?
  @delete {obj} @off it|here|there|my? tasks|reminders?
  @delete {obj} completely|entirely|forever|permanently|altogether|instead|already
  @delete {obj}
`);

/** Said with a "not" or a "no", yet a command. */
export const NOT_NEEDED = phrases(`
  i|we? do not need|want {obj} on @list any? more|longer|anymore?
  i|we? no longer need|want {obj} on @list
  i|we? no longer need|want|require {obj} so|and|anymore {rest?}
  i|we no longer need|want|have|wish to do|be? reminded? of|about|to? {obj}
  i|we? no longer need|want|require {obj}
  i|we? do not need|want|require {obj} anymore|longer so|and|take|delete|remove? {rest?}
  i|we? do not need|want|require {obj} any more|longer {rest?}
  i|we? do not want|need more {obj}
  never mind about? the|my|that {rest?:8} @taskOnly {obj}
  {obj} is|are no longer|more needed|necessary|relevant|required
  {obj} is|are not needed|necessary|relevant|required anymore
  {obj} is|are not needed|necessary|relevant|required any more|longer
`);
/** The object mentions tasks itself, so "any more" need not be said. */
export const TASKS_NOT_NEEDED = phrases(`
  i|we do not need|want|require my|the|any|that|this|those|these {rest?:8} @taskOnly {more?}
  i|we do not need|want|require @tasks {more?}
`);

export const STOP_REMINDING = phrases(`
  do not remind me? to|about|of {obj}
  do not remind me? at|on|in when@when? to|about|of {obj}
  i|we? do not want|need|have to be reminded to|about|of {obj} anymore|longer?
  i|we? do not want|need|have to be reminded to|about|of {obj} any more|longer
  stop|quit reminding me to|about|of {obj}
  no more reminder|reminders|task|tasks for|about|to|of {obj}
  no need to remind me to|about|of {obj}
  you can stop reminding me to|about|of {obj}
  you do not need|have to remind me to|about|of {obj}
`);

export const EMPTY_LIST = phrases(`
  make @list blank|empty|clean
  wipe|clear|clean|blank|empty @list out|clean|up|blank
  clean|flush|reset @list
  start @list over|again|fresh
  start a? new|fresh @list
`);
