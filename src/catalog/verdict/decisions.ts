import type { Caller } from '../../contract/call.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import type { ServerApproval, ToolDiff, VerdictFile, VerdictImport } from '../../contract/tool.ts';
import type { OperationType } from '../../contract/operation.ts';
import { ofRequest, type Log } from '../../lib/log.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import { canonicalJson } from '../../json/index.ts';
import { overrideOf, type CatalogConfig, type ToolFacts } from './judge-tool.ts';
import type { KnownTools } from '../known/known-tools.ts';
import type { KnownTool } from '../known/known-tool.ts';
import { accepted, isRejected, rejected } from '../known/learn-tool.ts';

export interface ApproveOptions {
  /** The definition that was looked at. */
  hash?: string | undefined;
  /** Sets the stricter operation of before and after as the operator's verdict. */
  keepOperation?: boolean | undefined;
}

/** Who decides, and by which request. */
export type Decider = Pick<Caller, 'principal' | 'requestId' | 'trace'>;

export interface DecisionParts {
  store: KnownTools;
  config: () => CatalogConfig;
  log: Log;
  now: () => string;
  /** Throws TOOL_NOT_FOUND. */
  facts: (name: string) => ToolFacts;
  known: (name: string) => ToolFacts | undefined;
  isWithheld: (name: string) => boolean;
  diff: (name: string) => Promise<ToolDiff>;
  namesOf: (server: string) => string[];
  /** Puts what is known now in force. Nothing happens where the tool is gone by then. */
  take: (name: string, known: KnownTool) => CatalogTool | undefined;
}

/** The operator's word on tools. It is in force once it is on disk. */
export function createDecisions(parts: DecisionParts) {
  const { store, config, log, now, facts, known, namesOf, take } = parts;

  /** `null` takes the operator's verdict back. */
  async function setOperation(
    name: string,
    operation: OperationType | null,
    by: Decider,
  ): Promise<CatalogTool> {
    const { server, definition, known: before } = facts(name);
    if (overrideOf(config(), server, definition.name)?.operation) {
      throw new ProxyError('CONFLICT', `The configuration sets the operation of '${name}'; change it there`, {
        tool: name,
      });
    }
    const after = await store.update({ server, tool: definition.name }, before, (current) =>
      decided(current, operation, by.principal, now()),
    );
    log.info({ tool: name, operation, ...said(by) }, 'the operator has set the operation of a tool');
    return take(name, after) ?? gone(name);
  }

  /** Accepts the tool as it is at this moment, and nothing that it becomes while the acceptance is written. */
  async function approve(
    name: string,
    by: Decider,
    { hash, keepOperation = false }: ApproveOptions = {},
  ): Promise<CatalogTool> {
    const { server, definition, known: before, scan } = facts(name);
    const seen = before.hash;
    if (hash !== undefined && hash !== seen) throw movedOn(name, seen);
    if (scan.pending && config().scanner === 'quarantine') throw notScanned(name);
    const kept = keepOperation ? await keptOperation(name) : undefined;
    const at = now();
    const after = await store.update(
      { server, tool: definition.name },
      before,
      (current) => {
        if (current.hash !== seen || current.identity !== before.identity) throw movedOn(name, current.hash);
        const known = { ...accepted(current, by.principal, at), held: current.hints };
        return kept ? decided(known, kept, by.principal, at) : known;
      },
      () => canonicalJson(definition),
    );
    const findings = scan.suspicious ? scan.findings.map(({ rule }) => rule) : [];
    const about = {
      tool: name,
      hints: after.held,
      ...(kept && { operation: kept }),
      ...(findings.length > 0 && { findings }),
      ...said(by),
    };
    log.info(about, 'a tool is accepted as it is');
    return take(name, after) ?? gone(name);
  }

  /** What it is held to now, or was: the stricter. Where the configuration has the say, that holds anyway. */
  async function keptOperation(name: string): Promise<OperationType | undefined> {
    const { server, definition } = facts(name);
    const { keeps } = (await parts.diff(name)).approval;
    if (overrideOf(config(), server, definition.name)?.operation) return undefined;
    if (keeps === null)
      throw new ProxyError(
        'CONFLICT',
        `Tool '${name}' is held to no operation that could be kept; set one with: mcpproxy tools set-operation`,
        { tool: name },
      );
    return keeps;
  }

  /** The tool as it is now stays withheld, until it changes again or is approved after all. */
  async function reject(name: string, by: Decider, hash?: string): Promise<CatalogTool> {
    const { server, definition, known: before, builtin } = facts(name);
    const seen = before.hash;
    if (hash !== undefined && hash !== seen) throw movedOn(name, seen);
    if (builtin || !(isOpen(before) || parts.isWithheld(name)))
      throw new ProxyError(
        'CONFLICT',
        `Tool '${name}' is as it was accepted, so that there is nothing to reject; to switch it off, set "enabled": false under "tools" of its server`,
        { tool: name },
      );
    const at = now();
    const after = await store.update({ server, tool: definition.name }, before, (current) => {
      if (current.hash !== seen || current.identity !== before.identity) throw movedOn(name, current.hash);
      return rejected(current, by.principal, at);
    });
    log.info({ tool: name, ...said(by) }, 'a tool is rejected as it is');
    return take(name, after) ?? gone(name);
  }

  /** Every tool of the server that differs from what was accepted, or is withheld for its text. One that changes meanwhile goes on waiting. */
  async function approveServer(
    server: string,
    by: Decider,
  ): Promise<Omit<ServerApproval, 'server' | 'total'>> {
    const result: Omit<ServerApproval, 'server' | 'total'> = { approved: [], skipped: [] };
    const waiting = namesOf(server).filter((name) => isOpen(facts(name).known) || parts.isWithheld(name));
    await inParts(waiting, async (name) => {
      // Who accepts all that waits does not take back a decision about one of them.
      if (isRejected(facts(name).known)) {
        result.skipped.push({
          tool: name,
          why: 'it was rejected; approve it by its name to accept it after all',
        });
        return;
      }
      await approve(name, by).then(
        () => result.approved.push(name),
        (cause: unknown) => {
          log.warn({ err: cause, tool: name, ...said(by) }, 'a tool could not be approved');
          result.skipped.push({ tool: name, why: toProxyError(cause).message });
        },
      );
    });
    return result;
  }

  function exportVerdicts(): VerdictFile {
    return { version: 1, exported_at: now(), verdicts: store.decisions() };
  }

  async function importVerdicts(
    { verdicts }: VerdictFile,
    by: Decider,
    dryRun: boolean,
  ): Promise<VerdictImport> {
    const result: VerdictImport = { dry_run: dryRun, unchanged: 0, changed: [], skipped: [], unlisted: 0 };
    const at = now();
    await inParts(lastOfEach(verdicts), async ({ server, tool, operation }) => {
      const name = `${server}:${tool}`;
      const listed = known(name);
      const before = (listed?.known ?? store.ofServer(server).get(tool))?.operator?.operation ?? null;
      if (overrideOf(config(), server, tool)?.operation) {
        result.skipped.push({ tool: name, why: 'the configuration sets its operation' });
      } else if (before === operation) result.unchanged++;
      else {
        result.changed.push({ tool: name, before, after: operation });
        if (!listed) result.unlisted++;
        if (dryRun) return;
        const initial = listed?.known ?? neverListed(at);
        take(
          name,
          await store.update({ server, tool }, initial, (current) =>
            decided(current, operation, by.principal, at),
          ),
        );
      }
    });
    if (!dryRun)
      log.info({ changed: result.changed.length, ...said(by) }, 'the operator has imported verdicts');
    return result;
  }

  return { setOperation, approve, reject, approveServer, exportVerdicts, importVerdicts };
}

