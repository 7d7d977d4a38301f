import type { ToolDefinition } from '../../contract/tool.ts';
import type { Log } from '../../lib/log.ts';
import { definitionHash } from '../known/definition-hash.ts';
import { inferOperation } from '../verdict/infer-operation.ts';
import type { LearnListed } from '../known/learn-listing.ts';
import type { Learnt } from '../known/learn-tool.ts';
import { NOT_SCANNED } from '../../scanner/index.ts';
import { introductionHash } from '../known/server-identity.ts';
import { createTakeUp } from './take-up.ts';
import type { ToolTable } from '../tool-table.ts';
import { usableTools } from './usable-tools.ts';
import type { createTextWatch } from './watch-texts.ts';

/** Whose tools they are, and what it says of itself. */
export interface ListingInfo {
  builtin?: boolean;
  introduction?: { instructions?: string | undefined } | undefined;
}

export interface ListingParts {
  table: ToolTable;
  learn: LearnListed;
  texts: ReturnType<typeof createTextWatch>;
  /** Tells what was new, and that the tools of the server are others. */
  tell: (server: string, learnt: Array<Learnt & { tool: string }>) => void;
  announce: (server: string) => void;
  log: Log;
}

interface Fresh {
  name: string;
  definition: ToolDefinition;
  hash: string;
}

/** Tools of one listing; more are taken up one after the other. It takes a tenth of a second. */
const AT_ONCE = 1000;

/** What a server lists goes into the table: learnt, scanned, judged. */
export function createListings({ table, learn, texts, tell, announce, log }: ListingParts) {
  const takeUp = createTakeUp();

  /** Those that are not in the table exactly as they are listed. */
  function freshOf(
    server: string,
    tools: Iterable<ToolDefinition>,
    introduction: string | undefined,
  ): Fresh[] {
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

  /** The tools that a server lists now. Those that are the same as before are left alone, so a quiet refresh costs little. */
  function replace(
    server: string,
    listed: readonly ToolDefinition[],
    { builtin = false, introduction: said }: ListingInfo = {},
  ): void {
    takeUp.stop(server);
    const introduction = builtin ? undefined : introductionHash(said);
    if (!builtin) texts.heed(server, said?.instructions);
    const { tools, left } = usableTools(listed);
    for (const [tool, why] of [...left].slice(0, 20))
      log.warn({ server, tool }, `a tool is left out: ${why}`);
    const gone = table.namesOf(server).filter((name) => !tools.has(name.slice(server.length + 1)));
    const fresh = freshOf(server, tools.values(), introduction);
    if (gone.length + fresh.length === 0) return;
    // In one sweep: taking tools out of the index one by one would go through its long lists once for each.
    table.index.remove([...gone, ...fresh.map(({ name }) => name)]);
    const rest = fresh.slice(AT_ONCE);
    // Until it is taken up, a tool that has changed is not there: neither as it was nor as it is.
    table.forget(server, [...gone, ...rest.map(({ name }) => name).filter(table.has)]);
    const { takeIn, done } = taking(server, builtin, introduction);
    fresh.slice(0, AT_ONCE).forEach(takeIn);
    if (rest.length > 0) takeUp.later(server, rest, takeIn, done);
    else done();
  }

  function taking(server: string, builtin: boolean, introduction: string | undefined) {
    const scan = texts.listing();
    const learnt: Array<Learnt & { tool: string }> = [];
    const looked: Array<{ name: string }> = [];
    const takeIn = ({ name, definition, hash }: Fresh): void => {
      const learning = learn({ server, builtin, definition, introduction }, hash);
      const found = builtin ? NOT_SCANNED : scan({ name, definition });
      const inferred = inferOperation(definition);
      const { known } = learning;
      table.put({ server, builtin, definition, inferred, scan: found, known, introduction }, hash);
      learnt.push({ tool: definition.name, ...learning });
      if (!found.pending) looked.push({ name });
    };
    const done = (error?: unknown): void => {
      if (error !== undefined) log.error({ err: error, server }, 'a listing was not taken up to its end');
      tell(server, learnt);
      texts.report(server, looked);
      announce(server);
    };
    return { takeIn, done };
  }

  return { replace, stop: (server: string) => takeUp.stop(server), idle: () => takeUp.idle() };
}
