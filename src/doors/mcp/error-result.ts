import type { CallResult } from '../../contract/call.ts';
import { errorForAgent, type ProxyError } from '../../contract/errors.ts';

/** A refusal or failure as a result that the model can read. */
export function errorResult(cause: ProxyError): CallResult {
  const error = errorForAgent(cause);
  return {
    content: [{ type: 'text', text: error.message }],
    structuredContent: error.toBody(),
    isError: true,
  };
}
