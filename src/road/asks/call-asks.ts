import { callerMetadata, type Caller } from '../../contract/call.ts';
import { durationMs, type ClientFeatures } from '../../contract/config.ts';
import type { JsonObject } from '../../json/index.ts';
import { RpcFault } from '../../lib/rpc.ts';
import type { OpenRecord, RecordDraft } from '../../log/index.ts';
import { FEATURE_OF, type Feature, type ServerAsk } from '../../upstream/dispatch/dispatch-call.ts';
import { AskRefusal, ended, failed, late, overLimit, rejected, unsupported } from './ask-errors.ts';
import { checkAnswer, checkPermitted, preparedParams } from './check-ask.ts';
import { consentForm, isAllowed, showable } from './consent-form.ts';
import type { GivenAnswer } from './approve-answer.ts';
import type { SamplingBudget } from './sampling-budget.ts';

export interface AskParts {
  activity: { open(draft: RecordDraft): OpenRecord };
  budget: SamplingBudget;
}

export type SendAsk = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export interface AskedCall {
  server: string;
  tool: string;
  caller: Caller;
  /** The record of the call. */
  recordId: string;
  features: ClientFeatures;
  client: { key: string; capabilities: JsonObject };
  /** Sends a request to the client. */
  send: SendAsk;
  /** Waits for the approval of an answer where one is needed; resolves with what the record says about it. Throws an AskRefusal. */
  approve?: (given: GivenAnswer) => Promise<JsonObject | undefined>;
  /** The server asks on and on: the call is ended. */
  onFlood: () => void;
}

type Ask = Pick<ServerAsk, 'method' | 'params' | 'signal' | 'others'>;

/** Requests beyond the limits of a call that have a record each, and how many more there may be until the call is ended. */
const RECORDED_REFUSALS = 10;
const MAX_UNRECORDED = 100;

/** What the server of one call asks of the client of that call: checked, limited, recorded and passed on. */
export class CallAsks {
  readonly #parts: AskParts;
  readonly #call: AskedCall;
  #samplings = 0;
  #questions = 0;
  #total = 0;
  #unrecorded = 0;

  constructor(parts: AskParts, call: AskedCall) {
    this.#parts = parts;
    this.#call = call;
  }

  /** Resolves with the answer of the client. Rejects with an AskRefusal. `send`: another way to the client. */
  async answer(ask: Ask, send: SendAsk = this.#call.send): Promise<JsonObject> {
    const { sampling_per_call: samplings, questions_per_call: questions } = this.#call.features;
    // Counted before anything waits: a server may send thousands at once.
    if (++this.#total > samplings + questions + RECORDED_REFUSALS) return this.#refuseUnrecorded();
    const record = this.#parts.activity.open(this.#draft(ask));
    try {
      // A server learns nothing about a client that is not on record.
      await record.durable();
      const answer = await this.#obtain(ask, (...request) => this.#send(send, request));
      const approval = await this.#call.approve?.({ ...ask, answer });
      for (const other of ask.others ?? []) await other.approve({ ...ask, answer });
      await record.close({
        status: 'success',
        response: answer,
        ...(approval && { metadata: { approval } }),
      });
      return answer;
    } catch (error) {
      const refusal = asRefusal(error);
      const { status, why: error_code, message: error_message } = refusal;
      // The refusal is returned even where it cannot be recorded.
      await record.close({ status, error_code, error_message }).catch(() => {});
      throw refusal;
    }
  }

  /** Records a request that the result of the call takes to the client, which answers with its next request. */
  async passOn(ask: Pick<Ask, 'method' | 'params'>): Promise<JsonObject> {
    const record = this.#parts.activity.open(this.#draft(ask));
    try {
      const params = this.#checked(ask);
      await record.close({ status: 'success', metadata: { answered_by: 'the next request of the client' } });
      return ask.method === 'elicitation/create' ? ask.params : params;
    } catch (error) {
      const { status, why: error_code, message: error_message } = asRefusal(error);
      await record.close({ status, error_code, error_message });
      throw error;
    }
  }

  async #obtain(ask: Ask, send: SendAsk): Promise<JsonObject> {
    const checked = this.#checked(ask);
    const feature = FEATURE_OF[ask.method];
    const needsConsent = this.#call.features[feature] === 'ask';
    const params = needsConsent && feature === 'sampling' ? showable(checked) : checked;
    if (needsConsent) await this.#obtainConsent(feature, { ...ask, params }, send);
    const answer = await send(ask.method, params, ask.signal);
    checkAnswer(ask.method, answer);
    return answer;
  }

  #checked(ask: Pick<Ask, 'method' | 'params'>): JsonObject {
    const { features, client } = this.#call;
    checkPermitted(ask, features, client.capabilities);
    this.#count(FEATURE_OF[ask.method]);
    return preparedParams(ask, this.#call, features);
  }

  #count(feature: Feature): void {
    const { features, server, client } = this.#call;
    const {
      sampling_per_call: perCall,
      sampling_per_minute: perMinute,
      questions_per_call: questions,
    } = features;
    if (feature !== 'sampling') {
      if (++this.#questions > questions)
        throw overLimit(`Over the limit of ${questions} questions within one call`);
      return;
    }
    if (++this.#samplings > perCall)
      throw overLimit(`Over the limit of ${perCall} sampling requests within one call`);
    if (!this.#parts.budget.spend(JSON.stringify([server, client.key]), perMinute))
      throw overLimit(`Over the limit of ${perMinute} sampling requests per minute; try again later`);
  }

  async #obtainConsent(feature: Feature, { method, params, signal }: Ask, send: SendAsk): Promise<void> {
    const { client } = this.#call;
    const form = consentForm(feature, this.#call, params);
    try {
      checkPermitted({ method: 'elicitation/create', params: form }, ALL_ALLOWED, client.capabilities);
    } catch {
      throw unsupported(method, 'a person must allow it, and the client cannot show a form');
    }
    if (!isAllowed(await send('elicitation/create', form, signal))) throw rejected(`${feature} request`);
  }

  async #send(send: SendAsk, [method, params, withdrawn]: Parameters<SendAsk>): Promise<JsonObject> {
    const limitMs = durationMs(this.#call.features.answer_timeout);
    const limit = AbortSignal.timeout(limitMs);
    const signal = AbortSignal.any([withdrawn, limit]);
    try {
      return await send(method, params, signal);
    } catch (error) {
      if (limit.aborted) throw late(limitMs);
      if (withdrawn.aborted) throw ended();
      throw error;
    }
  }

  /** A record for each would let a server fill the log. */
  #refuseUnrecorded(): never {
    if (++this.#unrecorded > MAX_UNRECORDED) this.#call.onFlood();
    throw overLimit('Too many requests to the client within this call');
  }

  #draft({ method, params, others }: Pick<Ask, 'method' | 'params' | 'others'>): RecordDraft {
    const { caller, server, tool, recordId } = this.#call;
    return {
      type: FEATURE_OF[method],
      source: caller.source,
      server_name: server,
      tool_name: tool,
      arguments: params,
      request_id: caller.requestId,
      ...(caller.sessionId && { session_id: caller.sessionId }),
      ...(caller.client && { client: caller.client }),
      metadata: {
        ...callerMetadata(caller),
        call_record: recordId,
        ...(others && { other_calls: others.map((call) => call.recordId) }),
      },
    };
  }
}

const ALL_ALLOWED = { elicitation: 'allow' } as ClientFeatures;

function asRefusal(error: unknown): AskRefusal {
  if (error instanceof AskRefusal) return error;
  if (error instanceof RpcFault) return failed(error.code, error.message);
  return failed(-32603, 'Internal error');
}
