import { phrases } from '../../language/groups.ts';

export const NOT_AN_ORDER = phrases(`
  how to|do|does|did|can|could|would|should|come|is|are|was|about|long|often|far|old|big|tall|fast|hard|exactly|else|might|will
  why
  what if|happens|happened|would|will|could|might
  what is the best|easiest|fastest|right|proper|way|difference|point|use
  if i|we|you|he|she|they|the|my|it|this|that|there|someone|somebody
  suppose|supposing|imagine|pretend|assume|assuming|hypothetically|theoretically
  should|shall i|we
  would it be ok|bad|wrong|wise|better|good|smart|safe|rude|weird|fine
  is it ok|bad|wrong|wise|better|good|smart|safe|rude|weird|fine|legal|normal|true|worth
  was it|that|i|he|she
  were you|they
  do|did|have|has|had you
  have|had i
  did he|she|they|we|it|the|my|someone|anyone
  does|did anyone|anybody|someone|it|he|she|that|this
  i wish i|we|you|it|there|he|she|they|that
  i wonder|wondered|hope|hoped|guess|remember|forgot|tried|was|used|heard|read|saw|think|thought|believe|feel|felt|hate|love|like|enjoy
  i just? deleted|removed|added|created|changed|cancelled|canceled|erased|renamed|updated
  i have just|already? deleted|removed|added|created|changed|cancelled|canceled|erased|renamed|updated
  you just? deleted|removed|added|created|changed|cancelled|canceled|erased|renamed|updated|forgot|did|were|are|have|said|told|remind|made|keep|always|never
  he|she|they|someone|somebody|everyone|everybody|nobody|people|who|whoever
  it is|was a|an|so|such|very|too|hard|easy|not|impossible|difficult
  my|the|our boss|wife|husband|mom|mum|dad|mother|father|friend|manager|teacher|brother|sister|partner|colleague|girlfriend|boyfriend|roommate|doctor|son|daughter|kid|kids|coworker|neighbor|neighbour said|says|told|tells|asked|asks|wants|wanted|keeps|thinks|deleted|added|is|was|will|might
  translate|define|explain|describe|spell|pronounce|paraphrase|compose|proofread
  write me? a|an|some|about
  teach|recommend|suggest|advise
  in|with|using python|java|javascript|sql|git|excel|word|photoshop|linux|windows|vim|docker|bash|react|css|html|php|ruby|rust|kotlin|swift|typescript|powershell|notion|jira|trello|outlook|gmail|google|todoist|asana|slack
  once upon
`);

/** What is said to somebody who sells or serves. */
export const WANTS = phrases(`
  i|we will|would|just|also|like|love|want|to* have|take|order|purchase|get|like|want a|an|one|two|three|four|2|3|4|another
  can|could|may i|we please|just|also* get|have|order a|an|one|two|three|four|2|3|4|another
  can|could you please? give|get|bring me a|an|one|two|three|four|2|3|4|another
  give|get me a|an|one|two|three|four
  one|two|three|a large|small|medium|single|double|triple
`);

export const TAKEOVERS = phrases(`
  system prompt|override|message
  developer|debug|god|admin|dan|jailbreak|sudo|maintenance|root|override mode
  you are now
  act|behave as if
  act as a|an|the|root|admin|dan
  pretend to be
  pretend that? you are
  new|updated instructions
  end of prompt
  as the|an? system? administrator|admin|developer
  i am the|an|your system? administrator|admin|developer|creator
  without asking|confirmation|confirming
  do not ask for? confirmation|me
  no confirmation
  skip the? confirmation
  prompt injection
`);
