import type {
  AgentDecision,
  ChatMessage,
  MessageClause,
  PendingAction,
  TaskChange,
  ToolCall,
  UserIntent,
} from '../contract/chat.ts';
import type { ErrorCode } from '../contract/errors.ts';

/** A task as the list gives it. */
export interface KnownTask {
  task_id: string;
  description: string;
  status: 'pending' | 'completed';
}

/** The list as far as a decision can need it, in the order in which it is shown. */
export interface TaskSnapshot {
  tasks: KnownTask[];
  /** How many the list gave; more than are here where the rest have nothing to do with the message. */
  listed: number;
  /** How many there are; more than were listed where there are very many. */
  total: number;
}

/** One call that a decision makes, and how a person hears of it. */
export interface Step {
  call: Omit<ToolCall, 'sequence'>;
  /** What is said once it is done. */
  done: string;
  /** What a person would say to ask for it (again). */
  wish: string;
}

/** A delete that waits for a yes, and everything that the yes allows. */
export interface PendingDelete extends PendingAction {
  approval_id: string;
  task_status: KnownTask['status'];
  /** What is done on a yes, in order; the delete is among them. */
  steps: Step[];
  /** What else was to be deleted, to be asked for one by one; as a person would say it. */
  next?: string[];
}

/** What the assistant asked, so that a bare answer ("the second one", "yes") is understood. */
export type OpenQuestion = (
  | ({ about: 'COMPLETE_TASK' | 'DELETE_TASK' } & Choice)
  | ({ about: 'UPDATE_TASK'; change?: TaskChange } & Choice)
  | { about: 'UPDATE_TEXT'; task_id: string }
  | { about: 'CREATE_TASK' }
  /** "Should I …?": a yes makes it this request. */
  | { about: 'THIS'; clause: MessageClause }
) & {
  /** What else the message asked for, to be done with what the answer makes clear. */
  before?: MessageClause[];
  after?: MessageClause[];
};

/** The tasks that a question named. */
interface Choice {
  /** How many; their ids are the list last shown. */
  among?: number;
  /** The one that a yes means. */
  only?: string;
}

/** Everything that a decision depends on: time and ids come in with it, so that the same context gives the same decision, byte for byte. */
export interface DecisionContext {
  user_id: string;
  message: string;
  conversation_id: string;
  message_id: string;
  /** ISO 8601. */
  now: string;
  message_history: ChatMessage[];
  pending_confirmation?: PendingDelete;
  /** Ids of the list that was last shown, in its order. */
  shown?: string[];
  /** The one task that the last answer was about. */
  recent?: string;
  question?: OpenQuestion;
  /** The tasks as read for this message. Null: they could not be read. Absent: not read. */
  tasks?: TaskSnapshot | null;
  /** Why they could not be read, where the proxy said no. */
  unread?: ErrorCode;
}

/** What an answer leaves behind for the message after it. */
export interface AnswerState {
  recent?: string;
  question?: OpenQuestion;
  waiting?: PendingDelete;
}

/** What becomes of the delete that was waiting. */
export type PendingOutcome = 'execute' | 'cancel' | 'drop' | 'expire';

/** A decision with its reasons and with what must be remembered of it. */
export interface Decided {
  user_intent: UserIntent;
  decision: AgentDecision;
  because: string[];
  /** What is called beyond reading the list. */
  steps: Step[];
  /** What is said beside what the steps come to. */
  say?: string;
  pending?: PendingOutcome;
  /** The delete to be asked about. */
  asks?: Omit<PendingDelete, 'approval_id'>;
  /** Ids of the list that this answer shows. */
  shown?: string[];
  recent?: string;
  question?: OpenQuestion;
  /** Policy said no. */
  refused?: true;
  /** Not for acting on: the list must be read first. */
  read_first?: true;
}

/** How long a question "shall I delete …?" stays open. */
export const CONFIRMATION_MS = 300_000;
