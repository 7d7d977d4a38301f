import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import type { ServerConfig } from '../../../../src/contract/config.ts';
import { readServerEntry } from '../../../../src/contract/entry/server-entry.ts';

export interface Found {
  name: string;
  /** Absent where the entry is not usable; `problem` says why. */
  config?: ServerConfig;
  problem?: string;
}

/** Servers in the configuration of a client: `mcpServers` as most write it, `servers` as VS Code does, or the map alone. */
export function importConfig(text: string): Found[] {
  const errors: ParseError[] = [];
  const value = parse(text, errors, { allowTrailingComma: true }) as Record<string, unknown> | undefined;
  const [first] = errors;
  if (first)
    throw new Error(`This is not JSON: ${printParseErrorCode(first.error)} at character ${first.offset}`);
  const map = (value?.mcpServers ?? value?.servers ?? value) as Record<string, unknown> | undefined;
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw new Error('There is no "mcpServers" or "servers" in this file');
  return Object.entries(map).map(([name, entry]) => readEntry(name, entry));
}

function readEntry(name: string, entry: unknown): Found {
  const { config, problems } = readServerEntry(entry);
  const [problem] = problems;
  if (!problem) return { name, config };
  return { name, problem: [problem.path.join('.'), problem.message].filter(Boolean).join(' ') };
}
