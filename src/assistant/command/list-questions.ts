import type { ListFilter, MessageClause } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { isSubset, titleWords, wordsOf } from '../reply/task-words.ts';

const DAY =
  'today|tonight|tomorrow|this week|next week|this weekend|(?:on |this |next )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)';
const DONE = '(?:already )?(?:done|completed?|finished|ticked off)';
const OPEN = '(?:still )?(?:open|left|pending|unfinished|remaining|undone|not done|outstanding)';
const ONES = '(?: (?:ones|tasks?|items?|things?|stuff))?(?: (?:on|in) (?:my|the) list)?';
const forms = (...sources: string[]) => sources.map((source) => new RegExp(`^(?:${source})$`, 'iu'));

const COUNTS = forms(
  `how many(?: tasks| things| items)?(?: are| do i have| have i got| is)?(?: (?:still )?(?:left|open|to do|remaining|there))*(?: on (?:my|the) list)?`,
);
const OPEN_ONES = forms(
  `(?:(?:show|list|give|see)(?: me)? )?(?:only|just) (?:the |my )?${OPEN}${ONES}`,
  `(?:show|list|give|see)(?: me)? (?:only |just )?(?:the |my )?(?:open|pending|unfinished|remaining)(?: ones| tasks| items)`,
  `(?:and )?what(?:'?s| is| are)? (?:still )?(?:open|left|remaining|unfinished|not done)(?: to do)?(?: on (?:my|the) list)?`,
);
const DONE_ONES = forms(
  `(?:(?:show|list|give|see)(?: me)? )?(?:only|just) (?:the |my )?${DONE}${ONES}`,
  `(?:show|list|give|see)(?: me)? (?:the |my )?(?:done|completed|finished)(?: ones| tasks| items)?`,
  `what(?:'?s| is| are)? ${DONE}(?: so far| today)?`,
  `what (?:did|have|'?ve) i (?:already )?(?:(?:do|done)(?: so far| already| today)|(?:finish|finished|complete|completed|get done|got done|tick(?:ed)? off)(?: so far| already| today| yet)?)`,
);
const ABOUT = forms(
  `(?:is there |do i have |have i got |are there )?(?:anything|something|any tasks?|any) (?:about|with|regarding|concerning|to do with|for|left about) (?<about>[^:]{1,60}?)(?: (?:on|in) (?:my|the) list)?`,
  `(?:which|what)(?: ones?| tasks?| items?)? (?:is|are|has|have)(?: to do)?(?: (?:about|with|for))+ (?<about>[^:]{1,60}?)`,
  `(?:do i have|is there|have i got|are there|did i (?:put|add)|is|are) (?:any |an? |some )?(?<about>[^:]{1,60}?) (?:on|in) (?:my|the) list(?: already| yet| now)?`,
  `(?:what(?:'?s| is| are| do i have| needs doing| needs to be done)?|which (?:tasks?|ones?) (?:is|are)|show(?: me)? what(?:'?s| is)) ?(?:due|planned|up|on|scheduled)?(?: for| on)? (?<day>(?<=(?:due|planned|up|on|for|scheduled|doing|done) )${DAY})`,
  `(?:is there |do i have )?(?:anything|something)(?: due| to do)?(?: for)? (?<today>${DAY})`,
);
const WHETHER = forms(
  `(?:did|have) i (?:already |ever )?(?<words>.{2,60}?)(?: already| yet)?`,
  `(?:is|are) (?<words>.{2,60}?) (?:already |still )?(?:done|finished|open|left|pending|on (?:my|the) list|on (?:there|it))(?: already| yet)?`,
  `(?:and )?(?:(?:what|how)(?:'?s| is)? about|when(?:'?s| is| was| are| do i have)|what time(?:'?s| is)|where(?:'?s| is| are)|(?:do|did) i (?:still )?(?:have|put|add)) (?<words>.{2,60}?)(?: (?:on|in|to|left)(?: (?:my|the|there)(?: list)?)?)?`,
);
/** "What do I have to buy?": what has this verb. */
const DEEDS = forms(
  `(?:what|who|whom) do i (?:still )?(?:have|need|want) to (?<words>\\p{L}+)(?: (?:today|still|now|yet))?`,
);
const MORE = forms('(?:show |give )?(?:me )?(?:more|the rest|the others|next page)(?: tasks| please)?');
/** Of what this conversation was about last. */
const NEWEST = forms(
  `what (?:did|have) i (?:just |last )?(?:add|added|put)(?: on (?:my|the) list| last| to (?:my|the) list)?`,
  `what did you (?:just )?(?:add|put on (?:my|the) list)`,
  `what(?:'s| is| was) the (?:last|latest|newest) (?:thing|task|item|one)(?: (?:that )?(?:i|you|we) (?:just )?(?:added|put on (?:my|the) list))?`,
);
/** The whole list, where the words alone say little, and in other languages. */
const EVERYTHING = forms(
  `(?:please )?(?:show(?: me)?|list|ls|(?:show|list|read)(?: it| them| that)? again|let me see(?: it| them| what i have)?|what else(?: is there| do i have)?|what (?:do i have|have i got)|(?:what|how)(?:'s| does| is) (?:the|my) list look(?: like)?(?: now)?|where(?:'s| is) my list|what(?:'?s| is) (?:the )?next(?: (?:thing|task|one))?(?: (?:that )?i should do)?|what should i do (?:next|first|now)|is that (?:everything|all))`,
  `(?:bitte )?(?:zeige?|liste|nenne?)(?: mir)?(?: bitte)? (?:(?:meine|die|alle) )+(?:to-?do-?|aufgaben)?(?:liste|aufgaben)(?: an| auf)?|was (?:steht (?:noch )?auf (?:meiner|der) liste|(?:habe|muss) ich (?:heute |noch )*(?:zu )?(?:tun|machen|erledigen))|meine (?:aufgaben|liste)`,
  `(?:montre|affiche|liste)[rz]?(?:-moi)? (?:ma|la|mes|les) (?:liste|tâches)|(?:qu'est-ce que j'ai|qu'ai-je|qu'est-ce qu'il me reste|que me reste-t-il) à faire|(?:qu'est-ce que je|que) dois(?:-je)? faire|mes tâches|ma liste`,
  `(?:muestra(?:me)?|muéstrame|mostrar|enseña|enséñame|ver|lista) (?:mi|la|mis|las) (?:lista|tareas)|¿?qué (?:tengo que|debo|me queda por|tengo por) hacer|¿?qué (?:hay|tengo)(?: apuntado)? en (?:mi|la) lista|mis tareas|mi lista`,
  `(?:mostra(?:mi)?|fammi vedere|visualizza|elenca) (?:(?:la|le|i|mia|mie|miei) )*(?:lista|attività|compiti)|(?:che )?cosa (?:devo|ho da|mi resta da) fare|(?:la mia lista|le mie attività)`,
  `(?:mostr(?:a|e|ar)(?:-me)?|ver|exib[ae]|lista) (?:(?:a|as|minha|minhas) )*(?:lista|tarefas)|o que (?:eu )?(?:tenho|devo|preciso)(?: para| que| de| a)? fazer|(?:as )?minhas tarefas|(?:a )?minha lista`,
  `(?:toon|laat|geef|bekijk)(?: me)? (?:mijn|de) (?:taken)?(?:lijst|taken)(?: zien)?|wat (?:moet|heb) ik (?:nog |vandaag )*(?:te )?doen|wat staat er op (?:mijn|de) lijst|mijn (?:taken|lijst)`,
);
const ARTICLE = /^(?:the|my|on|this|a|an) /i;
const LONGEST = 120;

