import type { Inference } from './infer-operation.ts';
import { verbOperation } from './verbs.ts';

const set = (text: string): Set<string> => new Set(text.split(' '));

/** Words of a name that mean: whatever the caller writes is run. */
const EXECUTES = set('shell exec execute eval bash zsh terminal cmd powershell sudo subprocess repl');
const RUNS = set('run evaluate execute eval invoke send do query');
const PROGRAMS = set('code command commands script scripts sql python javascript js cypher unsafe generic');
/** Parameters that hold a program whatever the tool is called, and those that do so unless its name begins with a reading verb. */
const ALWAYS_PROGRAM = set('sql cypher cmd shell shell_command bash_command');
const MOSTLY_PROGRAM = set('command commands script');
const ABOUT_PROGRAMS = set('explain validate lint parse format analyze analyse translate check describe');

const PROGRAM_TEXT =
  /\b(?:execut|run|evaluat)(?:e|es|s|ing)?\s+(?:(?:an?|the|any|arbitrary|custom|raw|multiple|given)\s+)*(?:\w+\s+)?(?:sql|javascript|python|shell|bash|terminal|cypher|code|scripts?|commands?|statements?)\b|\barbitrary\s+(?:code|commands?|sql|javascript|python)\b/i;
/** A claim is only believed where it is about what is run, not about the tool in passing. */
const READ_ONLY_TEXT =
  /\bread[- ]only\s+(?:\w+\s+){0,2}(?:quer(?:y|ies)|sql|cypher|statements?|transactions?|access|connection|mode|commands?)\b|\bonly\s+select\b|\bselect\s+(?:(?:queries|statements)\s+)?only\b/i;
/** "Query" is reading, unless what is queried with is a language that can do more. */
const QUERY_LANGUAGES = /\b(?:sql|cypher|sparql|kql|mongodb\s+command)\b/i;

/** A tool that takes a program does whatever the program says, so it is held to the worst. */
export function runsPrograms(parts: string[], summary: string, parameters: string[]): Inference | undefined {
  const executes = parts.some((part) => EXECUTES.has(part));
  const named =
    executes || (parts.some((part) => RUNS.has(part)) && parts.some((part) => PROGRAMS.has(part)));
  const taken = programParameter(parts, parameters);
  if (!named && !taken && !PROGRAM_TEXT.test(summary) && !queriesFreely(parts, summary)) return undefined;
  if (!executes && READ_ONLY_TEXT.test(summary))
    return { operation: 'read', reason: 'its description says that what it runs is read-only' };
  const reason = taken
    ? `it runs what the caller writes in "${taken.slice(0, 40)}"`
    : 'it runs commands, code or queries that the caller writes';
  return { operation: 'destructive', reason };
}

function queriesFreely(parts: string[], summary: string): boolean {
  const lead = parts.find((part) => verbOperation(part) !== undefined);
  return lead === 'query' && QUERY_LANGUAGES.test(summary) && !/\bselect\b/i.test(summary);
}

function programParameter(parts: string[], parameters: string[]): string | undefined {
  const lead = parts.find((part) => verbOperation(part) !== undefined || ABOUT_PROGRAMS.has(part)) ?? '';
  if (ABOUT_PROGRAMS.has(lead)) return undefined;
  const reads = verbOperation(lead) === 'read';
  return parameters.slice(0, 64).find((name) => {
    const parameter = name.toLowerCase();
    return ALWAYS_PROGRAM.has(parameter) || (!reads && MOSTLY_PROGRAM.has(parameter));
  });
}
