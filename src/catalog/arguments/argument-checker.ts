import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import { linearPattern } from '../../lib/pattern.ts';
import { prepareSchema, STEP, UnusableSchema, type Dialect, type PreparedSchema } from './argument-schema.ts';
import { describeProblem } from './describe-problem.ts';

export type ArgumentCheck =
  | { result: 'valid' }
  | { result: 'invalid'; problems: string[] }
  /** The arguments could not be checked, so they are not refused. */
  | { result: 'unchecked'; why: string };

export interface ArgumentChecker {
  check(inputSchema: Record<string, unknown>, args: Record<string, unknown>): ArgumentCheck;
  /** Loads the validator before the first call needs it. */
  warmUp(): void;
}

const MAX_COMPILED = 1000;
const MAX_STEPS = 20_000;
const MAX_STEPS_FOR_REPORT = 2000;
const MAX_PROBLEMS = 5;
const VALID: ArgumentCheck = { result: 'valid' };

interface Compiled {
  prepared: PreparedSchema;
  validate: ValidateFunction;
  /** Finds all problems; made when there is a first one. */
  report?: ValidateFunction;
}

/**
 * Checks arguments against a tool's own JSON Schema. A schema is compiled at the first call of its tool and kept for the most recently called
 * tools. The arguments are never changed: no defaults, no conversion. A schema that is too large, too deep or malformed refuses nothing.
 */
export function createArgumentChecker({ maxCompiled = MAX_COMPILED } = {}): ArgumentChecker {
  const compiled = new Map<object, Compiled | ArgumentCheck>();
  /** The last in the order of use. */
  let newest: object | undefined;

  function compiledFor(inputSchema: Record<string, unknown>): Compiled | ArgumentCheck {
    const known = compiled.get(inputSchema);
    if (known && inputSchema === newest) return known;
    newest = inputSchema;
    if (known) compiled.delete(inputSchema);
    else if (compiled.size >= maxCompiled) compiled.delete(compiled.keys().next().value!);
    const entry = known ?? prepare(inputSchema);
    compiled.set(inputSchema, entry);
    return entry;
  }

  return {
    check(inputSchema, args) {
      const entry = compiledFor(inputSchema);
      if ('result' in entry) return entry;
      try {
        if (bounded(entry.validate, args, MAX_STEPS)) return VALID;
        const given = withoutOptionalNulls(inputSchema, args);
        return given && bounded(entry.validate, given, MAX_STEPS) ? VALID : invalid(entry, given ?? args);
      } catch (error) {
        return { result: 'unchecked', why: whyUnchecked(error) };
      }
    },
    warmUp: () => void validatorFor('2020-12', {}),
  };
}

/** Models write null for an optional parameter that they omit, and servers accept that. Only for the check: null is sent. */
function withoutOptionalNulls(
  { required, properties }: Record<string, unknown>,
  args: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (typeof properties !== 'object' || properties === null) return undefined;
  const needed = Array.isArray(required) ? required : [];
  const optional = (key: string) => Object.hasOwn(properties, key) && !needed.includes(key);
  const given = Object.entries(args).filter(([key, value]) => value !== null || !optional(key));
  return given.length < Object.keys(args).length ? Object.fromEntries(given) : undefined;
}

function prepare(inputSchema: Record<string, unknown>): Compiled | ArgumentCheck {
  try {
    const prepared = prepareSchema(inputSchema);
    return { prepared, validate: compile(prepared, false) };
  } catch (error) {
    const why = error instanceof UnusableSchema ? error.message : 'its schema is malformed';
    return { result: 'unchecked', why };
  }
}

function compile({ dialect, schema }: PreparedSchema, allErrors: boolean): ValidateFunction {
  // One instance per schema: the definitions of one server must not be visible to the schema of another.
  return validatorFor(dialect, { allErrors }).compile(schema);
}

function invalid(entry: Compiled, args: unknown): ArgumentCheck {
  const first = entry.validate.errors ?? [];
  return { result: 'invalid', problems: problemsOf(allErrors(entry, args) ?? first) };
}

/** Undefined if collecting all problems takes too long; then the first one is reported. */
function allErrors(entry: Compiled, args: unknown): ErrorObject[] | null | undefined {
  try {
    entry.report ??= compile(entry.prepared, true);
    bounded(entry.report, args, MAX_STEPS_FOR_REPORT);
    return entry.report.errors;
  } catch {
    // Too many steps: the first problem is known already.
    return undefined;
  }
}

function problemsOf(errors: readonly ErrorObject[]): string[] {
  return [...new Set(errors.slice(0, 100).map(describeProblem))].slice(0, MAX_PROBLEMS);
}

class TooManySteps extends Error {}
let stepsLeft = 0;

/** References may double the work at every level, so the steps are counted during validation. */
function bounded(validate: ValidateFunction, args: unknown, steps: number): boolean {
  stepsLeft = steps;
  return validate(args);
}

function step(): boolean {
  return spend(1);
}

function spend(steps: number): boolean {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new TooManySteps();
  return true;
}

/** Visiting a state of a pattern is far cheaper than a step of the validator. */
const STATES_PER_STEP = 50;

function countedPattern(source: string) {
  const pattern = linearPattern(source)!;
  return {
    test: (text: string) => spend(1 + (text.length * pattern.size) / STATES_PER_STEP) && pattern.test(text),
    toString: () => pattern.toString(),
  };
}

function whyUnchecked(error: unknown): string {
  return error instanceof TooManySteps || error instanceof RangeError
    ? 'checking them takes too long'
    : error instanceof Error
      ? error.message
      : 'checking them failed';
}

const require = createRequire(import.meta.url);
type Validator = new (options: Options) => Ajv;
/** Each name is written out where it is loaded, so that the build finds it and takes it into the program. */
const VALIDATORS: Record<Dialect, () => unknown> = {
  '2020-12': () => require('ajv/dist/2020.js') as unknown,
  '2019-09': () => require('ajv/dist/2019.js') as unknown,
  'draft-07': () => require('ajv') as unknown,
};

/** Loaded at the first use: most commands never need it, and loading it is slow. */
function validatorFor(dialect: Dialect, options: Options): Ajv {
  const { default: Validator } = VALIDATORS[dialect]() as { default: Validator };
  const pattern = Object.assign(countedPattern, { code: '' });
  const validator = new Validator({
    strict: false,
    meta: false,
    logger: false,
    validateSchema: false,
    validateFormats: false,
    inlineRefs: false,
    ownProperties: true,
    code: { regExp: pattern },
    ...options,
  });
  // Before all keywords that hold subschemas, so that every step is counted.
  validator.addKeyword({ keyword: STEP, before: '$ref', schema: false, errors: false, validate: step });
  return validator;
}
