import type { ModelClass } from '../../../src/assistant/model/model.ts';
import type { Said } from './formats.ts';

/** What a sentence counts as here; undefined: it is left out. */
export type Labelling = (said: Said) => ModelClass | undefined;

const REMINDS = /\bremind|\breminder/;
const TAKES_OFF =
  /\b(?:remove|removed|delete|deleted|erase|erased|clear|cleared|take|taken|get rid|cancel|drop|wipe|scratch|empty|reset|start over|off of|no longer|eliminate)\b/;
const ADDS =
  /\b(?:add|added|put|append|include|included|insert|note|write|place|need|jot|set|placed|make|create|throw)\b/;
const DONE =
  /\b(?:done|finished|completed|complete|mark(?! down)|marked|check off|checked off|check|cross|crossed|tick)\b/;

/** Sources with one name for every change of a list: the verb tells which change it is; two verbs tell nothing. */
function changed({ text }: Said): ModelClass | undefined {
  const [off, on, done] = [TAKES_OFF.test(text), ADDS.test(text), DONE.test(text)];
  if (off) return on || done ? undefined : 'DELETE_TASK';
  if (done) return on ? undefined : 'COMPLETE_TASK';
  return on ? 'CREATE_TASK' : undefined;
}

const ANSWERS = new Set(['yes', 'no', 'maybe', 'cancel', 'repeat']);
const CALENDAR = new Set(['calendar', 'calendar_update', 'schedule_meeting', 'meeting_schedule']);
export const clinc: Labelling = (said) => {
  const { intent } = said;
  if (intent === 'reminder' || intent === 'todo_list' || intent === 'shopping_list') return 'LIST_TASKS';
  if (intent === 'reminder_update') return 'CREATE_TASK';
  if (intent === 'todo_list_update' || intent === 'shopping_list_update') return changed(said);
  return ANSWERS.has(intent) || CALENDAR.has(intent) ? undefined : 'GENERAL_CHAT';
};

const NEW_LIST =
  /\b(?:create|make|start|begin|open|prepare|generate|new|set up|build|want|need|do)\b.*\blists?\b|^list|^new list/;
const ONTO = /\b(?:add|put|append|include|insert|write|place)\b/;
/** What voice assistants are asked for. Reminders lie in their calendars; whatever else lies there is neither ours nor surely not ours. */
export const voice: Labelling = ({ intent, text }) => {
  if (intent === 'lists_query') return 'LIST_TASKS';
  if (intent === 'lists_remove') return 'DELETE_TASK';
  if (intent === 'lists_createoradd')
    return ONTO.test(text) && !(NEW_LIST.test(text) && !/\b(?:to|on|in|into) (?:my|the|our)\b/.test(text))
      ? 'CREATE_TASK'
      : undefined;
  if (intent.startsWith('calendar_')) return REMINDS.test(text) ? REMINDERS[intent] : undefined;
  return /^general_(?:affirm|negate|confirm|dontcare|repeat|explain|commandstop)/.test(intent)
    ? undefined
    : 'GENERAL_CHAT';
};
const REMINDERS: Readonly<Record<string, ModelClass>> = {
  calendar_set: 'CREATE_TASK',
  calendar_query: 'LIST_TASKS',
  calendar_remove: 'DELETE_TASK',
};

const TODO: Readonly<Record<string, ModelClass>> = {
  AddToDo: 'CREATE_TASK',
  DeleteToDo: 'DELETE_TASK',
  MarkToDo: 'COMPLETE_TASK',
  ShowToDo: 'LIST_TASKS',
};
/** A to-do skill among others. "Add a new list" is not about a task, and a calendar only counts where it is named. */
export const bots: Labelling = ({ intent, text }) => {
  const [file = '', name = ''] = intent.split('.');
  if (file === 'ToDo') return /\bnew \w* ?list\b/.test(text) ? undefined : TODO[name];
  if (
    file === 'Calendar' &&
    !/\b(?:calendar|meetings?|events?|appointments?|room|invite|attendees?)\b/.test(text)
  )
    return undefined;
  return /^(?:Cancel|Confirm|Reject|Select\w+|Stop|FinishTask|ConfirmMessages|CancelMessages|None|ExtractName)$/.test(
    name,
  )
    ? undefined
    : 'GENERAL_CHAT';
};

export const home: Labelling = (said) => {
  if (said.intent.endsWith('AddItem')) return 'CREATE_TASK';
  if (said.intent.endsWith('CompleteItem')) return changed(said);
  return said.intent === 'HassNevermind' ? undefined : 'GENERAL_CHAT';
};

const SKILLS: Readonly<Record<string, ModelClass>> = {
  add_todos: 'CREATE_TASK',
  view_list: 'LIST_TASKS',
  view_lists: 'LIST_TASKS',
  delete_list: 'DELETE_TASK',
};
const LEFT_OUT = /create_list|rename_list|uncheck|help/;
/** An assistant with a to-do skill; whole lists are not made or renamed here, and what is done is told from what is taken off by the verb. */
export const skills: Labelling = (said) => {
  if (said.intent === 'complete_todos') return changed(said);
  return SKILLS[said.intent] ?? (LEFT_OUT.test(said.intent) ? undefined : 'GENERAL_CHAT');
};

export const talk: Labelling = ({ intent }) => (/affirm|deny/.test(intent) ? undefined : 'GENERAL_CHAT');
