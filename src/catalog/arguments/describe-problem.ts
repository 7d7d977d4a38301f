import type { ErrorObject } from 'ajv';

const MAX_VALUE = 60;
const MAX_VALUES = 12;

/** "/labels/0 must be string": where, as a JSON pointer, and what. */
export function describeProblem({
  instancePath,
  keyword,
  params,
  message = 'is not valid',
}: ErrorObject): string {
  const where = instancePath === '' ? 'arguments' : shortened(instancePath, 200);
  return `${where} ${describe(keyword, params as Record<string, unknown>, message)}`;
}

function describe(keyword: string, params: Record<string, unknown>, message: string): string {
  switch (keyword) {
    case 'enum':
      return `must be one of ${listed(params.allowedValues)}`;
    case 'const':
      return `must be ${shortened(JSON.stringify(params.allowedValue), MAX_VALUE)}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `must not have the property ${quoted(params.additionalProperty ?? params.unevaluatedProperty)}`;
    case 'required':
      return `must have the property ${quoted(params.missingProperty)}`;
    default:
      return shortened(message, 200);
  }
}

function listed(values: unknown): string {
  const all = Array.isArray(values) ? (values as unknown[]) : [];
  const shown = all.slice(0, MAX_VALUES).map((value) => shortened(JSON.stringify(value), MAX_VALUE));
  return shown.join(', ') + (all.length > MAX_VALUES ? ', …' : '');
}

function quoted(value: unknown): string {
  return shortened(JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value)), MAX_VALUE);
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
