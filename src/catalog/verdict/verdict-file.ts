import type { Caller } from '../../contract/call.ts';
import type { VerdictFile, VerdictImport } from '../../contract/tool.ts';
import type { OperationType } from '../../contract/operation.ts';
import { ofRequest, type Log } from '../../lib/log.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import type { KnownTool } from '../known/known-tool.ts';
import type { KnownTools } from '../known/known-tools.ts';
import type { ToolTable } from '../tool-table.ts';
import { overrideOf, type CatalogConfig } from './judge-tool.ts';

/** Who decides, and with which request. */
export type Decider = Pick<Caller, 'principal' | 'requestId' | 'trace'>;

export interface VerdictFileParts {
  store: KnownTools;
  config: () => CatalogConfig;
  log: Log;
  now: () => string;
  table: Pick<ToolTable, 'entry'>;
  /** Puts a decision into effect; undefined if the tool is no longer listed. */
  apply: (name: string, known: KnownTool) => CatalogTool | undefined;
}

/** The operator's verdicts as a file, to be kept or moved to another proxy. */
export function createVerdictFiles({ store, config, log, now, table, apply }: VerdictFileParts) {
  function exportVerdicts(): VerdictFile {
    return { version: 1, exported_at: now(), verdicts: store.decisions() };
  }

  async function importVerdicts(
    { verdicts }: VerdictFile,
    by: Decider,
    dryRun: boolean,
  ): Promise<VerdictImport> {
    const result: VerdictImport = { dry_run: dryRun, unchanged: 0, changed: [], skipped: [], unlisted: 0 };
    const stamp = { by: by.principal, at: now() };
    await inBatches(lastOfEach(verdicts), async (verdict) => {
      if (isNewVerdict(verdict, result) && !dryRun) await importVerdict(verdict, stamp);
    });
    if (!dryRun)
      log.info(
        { changed: result.changed.length, ...deciderFields(by) },
        'the operator has imported verdicts',
      );
    return result;
  }

  /** Counts the verdict in the result. */
  function isNewVerdict({ server, tool, operation }: ImportedVerdict, result: VerdictImport): boolean {
    const name = `${server}:${tool}`;
    const listed = table.entry(name)?.facts.known;
    const before = (listed ?? store.ofServer(server).get(tool))?.operator?.operation ?? null;
    if (overrideOf(config(), server, tool)?.operation) {
      result.skipped.push({ tool: name, why: 'the configuration sets its operation' });
      return false;
    }
    if (before === operation) {
      result.unchanged++;
      return false;
    }
    result.changed.push({ tool: name, before, after: operation });
    if (!listed) result.unlisted++;
    return true;
  }

  async function importVerdict({ server, tool, operation }: ImportedVerdict, stamp: Stamp): Promise<void> {
    const name = `${server}:${tool}`;
    const update = {
      initial: table.entry(name)?.facts.known ?? neverListed(stamp.at),
      change: (current: KnownTool) => withVerdict(current, operation, stamp),
    };
    apply(name, await store.update({ server, tool }, update));
  }

  return { exportVerdicts, importVerdicts };
}

type ImportedVerdict = VerdictFile['verdicts'][number];

/** Who has decided, and when. */
interface Stamp {
  by: string;
  at: string;
}

export function withVerdict(
  { operator: _before, unremembered: _unremembered, ...known }: KnownTool,
  operation: OperationType | null,
  stamp: Stamp,
): KnownTool {
  return operation === null ? known : { ...known, operator: { operation, ...stamp } };
}

/** For the log line of a decision. */
export const deciderFields = (by: Decider) => ({ by: by.principal, ...ofRequest(by) });

const BATCH_SIZE = 100;

/** Decisions of a batch share commits to disk; batches bound the work that a large file causes at once. */
export async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += BATCH_SIZE)
    await Promise.all(items.slice(from, from + BATCH_SIZE).map(work));
}

/** For a decision on a tool that was not listed yet. Its definition stays unknown. */
function neverListed(at: string): KnownTool {
  return { hash: '', identity: '', hints: {}, held: {}, firstSeen: at, changedAt: at };
}

function lastOfEach(verdicts: VerdictFile['verdicts']): VerdictFile['verdicts'] {
  return [...new Map(verdicts.map((verdict) => [`${verdict.server}:${verdict.tool}`, verdict])).values()];
}