const plain = (message: string) =>
  message
    .trim()
    .replace(/(?<![\s.?!])[\s.?!]+$/u, '')
    .replace(/\s+/g, ' ');

function asksForNewest(message: string): boolean {
  return message.length <= LONGEST && fits(NEWEST, plain(message));
}

/** A question about the list, which a part of the list answers. */
export function readListQuestion(
  message: string,
  { tasks, recent }: { tasks: readonly KnownTask[]; recent?: string | undefined },
): MessageClause | undefined {
  const text = plain(message);
  const filter =
    text.length > LONGEST
      ? undefined
      : (filterOf(text) ?? newest(text, tasks, recent) ?? whether(text, tasks));
  return (
    filter && {
      text: message.trim(),
      user_intent: { intent_type: 'LIST_TASKS', confidence: 1, extracted_params: {} },
      filter,
      reasons: ['asks about the list'],
    }
  );
}

const fits = (list: readonly RegExp[], text: string) => list.some((form) => form.test(text));

function filterOf(text: string): ListFilter | undefined {
  if (fits(EVERYTHING, text)) return {};
  if (fits(COUNTS, text)) return { status: 'pending', count: true };
  if (fits(OPEN_ONES, text)) return { status: 'pending' };
  if (fits(DONE_ONES, text)) return { status: 'completed' };
  if (fits(MORE, text)) return { more: true };
  const groups = firstGroups(ABOUT, text);
  const words = groups?.['about'] ?? groups?.['day'] ?? groups?.['today'];
  return words === undefined ? undefined : { words: words.replace(ARTICLE, '') };
}

/** The task mentioned last; else the last of the open ones. */
function newest(
  text: string,
  tasks: readonly KnownTask[],
  recent: string | undefined,
): ListFilter | undefined {
  if (!asksForNewest(text)) return undefined;
  const last = tasks.findLast(({ status }) => status === 'pending');
  const task = tasks.find(({ task_id }) => task_id === recent) ?? last;
  return task ? { words: task.description } : {};
}

/** "Did I buy eggs?": only if a task says so. */
function whether(text: string, tasks: readonly KnownTask[]): ListFilter | undefined {
  const groups = firstGroups(WHETHER, text) ?? firstGroups(DEEDS, text);
  const words = groups?.['words'];
  const { content } = wordsOf(words ?? '');
  const isThere = content.size > 0 && tasks.some((task) => isSubset(content, titleWords(task).stems));
  return words !== undefined && isThere ? { words: words.replace(ARTICLE, '') } : undefined;
}

function firstGroups(list: readonly RegExp[], text: string): Record<string, string> | undefined {
  for (const form of list) {
    const groups = form.exec(text)?.groups;
    if (groups) return groups;
  }
  return undefined;
}
