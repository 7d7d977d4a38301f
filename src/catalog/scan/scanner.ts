import type { ToolDefinition } from '../../contract/tool.ts';
import { scanDefinition, type Scan } from './scan-definition.ts';

/** Not looked at yet: nobody knows whether it is suspicious. */
export const PENDING: Scan = {
  suspicious: false,
  pending: true,
  findings: [{ rule: 'not-scanned', path: '/', why: 'it was not looked at yet', excerpt: '' }],
};

export interface Scanned {
  name: string;
  definition: ToolDefinition;
}

export interface Scanner {
  /** For one listing: what there is time for is looked at now, the rest later. */
  listing(): (tool: Scanned) => Scan;
  /** Resolves when everything was looked at. */
  idle(): Promise<void>;
}

/** A usual listing is through in this time. One that is made to be long must not keep everybody else waiting. */
const AT_ONCE_MS = 20;
const SLICE_MS = 10;

export interface ScannerParts {
  scanned: (tool: Scanned, scan: Scan) => void;
  /** All that had to wait is through. */
  through: (tools: readonly Scanned[]) => void;
}

export function createScanner({ scanned, through }: ScannerParts): Scanner {
  const waiting: Scanned[] = [];
  let running: Promise<void> | undefined;

  async function work(): Promise<void> {
    const seen: Scanned[] = [];
    while (waiting.length > 0) {
      const end = performance.now() + SLICE_MS;
      do {
        const tool = waiting.shift()!;
        scanned(tool, scanDefinition(tool.definition));
        seen.push(tool);
      } while (waiting.length > 0 && performance.now() < end);
      await new Promise(setImmediate);
    }
    running = undefined;
    through(seen);
  }

  return {
    listing() {
      const end = performance.now() + AT_ONCE_MS;
      return (tool) => {
        if (performance.now() < end) return scanDefinition(tool.definition);
        waiting.push(tool);
        // After the listing is in the catalogue, which is where the answer goes.
        running ??= new Promise<void>((resolve) => setImmediate(resolve)).then(work);
        return PENDING;
      };
    },
    idle: async () => running,
  };
}
