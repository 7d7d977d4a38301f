import { nameParts, type Inference } from './inference.ts';
import { firstSentence } from '../search/tool-text.ts';
import { verbOperation } from './verbs.ts';

const set = (text: string): Set<string> => new Set(text.split(' '));

/** Words of a name that say that the tool runs what the caller writes. */
const EXECUTES = set('shell exec execute eval bash zsh terminal cmd powershell sudo subprocess repl');
const RUNS = set('run evaluate execute eval invoke send do query');
const PROGRAMS = set(
  'code command commands script scripts sql python javascript js cypher unsafe generic graphql mutation',
);
/** Parameters that hold a program whatever the tool is called, and those that do so unless its name begins with a reading verb. */
const ALWAYS_PROGRAM = set('cypher cmd shell mutation powershell');
const MOSTLY_PROGRAM = set('command commands script statement statements javascript');
const SQL_PARAMETER = /^(?:raw )?sql(?: (?:query|statement|text|command|string|code))?$/;
const SHELL_PARAMETER = /^(?:shell|bash|terminal|console) command$/;
const ABOUT_PROGRAMS = set('explain validate lint parse format analyze analyse translate check describe');

const PROGRAM_TEXT =
  /\b(?:execut|run|evaluat)(?:e|es|s|ing)?\s+(?:(?:an?|the|any|arbitrary|custom|raw|multiple|given)\s+)*(?:\w+\s+)?(?:sql|javascript|python|shell|bash|terminal|cypher|graphql|code|scripts?|commands?|statements?)\b|\barbitrary\s+(?:code|commands?|sql|javascript|python|graphql|quer(?:y|ies))\b|\bgraphql\s+(?:quer(?:y|ies)\s+(?:and|or)\s+)?mutations?\b/i;
/** The claim must be about the program that is run, not about the tool in general. */
const READ_ONLY_TEXT =
  /\bread[- ]only\s+(?:\w+\s+){0,2}(?:quer(?:y|ies)|sql|cypher|statements?|transactions?|access|connection|mode|commands?)\b|\bonly\s+select\b|\bselect\s+(?:(?:queries|statements)\s+)?only\b/i;
/** "Query" reads, unless the query language can do more. */
const QUERY_LANGUAGES = /\b(?:sql|cypher|sparql|kql|graphql|flux|mongodb\s+command)\b/i;
/** Databases whose query language can do more: such a tool takes any statement unless it says otherwise. */
const DATABASES = set(
  'sql postgres postgresql mysql mariadb sqlite mssql sqlserver oracle snowflake bigquery redshift athena clickhouse duckdb databricks trino presto cockroachdb spanner synapse db hive teradata neo cassandra influxdb supabase planetscale neon turso',
);

/** A tool that takes a program can do anything, so it counts as destructive. */
export function runsPrograms(
  parts: string[],
  description: string,
  parameters: string[],
): Inference | undefined {
  const summary = firstSentence(description);
  const executes = parts.some((part) => EXECUTES.has(part));
  const named =
    executes || (parts.some((part) => RUNS.has(part)) && parts.some((part) => PROGRAMS.has(part)));
  const taken = programParameter(parts, parameters);
  if (!named && !taken && !PROGRAM_TEXT.test(summary) && !queriesFreely(parts, description)) return undefined;
  if (!executes && READ_ONLY_TEXT.test(summary))
    return { operation: 'read', reason: 'its description says that what it runs is read-only' };
  const reason = taken
    ? `it runs what the caller writes in "${taken.slice(0, 40)}"`
    : 'it runs commands, code or queries that the caller writes';
  return { operation: 'destructive', reason };
}

function queriesFreely(parts: string[], description: string): boolean {
  const lead = parts.find((part) => verbOperation(part) !== undefined);
  if (lead !== 'query' || /\bselect\b/i.test(firstSentence(description))) return false;
  return QUERY_LANGUAGES.test(description.slice(0, 600)) || parts.some((part) => DATABASES.has(part));
}

function programParameter(parts: string[], parameters: string[]): string | undefined {
  const lead = parts.find((part) => verbOperation(part) !== undefined || ABOUT_PROGRAMS.has(part)) ?? '';
  if (ABOUT_PROGRAMS.has(lead)) return undefined;
  const reads = verbOperation(lead) === 'read';
  return parameters.slice(0, 64).find((name) => {
    const parameter = nameParts(name).join(' ');
    if (ALWAYS_PROGRAM.has(parameter) || SQL_PARAMETER.test(parameter) || SHELL_PARAMETER.test(parameter))
      return true;
    return !reads && MOSTLY_PROGRAM.has(parameter);
  });
}
