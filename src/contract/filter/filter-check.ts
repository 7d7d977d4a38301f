import { z } from 'zod';
import { timeOf, TIME_EXAMPLES } from '../time.ts';
import { FilterTextError, parseFilterText, type Clause, type ClauseField } from './filter-text.ts';

/** The only values that a field can have. */
export type ClauseValues = Partial<Record<ClauseField, readonly string[]>>;

/** Why a text is no filter; undefined where it is one. */
export function filterProblem(text: string, allowed: ClauseValues): string | undefined {
  try {
    const { clauses, since, until } = parseFilterText(text);
    const problems = clauses.map((clause) => valueProblem(clause, allowed[clause.field]));
    return problems.find(Boolean) ?? timeProblem('since', since) ?? timeProblem('until', until);
  } catch (error) {
    if (error instanceof FilterTextError) return error.message;
    throw error;
  }
}

function valueProblem({ field, values }: Clause, allowed?: readonly string[]): string | undefined {
  const wrong = allowed && values.find((value) => !allowed.includes(value));
  return wrong === undefined
    ? undefined
    : `"${field}:${wrong.slice(0, 50)}" matches nothing. Values are ${allowed!.join(', ')}`;
}

function timeProblem(name: string, text: string | undefined): string | undefined {
  if (text === undefined || timeOf(text, { now: 0, edge: 'start', zone: 'utc' }) !== undefined)
    return undefined;
  return `"${name}:${text.slice(0, 50)}" is no time. Examples: ${TIME_EXAMPLES}`;
}

export const filterTextSchema = (allowed: ClauseValues) =>
  z
    .string()
    .max(2000)
    .superRefine((text, context) => {
      const problem = filterProblem(text, allowed);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });
