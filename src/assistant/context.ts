import type {
  AgentDecision,
  ChatMessage,
  ListFilter,
  MessageClause,
  PendingAction,
  TaskChange,
  ToolCall,
  UserIntent,
} from '../contract/chat.ts';
import type { ErrorCode } from '../contract/errors.ts';

/** A task of the list. */
export interface KnownTask {
  task_id: string;
  description: string;
  status: 'pending' | 'completed';
}

/** The tasks that a decision may need, in display order. */
export interface TaskSnapshot {
  tasks: KnownTask[];
  /** How many tasks were read. `tasks` holds fewer if the rest do not match the message. */
  listed: number;
  /** How many tasks exist; not all are read if there are very many. */
  total: number;
}

/** One call of a decision, and the words for it. */
export interface Step {
  call: Omit<ToolCall, 'sequence'>;
  /** The reply once it is done. */
  done: string;
  /** What a person would say to ask for it (again). */
  wish: string;
  /** Of a list: which part of it to show. `shown`: how many were shown before. */
  filter?: ListFilter & { shown?: string[] };
  /** The intent that led to it, if the message has another one: an answer, or one of several requests. */
  intent?: UserIntent;
}

/** A task that a question asks to delete, as it was shown. Each has its own approval. */
export interface PendingTarget {
  task_id: string;
  task_description: string;
  task_status: KnownTask['status'];
  approval_id: string;
}

/** A pending delete, and everything that a yes allows. */
export interface PendingDelete extends PendingAction, PendingTarget {
  /** What runs on a yes, in order; includes the deletes. */
  steps: Step[];
  /** Something else was said since the question: a weak yes (“ok”) is not enough. */
  reminded?: true;
  /** Other tasks that the same question asks to delete. */
  others?: PendingTarget[];
}

/** A pending delete before its approvals are requested. */
export type DeleteQuestion = Omit<PendingDelete, 'approval_id' | 'others'> & {
  others?: Array<Omit<PendingTarget, 'approval_id'>>;
};

/** What the assistant asked, to understand a short answer ("the second one", "yes"). */
export type OpenQuestion = (
  | ({ about: 'COMPLETE_TASK' | 'DELETE_TASK' } & Choice)
  | ({ about: 'UPDATE_TASK'; change?: TaskChange } & Choice)
  | { about: 'UPDATE_TEXT'; task_id: string }
  | { about: 'CREATE_TASK' }
  /** "Should I …?": a yes requests this clause. */
  | { about: 'THIS'; clause: MessageClause }
) & {
  /** The other requests of the message, to run together with the clarified one. */
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

/** Everything that a decision depends on, including time and ids: the same context gives the same decision, byte for byte. */
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
  /** The error code, if the proxy refused to read them. */
  unread?: ErrorCode;
  /** What takes the last change back, in order. */
  undo?: Step[];
  /** The credential does not permit deletes. */
  may_delete?: false;
  /** How long a question before a delete stays open. */
  confirmation_ms?: number;
}

/** State that an answer leaves for the next message. */
export interface AnswerState {
  recent?: string;
  question?: OpenQuestion;
  waiting?: PendingDelete;
  undo?: Step[];
}

/** What happens to the pending delete. */
export type PendingOutcome = 'execute' | 'cancel' | 'drop' | 'expire';

/** A decision, its reasons, and the state to remember. */
export interface Decided {
  user_intent: UserIntent;
  decision: AgentDecision;
  because: string[];
  /** The calls, without reading the list. */
  steps: Step[];
  /** Text of the reply in addition to the results of the steps. */
  say?: string;
  pending?: PendingOutcome;
  /** The delete to confirm. */
  asks?: DeleteQuestion;
  /** Ids of the list that this answer shows. */
  shown?: string[];
  recent?: string;
  question?: OpenQuestion;
  /** Refused by policy. */
  refused?: true;
  /** Do not execute: the list must be read first. */
  read_first?: true;
}

/** Time-out of the question "shall I delete …?". */
export const CONFIRMATION_MS = 300_000;
