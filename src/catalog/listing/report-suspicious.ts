import type { Finding } from '../../contract/tool.ts';
import { newId } from '../../lib/clock.ts';
import type { ReportParts } from './report-changes.ts';

export interface Suspect {
  tool: string;
  withheld: boolean;
  findings: readonly Finding[];
}

/** Beyond this many in one listing, one record names the rest. */
const MAX_RECORDS = 50;

/** Instructions of a server never reach an agent here; elsewhere they would. */
export function reportInstructions(
  server: string,
  findings: readonly Finding[],
  { record, log }: ReportParts,
): void {
  const found = findings.map(({ rule, path }) => ({ rule, path }));
  log.warn({ server, findings: found }, 'the instructions of a server look meant to mislead the model');
  const metadata = { change: 'suspicious_instructions', findings: found };
  record({ type: 'tool_change', source: 'system', server_name: server, request_id: newId(), metadata });
}

/** Tells of tools whose text looks meant for the model. The text itself is shown by the verdict book, not repeated in the log. */
export function reportSuspicious(
  server: string,
  suspects: readonly Suspect[],
  { record, log }: ReportParts,
): void {
  const draft = { type: 'tool_change', source: 'system', server_name: server } as const;
  for (const { tool, withheld, findings } of suspects.slice(0, MAX_RECORDS)) {
    const found = findings.map(({ rule, path }) => ({ rule, path }));
    log.warn({ server, tool, findings: found }, 'the text of a tool looks meant for the model');
    const metadata = { change: 'suspicious_text', findings: found, ...(withheld && { withheld }) };
    record({ ...draft, tool_name: tool, request_id: newId(), metadata });
  }
  const rest = suspects.slice(MAX_RECORDS).map(({ tool }) => tool);
  if (rest.length === 0) return;
  log.warn({ server, further: rest.length }, 'further tools have text that looks meant for the model');
  const metadata = { change: 'suspicious_text', further: rest.length, tools: rest.slice(0, 100) };
  record({ ...draft, request_id: newId(), metadata });
}
