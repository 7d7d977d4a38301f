import { ProxyError } from '../../contract/errors.ts';
import {
  DataSensitivity,
  type IntentDeclaration,
  type OperationType,
  REASON_MAX_LENGTH,
  variantFor,
} from '../../contract/operation.ts';
import { type JsonObject, isObject } from '../../json/index.ts';
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
  run({ operation, parsed, notes }, { config }) {
    notes.intent = checkIntent(operation, parsed.input, config().intent_declaration.operation_type);
  },
});

const FIELDS = ['operation_type', 'data_sensitivity', 'reason'] as const;
type Field = (typeof FIELDS)[number];
type RawIntent = Partial<Record<Field, unknown>>;

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

/** The declared intent for the record, also of a call that is refused: only well-formed values. */
export function declaredIntent(input: unknown): Partial<IntentDeclaration> | undefined {
  if (!isObject(input)) return undefined;
  const nested = isObject(input.intent) ? input.intent : undefined;
  const pick = (field: Field) => present(nested?.[field]) ?? present(input[`intent_${field}`]);
  const [operation, sensitivity, reason] = [pick('operation_type'), pick('data_sensitivity'), pick('reason')];
  const declared: Partial<IntentDeclaration> = {};
  if (isOperation(operation)) declared.operation_type = operation;
  if (isSensitivity(sensitivity)) declared.data_sensitivity = sensitivity;
  if (typeof reason === 'string') declared.reason = shortened(reason);
  return Object.keys(declared).length > 0 ? declared : undefined;
}

/** The first thousand code points; a reason of ten megabytes must not be spread to find them. */
function shortened(reason: string): string {
  if (reason.length <= REASON_MAX_LENGTH) return reason;
  return Array.from(reason.slice(0, 2 * REASON_MAX_LENGTH))
    .slice(0, REASON_MAX_LENGTH)
    .join('');
}

// Plain comparisons: this runs on every call, and a schema would cost more than all other checks together.
function isOperation(value: unknown): value is OperationType {
  return value === 'read' || value === 'write' || value === 'destructive';
}

function isSensitivity(value: unknown): value is DataSensitivity {
  return (DataSensitivity.options as unknown[]).includes(value);
}

function readIntent(input: JsonObject): RawIntent | undefined {
  const nested = present(input.intent);
  if (nested !== undefined && !isObject(nested)) {
    throw new ProxyError(
      'INVALID_ARGUMENTS',
      'intent must be an object with operation_type; or use the flat intent_* parameters',
      {
        field: 'intent',
      },
    );
  }
  const intent: RawIntent = {};
  let given = nested !== undefined;
  for (const field of FIELDS) {
    const inside = present(nested?.[field]);
    const flat = present(input[`intent_${field}`]);
    if (flat !== undefined) given = true;
    if (inside !== undefined && flat !== undefined && inside !== flat) {
      throw new ProxyError(
        'INTENT_CONFLICT',
        `intent.${field} and intent_${field} differ; give one of them, or the same value in both`,
        {
          field,
        },
      );
    }
    const value = inside ?? flat;
    if (value !== undefined) intent[field] = value;
  }
  return given ? intent : undefined;
}

/** Models fill optional text parameters with empty strings; that is "not given". */
function present(value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
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
