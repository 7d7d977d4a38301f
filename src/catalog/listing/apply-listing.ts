import type { ToolDefinition } from '../../contract/tool.ts';
import { MAX_JSON_DEPTH, valueExceedsDepth } from '../../json/index.ts';
import type { Log } from '../../lib/log.ts';
import { NOT_SCANNED } from '../../scanner/index.ts';
import { isJudgedDifferently } from '../catalog-tool.ts';
import { definitionHash } from '../known/definition.ts';
import type { LearnListed } from '../known/learn-listing.ts';
import { introductionHash } from '../known/server-identity.ts';
import type { ToolTable } from '../tool-table.ts';
import { inferOperation } from '../verdict/infer-operation.ts';
import { aboutServer } from '../search/tool-text.ts';
import { createBackgroundSlices } from './background-slices.ts';
import type { LearnedTool } from './report-changes.ts';
import type { ServerReview } from './review-server.ts';
import type { TextWatch } from './watch-texts.ts';

/** Where a listing comes from. */
export interface ListingInfo {
  builtin?: boolean;
  introduction?: { name?: string | undefined; instructions?: string | undefined } | undefined;
}

export interface ListingParts {
  table: ToolTable;
  learn: LearnListed;
  texts: TextWatch;
  review: ServerReview;
  /** Reports what is new in a listing. */
  report: (server: string, learned: readonly LearnedTool[]) => void;
  /** Announces that the tools of a server have changed. */
  announce: (server: string) => void;
  log: Log;
  maxName?: number | undefined;
}

interface Source {
  server: string;
  builtin: boolean;
  introduction: string | undefined;
  about: string | undefined;
}

interface ChangedTool {
  name: string;
  definition: ToolDefinition;
  hash: string;
}

/** Tools of one listing that are applied immediately, in about a tenth of a second; the rest follows in the background. */
const IMMEDIATE = 1000;
const MAX_COMPLAINTS = 20;

/** Applies the listings of servers to the table: each new or changed tool is learned, scanned and judged. */
export function createListings(parts: ListingParts) {
  const { table, learn, texts, review, report, announce, log, maxName = MAX_NAME_LENGTH } = parts;
  const background = createBackgroundSlices();

  /** The tools that are not in the table exactly as listed. */
  function changedTools({ server, introduction }: Source, tools: Iterable<ToolDefinition>): ChangedTool[] {
    return [...tools]
      .map((definition) => ({
        name: `${server}:${definition.name}`,
        definition,
        hash: definitionHash(definition),
      }))
      .filter(({ name, hash }) => {
        const entry = table.entry(name);
        return entry?.hash !== hash || entry.facts.introduction !== introduction;
      });
  }

  /** Replaces the tools of a server by those that it lists now. Unchanged tools are left alone, so an unchanged listing costs little. */
  function replace(server: string, listed: readonly ToolDefinition[], info: ListingInfo = {}): void {
    const { builtin = false, introduction: said } = info;
    background.stop(server);
    const source: Source = {
      server,
      builtin,
      introduction: builtin ? undefined : introductionHash(said),
      about: said && !builtin ? aboutServer(said) : undefined,
    };
    if (!builtin) texts.scanInstructions(server, said?.instructions);
    const { tools, unusable } = usableTools(listed, maxName);
    for (const [tool, why] of [...unusable].slice(0, MAX_COMPLAINTS))
      log.warn({ server, tool }, `a tool is left out: ${why}`);
    const gone = table.namesOf(server).filter((name) => !tools.has(name.slice(server.length + 1)));
    const changed = changedTools(source, tools.values());
    if (gone.length + changed.length === 0) return;
    // In one pass: removing tools one by one would scan the long posting lists once per tool.
    table.index.remove([...gone, ...changed.map(({ name }) => name)]);
    const rest = changed.slice(IMMEDIATE);
    // A changed tool is absent until its new definition is applied, so that neither version is used unchecked.
    table.forget(server, [...gone, ...rest.map(({ name }) => name).filter(table.has)]);
    const batch = createBatch(source);
    changed.slice(0, IMMEDIATE).forEach(batch.add);
    if (rest.length > 0) background.run(server, { items: rest, each: batch.add, done: batch.done });
    else batch.done();
  }

  function createBatch({ server, builtin, introduction, about }: Source) {
    const scan = texts.listing();
    const learned: LearnedTool[] = [];
    const scanned: Array<{ name: string }> = [];
    const isNewServer = !builtin && review.isNew(server);
    const add = ({ name, definition, hash }: ChangedTool): void => {
      const found = builtin ? NOT_SCANNED : scan({ name, definition });
      const listed = { server, builtin, definition, introduction, about, scan: found };
      const result = learn({ ...listed, isNewServer }, hash);
      const inferred = inferOperation(definition);
      const { known } = result;
      table.put({ ...listed, inferred, known }, hash);
      if (!known.accepted) review.wait(server, name);
      learned.push({ tool: definition.name, ...result });
      if (!found.pending) scanned.push({ name });
    };
    const done = (error?: unknown): void => {
      if (error !== undefined) log.error({ err: error, server }, 'a listing was applied only in part');
      review.review(server);
      report(server, learned);
      texts.report(server, scanned);
      announce(server);
    };
    return { add, done };
  }

  /** Applies a changed configuration: verdicts, disabled tools and the identity of servers. */
  function refreshConfig(): void {
    for (const server of table.servers()) {
      let isChanged = false;
      const isNewServer = review.isNew(server);
      const learned = table.namesOf(server).map((name) => {
        const { facts, hash, tool } = table.entry(name)!;
        const result = learn({ ...facts, isNewServer }, hash);
        const after = table.put({ ...facts, known: result.known }, hash);
        if (!facts.builtin && !result.known.accepted) review.wait(server, after.name);
        isChanged ||= isJudgedDifferently(after, tool);
        return { tool: tool.tool, ...result, wasUnremembered: facts.known.unremembered === true };
      });
      isChanged = review.review(server) || isChanged;
      // Tools that were not remembered were reported when they were listed.
      report(
        server,
        learned.filter(({ known, wasUnremembered }) => !(wasUnremembered && known.unremembered)),
      );
      if (isChanged) announce(server);
    }
  }

  return {
    replace,
    refreshConfig,
    stop: (server: string) => background.stop(server),
    idle: () => background.idle(),
  };
}

const MAX_NAME_LENGTH = 256;

interface UsableTools {
  tools: Map<string, ToolDefinition>;
  /** The reason for each tool that is left out. */
  unusable: Map<string, string>;
}

/** Leaves out tools that cannot be called or whose definition cannot be passed on. */
function usableTools(listed: readonly ToolDefinition[], maxName: number): UsableTools {
  const tools = new Map<string, ToolDefinition>();
  const unusable = new Map<string, string>();
  for (const definition of listed) {
    const why = tools.has(definition.name)
      ? 'it is listed twice; the first one counts'
      : faultOf(definition, maxName);
    if (why) unusable.set(definition.name.slice(0, MAX_NAME_LENGTH), why);
    else tools.set(definition.name, definition);
  }
  return { tools, unusable };
}

function faultOf(definition: ToolDefinition, maxName: number): string | undefined {
  const { name } = definition;
  if (name === '') return 'its name is empty';
  if (name.length > maxName) return `its name is longer than ${maxName} characters`;
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) return 'its name contains control characters';
  if (valueExceedsDepth(definition)) return `its definition is nested deeper than ${MAX_JSON_DEPTH} levels`;
  return undefined;
}
