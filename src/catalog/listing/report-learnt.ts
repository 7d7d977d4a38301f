import type { ToolDiff } from '../../contract/tool.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import type { ToolFacts } from '../verdict/judge-tool.ts';
import type { Learnt } from '../known/learn-tool.ts';
import {
  reportChanges,
  reportMoved,
  reportUnremembered,
  type ReportedChange,
  type ReportParts,
} from './report-changes.ts';

export interface LearntReportParts extends ReportParts {
  entryOf: (name: string) => { tool: CatalogTool; facts: ToolFacts } | undefined;
  diffOf: (tool: CatalogTool, facts: ToolFacts) => Promise<ToolDiff>;
}

const MAX_PATHS = 20;

/** Tells what was new in a listing. What a tool differs from is read from the database, so that comes a moment later; the order is kept. */
export function createLearntReports({ record, log, entryOf, diffOf }: LearntReportParts) {
  let last: Promise<void> = Promise.resolve();

  function changesOf(server: string, { tool, change }: Learnt & { tool: string }): ReportedChange[] {
    const entry = entryOf(`${server}:${tool}`);
    if (!change || !entry) return [];
    const { tool: now, facts } = entry;
    const paths = async () => (await diffOf(now, facts)).changes.map(({ path }) => path).slice(0, MAX_PATHS);
    return [{ tool, ...change, withheld: now.withheld, paths }];
  }

  return {
    tell(server: string, learnt: Array<Learnt & { tool: string }>): void {
      for (const what of ['place', 'introduction'] as const) {
        const moved = learnt.filter((each) => each.moved === what).length;
        if (moved > 0) reportMoved(server, what, moved, { record, log });
      }
      const unremembered = learnt.filter(({ known }) => known.unremembered);
      if (unremembered.length > 0)
        reportUnremembered(
          server,
          unremembered.map(({ tool }) => tool),
          { record, log },
        );
      const changes = learnt.flatMap((each) => changesOf(server, each));
      if (changes.length === 0) return;
      last = last
        .then(() => reportChanges(server, changes, { record, log }))
        .catch((error: unknown) => log.error({ err: error, server }, 'changes of tools cannot be reported'));
    },
    /** Resolves when everything so far is told. */
    told: () => last,
  };
}
