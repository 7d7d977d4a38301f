import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { isTypoOf } from '../reply/task-words.ts';

/** What the words around the name of a task ask for. */
export type FrameClass = 'COMPLETE_TASK' | 'DELETE_TASK' | 'UPDATE_TASK';

const set = (text: string) => new Set(text.trim().split(/\s+/));

/** Verbs that are said of tasks more than of anything else: with them some words of a title are enough. */
const PLAIN: Readonly<Record<FrameClass, ReadonlySet<string>>> = {
  DELETE_TASK: set(
    `delete deletes deleting deleted remove removes removing removed erase erasing erased cancel cancelling canceling cancelled canceled rid
     löschen lösche entfernen entferne streichen streiche supprimer supprime supprimez enlever enlève effacer efface retirer retire
     eliminar elimina borrar borra quitar quita cancella cancellare elimina eliminare rimuovi rimuovere togli apagar apaga excluir exclua
     remover remova eliminar verwijder verwijderen wis wissen schrap schrappen`,
  ),
  COMPLETE_TASK: set(
    `complete completed completing finish finished finishing done mark marked marking tick ticked cross crossed
     erledigt erledige erledigen abhaken hake fertig abgehakt terminé terminée terminer termine fini finie fait faite cocher coche
     completar completa completado completada hecho hecha terminado terminada terminar marca marcar completa completare completato
     completata fatto fatta finito finita spunta concluir conclua concluído concluída feito feita concluida concluido
     afgerond klaar gedaan voltooid voltooi afvinken vink markiere markieren marque marquer marquez segna segnare markeer markeren conclui`,
  ),
  UPDATE_TASK: set(
    `rename renaming retitle relabel change changing update updating edit editing modify modifying reword rephrase rewrite revise amend
     ändere ändern umbenennen benenne changer change renommer renomme modifier modifie cambiar cambia renombrar renombra modificar modifica
     cambiare rinomina rinominare modificare mudar muda mude renomear renomeia alterar altera altere wijzig wijzigen verander hernoem
     hernoemen`,
  ),
};

/** Verbs that are said of other things too: only with a whole title. */
const LOOSE: Readonly<Record<FrameClass, ReadonlySet<string>>> = {
  DELETE_TASK: set(
    `drop dropping scrap ditch trash toss eliminate bin discard dump lose kill wipe purge scratch strike axe nuke forget clear unneeded unnecessary obsolete
     irrelevant skip chuck gone del rm`,
  ),
  COMPLETE_TASK: set(
    `did check checked close closed resolve resolved finalize finalized finalise finalised sorted handled accomplished achieved ready
     emoji-yes x over managed`,
  ),
  UPDATE_TASK: set('correct alter reword'),
};

/** Two words that mean one thing. Anything may stand between them. */
const PAIRS: ReadonlyArray<readonly [FrameClass, ReadonlySet<string>, ReadonlySet<string>]> = [
  ['COMPLETE_TASK', set('check tick cross checked ticked crossed mark marked'), set('off out')],
  ['COMPLETE_TASK', set('take took taken taking'), set('care')],
  ['COMPLETE_TASK', set('wrap wrapped wrapping finish finished'), set('up')],
  ['COMPLETE_TASK', set('deal dealt'), set('with')],
  [
    'COMPLETE_TASK',
    set('set put change update move log record flag got get'),
    set('done complete completed finished'),
  ],
  ['DELETE_TASK', set('haal haalt'), set('van')],
  ['DELETE_TASK', set('take get pull knock throw call wipe put toss scratch strike'), set('off out away')],
  ['DELETE_TASK', set('can may could should must needs has'), set('go')],
  [
    'DELETE_TASK',
    set('should must needs has ought'),
    set('removed deleted erased cancelled canceled scrapped gone'),
  ],
  ['COMPLETE_TASK', set('out'), set('way')],
  [
    'DELETE_TASK',
    set('longer not never no'),
    set('need needed want wanted necessary relevant required mind'),
  ],
  ['DELETE_TASK', set('changed change'), set('mind')],
  ['COMPLETE_TASK', set('tick check checkmark'), set('next beside')],
  ['COMPLETE_TASK', set('put'), set('tick check checkmark')],
];

/** Words that ask for nothing by themselves. */
const FILLER = set(
  `the a an my our this that these it its i we you me us is are was were be been being am have has had just already now finally today yesterday
   tonight also too so as of for with from on in to at about task tasks todo todos item items list lists to-do-list reminder entry one thing
   things called named titled please and then all off out up away : - # here completely permanently anymore any more longer do does that's
   care down can could may ok great yay hooray thanks thank go ahead let us want like would need get got any after by there under
   bitte die der das den meine meinen mein aufgabe als ab von liste le la les un une ma mon mes tâche comme de liste s'il vous plaît te el los
   las mi mis tarea como por favor lista il lo i gli mia mio attività come per favore da dalla o os as minha meu tarefa da do het mijn taak van
   mijn lijst alsjeblieft ho ai habe aub af è está es est ist is`,
);

const KINDS = ['COMPLETE_TASK', 'DELETE_TASK', 'UPDATE_TASK'] as const;

/** Belongs to what is said about a task rather than to its name. */
export function isFrameWord(word: string): boolean {
  return FILLER.has(word);
}

export function isPlainVerb(word: string): boolean {
  return KINDS.some((kind) => PLAIN[kind].has(word));
}

/** What the words around a task ask for; undefined if they ask for nothing, for several things, or say more. */
export function classOf(words: readonly string[], isExact: boolean): FrameClass | undefined {
  // "It must go on the list" takes nothing away.
  const isPut = words.includes('on') || words.includes('onto');
  const paired = PAIRS.filter(([, one, other]) => follows(words, one, other) && !(isPut && other.has('go')));
  const rest = words.filter(
    (word) => !FILLER.has(word) && !paired.some(([, one, other]) => one.has(word) || other.has(word)),
  );
  const found = new Set<FrameClass>(paired.map(([kind]) => kind));
  for (const word of rest) {
    const kind =
      KINDS.find((one) => PLAIN[one].has(word) || (isExact && LOOSE[one].has(word))) ??
      (isExact ? KINDS.find((one) => hasSlip(word, one)) : undefined);
    if (kind === undefined) return undefined;
    found.add(kind);
  }
  return found.size === 1 ? [...found][0] : undefined;
}

/** "Markk", "delte": with a whole title a verb may have a slip. */
function hasSlip(word: string, kind: FrameClass): boolean {
  return word.length > 3 && !ACTION_VERBS.has(word) && [...PLAIN[kind]].some((verb) => isTypoOf(word, verb));
}

function follows(words: readonly string[], one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const at = words.findIndex((word) => one.has(word));
  return at >= 0 && words.slice(at + 1).some((word) => other.has(word));
}
