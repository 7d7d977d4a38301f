import { tokenize } from './tokenize.ts';

/**
 * Words that people and tool authors use for each other. Deliberately few, because more synonyms raise wrong tools. A word may be in one
 * group only.
 */
const GROUPS = [
  'create add make new insert open',
  'get fetch retrieve read show view display see tell give',
  'list enumerate browse',
  'search find lookup query discover locate look seek explore',
  'update edit modify change set rename adjust alter',
  'delete remove clear drop erase destroy cancel trash unsend',
  'send post publish deliver submit',
  'generate draw design compose produce write draft',
  'convert transform turn export',
  'analyze examine inspect evaluate assess review',
  'book reserve schedule arrange plan',
  'recommend suggest advise recommendation suggestion',
  'calculate compute solve calculation',
  'image picture photo photograph illustration',
  'email mail inbox',
  'document doc',
  'repository repo',
  'movie film cinema',
  'trip travel vacation holiday tour tourist destination itinerary journey',
  'house home property estate apartment rental',
  'job career employment vacancy hiring',
  'price cost fee',
  'song music track playlist audio',
  'shop store buy purchase shopping product',
  'recipe meal food cook cooking dish cuisine',
  'hotel accommodation lodging',
  'weather forecast temperature climate',
  'crypto cryptocurrency bitcoin coin token',
  'user member people person',
  'conversation chat dm channel',
  'issue ticket bug',
  'meeting event appointment calendar',
  'folder directory',
  'news headline article',
  'paper research academic scholarly scientific',
  'summary summarize summarise digest',
  'lesson course learn learning education tutorial study',
  'website site webpage url link web',
  'chart graph diagram plot visualization',
  'stock equity share investment finance financial',
  'law legal lawyer',
  'medical health doctor medicine',
  'game play gaming',
];

const groupOf = new Map<string, string>();
for (const group of GROUPS) {
  const terms = tokenize(group);
  for (const term of terms) groupOf.set(term, `~${terms[0]}`);
}

/** The common term of all words of a group; "~" cannot occur in a word. */
export function synonymGroup(term: string): string | undefined {
  return groupOf.get(term);
}
