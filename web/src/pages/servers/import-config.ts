import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { ServerConfig } from '../../../../src/contract/config.ts';

export interface Found {
  name: string;
  /** Absent where the entry is not usable; `problem` says why. */
  config?: ServerConfig;
  problem?: string;
}

/** Keys of other programs that mean nothing here. */
const FOREIGN = new Set([
  'disabled',
  'alwaysAllow',
  'autoApprove',
  'description',
  'icon',
  'gallery',
  'version',
  'trust',
]);

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
  if (typeof entry !== 'object' || entry === null) return { name, problem: 'it is not an object' };
  const { disabled } = entry as { disabled?: unknown };
  const known = Object.fromEntries(Object.entries(entry).filter(([key]) => !FOREIGN.has(key)));
  const parsed = ServerConfig.safeParse({ ...known, ...(disabled === true && { enabled: false }) });
  if (parsed.success) return { name, config: parsed.data };
  const [issue] = parsed.error.issues;
  return { name, problem: [issue?.path.join('.'), issue?.message].filter(Boolean).join(' ') };
}