function decided(
  { operator: _before, unremembered: _unremembered, ...known }: KnownTool,
  operation: OperationType | null,
  by: string,
  at: string,
): KnownTool {
  return operation === null ? known : { ...known, operator: { operation, by, at } };
}

const said = (by: Decider) => ({ by: by.principal, ...ofRequest(by) });

const AT_ONCE = 100;

/** Many decisions share the commits to disk, but not all of a large file at once. */
async function inParts<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE)
    await Promise.all(items.slice(from, from + AT_ONCE).map(work));
}

function isOpen({ hash, identity, accepted: pin, hints, held }: KnownTool): boolean {
  return pin?.hash !== hash || pin.identity !== identity || canonicalJson(hints) !== canonicalJson(held);
}

/** A decision may come before the tool does. It says nothing about the definition, which stays unseen. */
function neverListed(at: string): KnownTool {
  return { hash: '', identity: '', hints: {}, held: {}, firstSeen: at, changedAt: at };
}

function lastOfEach(verdicts: VerdictFile['verdicts']): VerdictFile['verdicts'] {
  return [...new Map(verdicts.map((verdict) => [`${verdict.server}:${verdict.tool}`, verdict])).values()];
}

function movedOn(name: string, hash: string): ProxyError {
  return new ProxyError(
    'CONFLICT',
    `Tool '${name}' is no longer what was looked at; look at its diff again`,
    {
      tool: name,
      definition_hash: hash,
    },
  );
}

/** Nobody can have looked at findings that are not there yet. */
function notScanned(name: string): ProxyError {
  const message = `Tool '${name}' is still being scanned for text that is meant for the model; look at it again in a moment`;
  return new ProxyError('CONFLICT', message, { tool: name });
}

function gone(name: string): never {
  throw new ProxyError(
    'TOOL_NOT_FOUND',
    `Tool '${name}' is no longer listed by its server; the decision is kept`,
    { tool: name },
  );
}
