import { ProxyError, toProxyError } from '../../contract/errors.ts';
import type { ServerApproval, ToolDiff } from '../../contract/tool.ts';
import type { OperationType } from '../../contract/operation.ts';
import { canonicalJson } from '../../json/index.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import type { KnownTool } from '../known/known-tool.ts';
import { accepted, isRejected, rejected } from '../known/learn-tool.ts';
import type { ToolTable } from '../tool-table.ts';
import { overrideOf, type CatalogConfig, type ToolFacts } from './judge-tool.ts';
import {
  createVerdictFiles,
  deciderFields,
  inBatches,
  withVerdict,
  type Decider,
  type VerdictFileParts,
} from './verdict-file.ts';

export interface ApproveOptions {
  /** The hash of the definition that was reviewed. */
  hash?: string | undefined;
  /** Sets the stricter of the operations before and after as the operator's verdict. */
  keepOperation?: boolean | undefined;
}

export interface DecisionParts extends VerdictFileParts {
  table: Pick<ToolTable, 'entry' | 'namesOf'>;
  /** Throws TOOL_NOT_FOUND. */
  factsOf: (name: string) => ToolFacts;
  diff: (name: string) => Promise<ToolDiff>;
}

/** The operator's decisions on tools. They take effect once they are on disk. */
export function createDecisions(parts: DecisionParts) {
  const { store, config, log, now, table, factsOf, apply } = parts;

  const isWaiting = (name: string): boolean =>
    isUndecided(factsOf(name).known) || table.entry(name)?.tool.withheld === true;

  /** `null` removes the operator's verdict. */
  async function setOperation(
    name: string,
    operation: OperationType | null,
    by: Decider,
  ): Promise<CatalogTool> {
    const { server, definition, known: before } = factsOf(name);
    if (overrideOf(config(), server, definition.name)?.operation) {
      throw new ProxyError('CONFLICT', `The configuration sets the operation of '${name}'; change it there`, {
        tool: name,
      });
    }
    const after = await store.update(
      { server, tool: definition.name },
      {
        initial: before,
        change: (current) => withVerdict(current, operation, { by: by.principal, at: now() }),
      },
    );
    log.info({ tool: name, operation, ...deciderFields(by) }, 'the operator has set the operation of a tool');
    return apply(name, after) ?? notListed(name);
  }

  /** Accepts the present definition; if the tool changes while this is written, nothing is accepted. */
  async function approve(
    name: string,
    by: Decider,
    { hash, keepOperation = false }: ApproveOptions = {},
  ): Promise<CatalogTool> {
    const { server, definition, known: before, scan } = factsOf(name);
    const seen = before.hash;
    if (hash !== undefined && hash !== seen) throw changedSince(name, seen);
    if (scan.pending && needsScan(config())) throw notScanned(name);
    const kept = keepOperation ? await keptOperation(name) : undefined;
    const at = now();
    const after = await store.update(
      { server, tool: definition.name },
      {
        initial: before,
        change: (current) => {
          if (current.hash !== seen || current.identity !== before.identity)
            throw changedSince(name, current.hash);
          const result = { ...accepted(current, by.principal, at), held: current.hints };
          return kept ? withVerdict(result, kept, { by: by.principal, at }) : result;
        },
        accepted: () => canonicalJson(definition),
      },
    );
    const findings = scan.suspicious ? scan.findings.map(({ rule }) => rule) : [];
    const about = {
      tool: name,
      hints: after.held,
      ...(kept && { operation: kept }),
      ...(findings.length > 0 && { findings }),
      ...deciderFields(by),
    };
    log.info(about, 'the operator has accepted a tool');
    return apply(name, after) ?? notListed(name);
  }

  /** The stricter of the operations before and after; undefined if the configuration sets the operation. */
  async function keptOperation(name: string): Promise<OperationType | undefined> {
    const { server, definition } = factsOf(name);
    const { keeps } = (await parts.diff(name)).approval;
    if (overrideOf(config(), server, definition.name)?.operation) return undefined;
    if (keeps === null)
      throw new ProxyError(
        'CONFLICT',
        `Tool '${name}' has no operation that could be kept; set one with: mcpproxy tools set-operation`,
        { tool: name },
      );
    return keeps;
  }

  /** Withholds the present definition until it changes again or is approved. */
  async function reject(name: string, by: Decider, hash?: string): Promise<CatalogTool> {
    const { server, definition, known: before, builtin } = factsOf(name);
    const seen = before.hash;
    if (hash !== undefined && hash !== seen) throw changedSince(name, seen);
    if (builtin || !isWaiting(name))
      throw new ProxyError(
        'CONFLICT',
        `Tool '${name}' has not changed since it was accepted, so there is nothing to reject; to disable it, set "enabled": false under "tools" of its server`,
        { tool: name },
      );
    const at = now();
    const after = await store.update(
      { server, tool: definition.name },
      {
        initial: before,
        change: (current) => {
          if (current.hash !== seen || current.identity !== before.identity)
            throw changedSince(name, current.hash);
          return rejected(current, by.principal, at);
        },
      },
    );
    log.info({ tool: name, ...deciderFields(by) }, 'the operator has rejected a tool');
    return apply(name, after) ?? notListed(name);
  }

  /** Approves every tool of the server that waits for a decision. A tool that changes in the meantime is skipped. */
  async function approveServer(
    server: string,
    by: Decider,
  ): Promise<Omit<ServerApproval, 'server' | 'total'>> {
    const result: Omit<ServerApproval, 'server' | 'total'> = { approved: [], skipped: [] };
    const waiting = table.namesOf(server).filter(isWaiting);
    await inBatches(waiting, async (name) => {
      // Approving everything that waits does not undo a decision on a single tool.
      if (isRejected(factsOf(name).known)) {
        result.skipped.push({
          tool: name,
          why: 'it was rejected; to accept it nevertheless, approve it by its name',
        });
        return;
      }
      await approve(name, by).then(
        () => result.approved.push(name),
        (cause: unknown) => {
          log.warn({ err: cause, tool: name, ...deciderFields(by) }, 'a tool could not be approved');
          result.skipped.push({ tool: name, why: toProxyError(cause).message });
        },
      );
    });
    return result;
  }

  return { setOperation, approve, reject, approveServer, ...createVerdictFiles(parts) };
}

/** Whether findings withhold a tool, so that nobody may accept it before it is scanned. */
function needsScan({ scanner, quarantine }: CatalogConfig): boolean {
  return scanner === 'quarantine' || (scanner !== 'off' && quarantine === 'risky');
}

function isUndecided({ hash, identity, accepted: pin, hints, held }: KnownTool): boolean {
  return pin?.hash !== hash || pin.identity !== identity || canonicalJson(hints) !== canonicalJson(held);
}

function changedSince(name: string, hash: string): ProxyError {
  return new ProxyError(
    'CONFLICT',
    `Tool '${name}' has changed since it was reviewed; review its diff again`,
    {
      tool: name,
      definition_hash: hash,
    },
  );
}

/** The findings are not there yet, so nobody can have reviewed them. */
function notScanned(name: string): ProxyError {
  const message = `Tool '${name}' is still being scanned for instructions to the model; try again in a moment`;
  return new ProxyError('CONFLICT', message, { tool: name });
}

function notListed(name: string): never {
  throw new ProxyError(
    'TOOL_NOT_FOUND',
    `Tool '${name}' is no longer listed by its server; the decision is kept`,
    { tool: name },
  );
}
