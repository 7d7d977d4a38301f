import type { Approvals, ClientAnswer, WaitHooks } from '../../../approval/index.ts';
import type { Approval } from '../../../contract/approval.ts';
import { ofRequest, type Log } from '../../../lib/log.ts';
import type { ActiveCall } from '../calls.ts';
import { approvalForm, readAnswer } from './approval-form.ts';
import type { ClientRequests, ClientRequest } from './client-requests.ts';

/** The part of approvals that this door uses. */
export type ApprovalsPart = Pick<Approvals, 'inClient' | 'acceptClientAnswer' | 'get'>;

interface WaitParts {
  approvals: ApprovalsPart;
  requests: ClientRequests;
  /** Whether the client can show a form. */
  forms: boolean;
  /** A program answered its form, and no person did: it need not be asked again. */
  onUnattended?: () => void;
  log: Log;
}

/** Nobody reads a form and closes it in this time. */
const AT_ONCE_MS = 300;

/**
 * A pending call of a 2025 client. A form is sent only where the operator lets the person at the client decide, and the client can show
 * one. When the client closes it without a decision the call stays pending, as for a client without forms. A client that leaves has not
 * withdrawn the approval request: it finds the same one when it repeats the call.
 */
export class LegacyWait implements WaitHooks {
  readonly #call: ActiveCall;
  readonly #parts: WaitParts;
  /** Set while the client shows a form. */
  #request: ClientRequest | undefined;

  constructor(call: ActiveCall, parts: WaitParts) {
    this.#call = call;
    this.#parts = parts;
  }

  get waitMs(): number | undefined {
    return this.#call.waitMs;
  }

  get requester(): string | undefined {
    return this.#call.caller.sessionId;
  }

  isAsking(): boolean {
    return this.#request !== undefined;
  }

  isListening(): boolean {
    return !this.#call.aborted && this.#call.reply.listening;
  }

  onPending(approval: Approval, recheck: () => void): void {
    const { requests, forms, approvals } = this.#parts;
    if (!forms || !approvals.inClient()) return;
    const form = approvalForm(approval);
    if (!form) return;
    const request = requests.send(this.#call.reply, 'elicitation/create', form);
    this.#request = request;
    const asked = performance.now();
    void request?.answer.then(async (message) => {
      const answer = readAnswer(message);
      if (answer.approve === undefined && performance.now() - asked < AT_ONCE_MS)
        this.#parts.onUnattended?.();
      await this.#answered(approval.id, answer);
      if (this.#request === request) this.#request = undefined;
      recheck();
    });
  }

  onReleased(): void {
    this.#request?.cancel();
    this.#request = undefined;
  }

  async #answered(id: string, answer: ClientAnswer): Promise<void> {
    try {
      await this.#parts.approvals.acceptClientAnswer(id, answer, this.#call.caller);
    } catch (error) {
      // Refused and recorded, or decided elsewhere: the call stays pending, or gets that decision.
      const about = { err: error, approval: id, ...ofRequest(this.#call.caller) };
      this.#parts.log.debug(about, 'the approval answer of a client was not accepted');
    }
  }
}
