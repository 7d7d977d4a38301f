import type { Approvals, ClientAnswer, Hold } from '../../../approval/index.ts';
import type { Approval } from '../../../contract/approval.ts';
import { ofRequest, type Log } from '../../../lib/log.ts';
import type { ActiveCall } from '../active-call.ts';
import { approvalForm, isShownWhole, readAnswer } from './approval-form.ts';
import type { ClientQuestions, Question } from './client-questions.ts';

/** What the doors need of approvals. */
export type ApprovalsPart = Pick<Approvals, 'inClient' | 'answered' | 'get'>;

interface HoldParts {
  approvals: ApprovalsPart;
  questions: ClientQuestions;
  /** Whether the client can show a form. */
  forms: boolean;
  log: Log;
}

/**
 * A call of a 2025 client that waits for a person. A dialog is sent only where the operator lets the person at the client decide, and the
 * client can show one. When the client closes it without a decision the call waits on, as for a client without dialogs. A client that
 * leaves has not withdrawn anything: it finds the same approval when it repeats the call.
 */
export class LegacyHold implements Hold {
  readonly #call: ActiveCall;
  readonly #parts: HoldParts;
  /** There while the client shows a dialog. */
  #question: Question | undefined;

  constructor(call: ActiveCall, parts: HoldParts) {
    this.#call = call;
    this.#parts = parts;
  }

  isAsking(): boolean {
    return this.#question !== undefined;
  }

  listening(): boolean {
    return !this.#call.aborted && this.#call.reply.listening;
  }

  onHeld(approval: Approval, recheck: () => void): void {
    const { questions, forms, approvals } = this.#parts;
    if (!forms || !approvals.inClient()) return;
    const isWhole = isShownWhole(approval);
    const form = approvalForm(approval, isWhole);
    const question = questions.ask(this.#call.reply, 'elicitation/create', form);
    this.#question = question;
    void question?.answer.then(async (answer) => {
      await this.#answered(approval.id, readAnswer(answer, isWhole));
      if (this.#question === question) this.#question = undefined;
      recheck();
    });
  }

  onReleased(): void {
    this.#question?.cancel();
    this.#question = undefined;
  }

  async #answered(id: string, answer: ClientAnswer): Promise<void> {
    try {
      await this.#parts.approvals.answered(id, answer, this.#call.caller);
    } catch (error) {
      // Refused and recorded, or decided elsewhere: the call waits on, or hears of it.
      const about = { err: error, approval: id, ...ofRequest(this.#call.caller) };
      this.#parts.log.debug(about, 'the answer of a client did not count');
    }
  }
}
