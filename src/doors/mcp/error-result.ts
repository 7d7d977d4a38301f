import type { CallResult } from '../../contract/call.ts';
import { errorForAgent, type ProxyError } from '../../contract/errors.ts';

/** A refusal or failure as a result that the model can read. */
export function errorResult(cause: ProxyError): CallResult & { structuredContent: { error: unknown } } {
  const error = errorForAgent(cause);
  return {
    content: [{ type: 'text', text: error.message }],
    structuredContent: error.toBody(),
    isError: true,
  };
}

/** The key of `_meta` with the machine-readable error. */
const ERROR_KEY = 'mcpproxy/error';

/**
 * The same for a tool that may have an output schema: clients check the structured content against it, of an error too, so the details are
 * in `_meta`.
 */
export function errorBesideSchema(cause: ProxyError): CallResult {
  const { structuredContent, ...result } = errorResult(cause);
  return { ...result, _meta: { [ERROR_KEY]: structuredContent.error } };
}
