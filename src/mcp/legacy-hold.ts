import type { Approvals } from '../approval/approvals.ts';
import type { Hold } from '../approval/pass.ts';
import type { Approval } from '../contract/approval.ts';
import { ofRequest, type Log } from '../lib/log.ts';
import type { ActiveCall } from './active-call.ts';
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
 * A call of a 2025 client that waits for a person. A client that can show a dialog is shown one; its answer counts only where the operator
 * allows that. A client that leaves has not withdrawn anything: it finds the same approval when it repeats the call.
 */
export class LegacyHold implements Hold {
  readonly #call: ActiveCall;
  readonly #parts: HoldParts;
  #question: Question | undefined;

  constructor(call: ActiveCall, parts: HoldParts) {
    this.#call = call;
    this.#parts = parts;
  }

  /** A person is looking at the dialog: as long as the approval lasts. */
  get waitMs(): number | undefined {
    return this.#counts ? Number.POSITIVE_INFINITY : undefined;
  }

  get #counts(): boolean {
    return this.#parts.forms && this.#parts.approvals.inClient();
  }

  listening(): boolean {
    return !this.#call.aborted && this.#call.reply.listening;
  }

  onHeld(approval: Approval): void {
    const { questions, forms } = this.#parts;
    if (!forms) return;
    const [counts, isWhole] = [this.#counts, isShownWhole(approval)];
    const form = approvalForm(approval, counts && isWhole);
    this.#question = questions.ask(this.#call.reply, 'elicitation/create', form);
    void this.#question?.answer.then((answer) =>
      this.#answered(approval.id, readAnswer(answer, counts, isWhole)),
    );
  }

  onReleased(): void {
    this.#question?.cancel();
  }

  async #answered(id: string, answer: ReturnType<typeof readAnswer>): Promise<void> {
    if (!answer) return;
    try {
      await this.#parts.approvals.answered(id, answer, this.#call.caller);
    } catch (error) {
      // Refused and recorded, or decided elsewhere: the call waits on, or hears of it.
      const about = { err: error, approval: id, ...ofRequest(this.#call.caller) };
      this.#parts.log.debug(about, 'the answer of a client did not count');
    }
  }
}
