import { ProxyError } from '../../contract/errors.ts';
import {
  DataSensitivity,
  type IntentDeclaration,
  type OperationType,
  REASON_MAX_LENGTH,
  variantFor,
} from '../../contract/operation.ts';
import type { JsonObject } from '../../json/index.ts';
import type { CallContext } from '../context.ts';
import {
  isOperation,
  isSensitivity,
  readIntent,
  unknownIntentWarning,
  type RawIntent,
} from '../read-intent.ts';
import { check } from '../step.ts';

export const intent = check({
  name: 'intent',
  does: 'the declared operation must agree with the variant that was called',
  refusals: [
    'MISSING_INTENT',
    'MISSING_OPERATION_TYPE',
    'INVALID_OPERATION_TYPE',
    'INTENT_MISMATCH',
    'INVALID_SENSITIVITY',
    'REASON_TOO_LONG',
    'INTENT_CONFLICT',
    'INVALID_ARGUMENTS',
  ],
  run(call, { config }) {
    const { request, operation, parsed, notes } = call;
    const settings = config();
    // The first check that can warn: warnings of an earlier run of the checks no longer apply.
    if (notes.warnings) delete notes.warnings;
    if (request.intentSource === 'verdict') {
      const reason = request.reason === undefined ? undefined : checkReason(request.reason);
      checkDirect(call, settings.direct?.destructive);
      notes.intent = { operation_type: operation, ...(reason !== undefined && { reason }) };
      notes.intent_source = 'verdict';
      return;
    }
    call.remark = unknownIntentWarning(parsed.input);
    if (call.remark !== undefined) call.warn(call.remark);
    notes.intent = checkIntent(operation, parsed.input, settings.intent_declaration.operation_type);
  },
});

/** In direct mode nobody declares an operation; the operator can require that for destructive tools. */
function checkDirect({ operation, tool }: CallContext, destructive: 'allow' | 'variants' = 'allow'): void {
  if (operation !== 'destructive' || destructive === 'allow') return;
  throw new ProxyError(
    'MISSING_INTENT',
    `Tool '${tool.name}' is destructive and must not be called directly (direct.destructive is "variants"): use call_tool_destructive with name "${tool.name}" and intent_operation_type "destructive"`,
    { tool: tool.name, tool_variant: variantFor(operation), expected: operation },
  );
}

/**
 * The operation of the variant that was called and the operation that the call declares must agree.
 * Accepts the nested `intent` object, the flat `intent_*` parameters, or both where they are equal.
 */
export function checkIntent(
  chosen: OperationType,
  input: JsonObject,
  mode: 'required' | 'inferred',
): IntentDeclaration {
  const raw = readIntent(input);
  const operation = checkOperation(chosen, raw, mode);
  const intent: IntentDeclaration = { operation_type: operation };
  if (raw?.data_sensitivity !== undefined) intent.data_sensitivity = checkSensitivity(raw.data_sensitivity);
  if (raw?.reason !== undefined) intent.reason = checkReason(raw.reason);
  return intent;
}

function checkOperation(
  expected: OperationType,
  raw: RawIntent | undefined,
  mode: 'required' | 'inferred',
): OperationType {
  const variant = variantFor(expected);
  const declared = raw?.operation_type;
  if (declared === undefined) {
    if (mode === 'inferred') return expected;
    if (raw === undefined) {
      throw new ProxyError('MISSING_INTENT', `intent parameter is required for ${variant}`, {
        tool_variant: variant,
        expected,
      });
    }
    throw new ProxyError('MISSING_OPERATION_TYPE', 'intent.operation_type is required', {
      tool_variant: variant,
      expected,
    });
  }
  if (!isOperation(declared)) {
    throw new ProxyError(
      'INVALID_OPERATION_TYPE',
      `Invalid intent.operation_type '${shown(declared)}': must be read, write, or destructive`,
      { tool_variant: variant, expected },
    );
  }
  if (declared !== expected) {
    throw new ProxyError(
      'INTENT_MISMATCH',
      `Intent mismatch: tool is ${variant} but intent declares ${declared}`,
      {
        tool_variant: variant,
        expected,
        declared,
      },
    );
  }
  return declared;
}

function checkSensitivity(value: unknown): DataSensitivity {
  if (isSensitivity(value)) return value;
  throw new ProxyError(
    'INVALID_SENSITIVITY',
    `Invalid intent.data_sensitivity '${shown(value)}': must be public, internal, private, or unknown`,
    { allowed: DataSensitivity.options },
  );
}

function checkReason(value: unknown): string {
  if (typeof value !== 'string')
    throw new ProxyError('INVALID_ARGUMENTS', 'intent.reason must be text', { field: 'reason' });
  // Code points, not UTF-16 units. The length test first keeps a 10 MB reason from being spread.
  if (value.length > 2 * REASON_MAX_LENGTH || [...value].length > REASON_MAX_LENGTH) {
    throw new ProxyError(
      'REASON_TOO_LONG',
      `intent.reason exceeds maximum length of ${REASON_MAX_LENGTH} characters`,
      {
        limit: REASON_MAX_LENGTH,
      },
    );
  }
  return value;
}

function shown(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))).slice(0, 100);
}
