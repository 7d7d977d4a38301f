import type { Finding } from '../../contract/tool.ts';
import { newId } from '../../lib/clock.ts';
import { createScanner, scanDefinition, type Scan, type ScannedTool } from '../../scanner/index.ts';
import type { ToolTable } from '../tool-table.ts';
import type { CatalogConfig } from '../verdict/judge-tool.ts';
import type { ReportParts } from './report-changes.ts';

export interface TextParts extends ReportParts {
  table: ToolTable;
  config: () => CatalogConfig;
  /** Announces that the tools of a server have changed. */
  announce: (server: string) => void;
  /** Looks again at new tools that waited for their scan. */
  review: (server: string) => void;
}

export type TextWatch = ReturnType<typeof createTextWatch>;

/** Scans definitions and the instructions of servers for text that looks like an instruction to the model, and reports it. */
export function createTextWatch({ table, config, announce, review, record, log }: TextParts) {
  /** The instructions of each server that were scanned last. */
  const scannedInstructions = new Map<string, string | undefined>();
  const scanner = createScanner({ onScanned: scanned, onFinished: (tools) => reportServers(tools) });

  /** The result of a scan that had to wait; the tool may have another definition by now. */
  function scanned({ name, definition }: ScannedTool, scan: Scan): void {
    const entry = table.entry(name);
    if (entry?.facts.definition === definition) table.put({ ...entry.facts, scan }, entry.hash);
  }

  function reportServers(tools: readonly ScannedTool[]): void {
    const servers = new Set(tools.flatMap(({ name }) => table.entry(name)?.facts.server ?? []));
    for (const server of servers) {
      const own = tools.filter(({ name }) => table.entry(name)?.facts.server === server);
      review(server);
      report(server, own);
      announce(server);
    }
  }

  function report(server: string, tools: ReadonlyArray<{ name: string }>): void {
    reportSuspicious(server, suspiciousTools(tools), { record, log });
  }

  function suspiciousTools(tools: ReadonlyArray<{ name: string }>): SuspiciousTool[] {
    return tools.flatMap(({ name }) => {
      const entry = table.entry(name);
      if (!entry?.tool.suspicious) return [];
      const { tool, withheld } = entry.tool;
      return [{ tool, withheld, findings: entry.facts.scan.findings }];
    });
  }

  return {
    /** For one listing: scans its definitions immediately, or later if there are too many. */
    listing: () => scanner.scanListing(),
    report,
    /** Each text is scanned once, although every listing brings it again. */
    scanInstructions(server: string, instructions: string | undefined): void {
      if (config().scanner === 'off' || instructions === scannedInstructions.get(server)) return;
      scannedInstructions.set(server, instructions);
      const { suspicious, findings } = scanDefinition({ instructions });
      if (suspicious) reportInstructions(server, findings, { record, log });
    },
    idle: () => scanner.idle(),
  };
}

interface SuspiciousTool {
  tool: string;
  withheld: boolean;
  findings: readonly Finding[];
}

/** Further tools of one listing share a record. */
const MAX_RECORDS = 50;

/** The proxy never passes a server's instructions to agents, but a client that connects directly would. */
function reportInstructions(
  server: string,
  findings: readonly Finding[],
  { record, log }: ReportParts,
): void {
  const found = findings.map(({ rule, path }) => ({ rule, path }));
  log.warn(
    { server, findings: found },
    'the instructions of a server look like an attempt to mislead the model',
  );
  const metadata = { change: 'suspicious_instructions', findings: found };
  record({ type: 'tool_change', source: 'system', server_name: server, request_id: newId(), metadata });
}

/** The records name rule and path only: the text itself is shown with the tool's verdict, and must not spread through the log. */
function reportSuspicious(
  server: string,
  tools: readonly SuspiciousTool[],
  { record, log }: ReportParts,
): void {
  const draft = { type: 'tool_change', source: 'system', server_name: server } as const;
  for (const { tool, withheld, findings } of tools.slice(0, MAX_RECORDS)) {
    const found = findings.map(({ rule, path }) => ({ rule, path }));
    log.warn({ server, tool, findings: found }, 'the text of a tool looks like an instruction to the model');
    const metadata = { change: 'suspicious_text', findings: found, ...(withheld && { withheld }) };
    record({ ...draft, tool_name: tool, request_id: newId(), metadata });
  }
  const rest = tools.slice(MAX_RECORDS).map(({ tool }) => tool);
  if (rest.length === 0) return;
  log.warn(
    { server, further: rest.length },
    'further tools have text that looks like an instruction to the model',
  );
  const metadata = { change: 'suspicious_text', further: rest.length, tools: rest.slice(0, 100) };
  record({ ...draft, request_id: newId(), metadata });
}
