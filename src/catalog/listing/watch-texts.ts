import type { CatalogConfig } from '../verdict/judge-tool.ts';
import type { ReportParts } from './report-changes.ts';
import { reportInstructions, reportSuspicious, type Suspect } from './report-suspicious.ts';
import { createScanner, scanDefinition, type Scan, type ScannedTool } from '../../scanner/index.ts';
import type { ToolTable } from '../tool-table.ts';

export interface TextParts extends ReportParts {
  table: ToolTable;
  config: () => CatalogConfig;
  /** The tools of a server stand otherwise than before. */
  announce: (server: string) => void;
}

/** Looks for text that is meant for the model, in definitions and in the instructions of servers, and tells of it. */
export function createTextWatch({ table, config, announce, record, log }: TextParts) {
  /** The instructions of each server that were looked at. */
  const heeded = new Map<string, string | undefined>();
  const scanner = createScanner({ onScanned: scanned, onFinished: (tools) => reportServers(tools) });

  /** A definition that had to wait was looked at; it may be another one by now. */
  function scanned({ name, definition }: ScannedTool, scan: Scan): void {
    const entry = table.entry(name);
    if (entry?.facts.definition === definition) table.put({ ...entry.facts, scan }, entry.hash);
  }

  function reportServers(tools: readonly ScannedTool[]): void {
    const servers = new Set(tools.flatMap(({ name }) => table.entry(name)?.facts.server ?? []));
    for (const server of servers) {
      const own = tools.filter(({ name }) => table.entry(name)?.facts.server === server);
      report(server, own);
      announce(server);
    }
  }

  function report(server: string, fresh: ReadonlyArray<{ name: string }>): void {
    reportSuspicious(server, suspects(fresh), { record, log });
  }

  function suspects(fresh: ReadonlyArray<{ name: string }>): Suspect[] {
    return fresh.flatMap(({ name }) => {
      const entry = table.entry(name);
      if (!entry?.tool.suspicious) return [];
      const { tool, withheld } = entry.tool;
      return [{ tool, withheld, findings: entry.facts.scan.findings }];
    });
  }

  return {
    /** For one listing: looks at its definitions, or has them wait where there are too many. */
    listing: () => scanner.scanListing(),
    report,
    /** Looked at once per text: the listing is read again and again. */
    heed(server: string, instructions: string | undefined): void {
      if (config().scanner === 'off' || instructions === heeded.get(server)) return;
      heeded.set(server, instructions);
      const { suspicious, findings } = scanDefinition({ instructions });
      if (suspicious) reportInstructions(server, findings, { record, log });
    },
    idle: () => scanner.idle(),
  };
}
