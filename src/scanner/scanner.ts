import type { ToolDefinition } from '../contract/tool.ts';
import { scanDefinition, scanSteps, type Scan } from './scan-definition.ts';

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
const SLICE_MS = 5;

/** Nearly all descriptions are; what is inside of a schema is looked at in no time, unless it is made to be long. */
const LONG = 16_384;
const isShort = ({ description = '', title = '' }: ToolDefinition) =>
  description.length + title.length <= LONG;

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
    let end = performance.now() + SLICE_MS;
    for (let tool = waiting.shift(); tool; tool = waiting.shift()) {
      const steps = scanSteps(tool.definition);
      let step = steps.next();
      for (; !step.done; step = steps.next()) {
        if (performance.now() < end) continue;
        await new Promise(setImmediate);
        end = performance.now() + SLICE_MS;
      }
      scanned(tool, step.value);
      seen.push(tool);
    }
    running = undefined;
    through(seen);
  }

  return {
    listing() {
      const end = performance.now() + AT_ONCE_MS;
      return (tool) => {
        if (performance.now() < end && isShort(tool.definition)) return scanDefinition(tool.definition);
        waiting.push(tool);
        // After the listing is in the catalogue, which is where the answer goes.
        running ??= new Promise<void>((resolve) => setImmediate(resolve)).then(work);
        return PENDING;
      };
    },
    idle: async () => running,
  };
}
