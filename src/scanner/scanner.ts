import type { ToolDefinition } from '../contract/tool.ts';
import { scanDefinition, scanSteps, type Scan } from './scan-definition.ts';

/** The result until the scan has run. */
export const PENDING: Scan = {
  suspicious: false,
  pending: true,
  findings: [{ rule: 'not-scanned', path: '/', why: 'not scanned yet', excerpt: '' }],
};

export interface ScannedTool {
  name: string;
  definition: ToolDefinition;
}

export interface Scanner {
  /** Scans the tools of one listing: immediately within a time limit, the rest in the background. */
  scanListing(): (tool: ScannedTool) => Scan;
  /** Resolves when no scan is left to do. */
  idle(): Promise<void>;
}

/** Enough for a usual listing. A listing that is made to be long must not block other work. */
const LISTING_BUDGET_MS = 20;
/** So many short tools are scanned at once however busy the machine is: where new tools wait for their scan, a usual server does not wait. */
const ALWAYS = { tools: 64, length: 65_536 };
const SLICE_MS = 5;

/** Longer descriptions are always scanned in the background. */
const SHORT_LENGTH = 16_384;
const isShort = ({ description = '', title = '' }: ToolDefinition) =>
  description.length + title.length <= SHORT_LENGTH;

export interface ScannerParts {
  onScanned: (tool: ScannedTool, scan: Scan) => void;
  /** The background scans have finished. */
  onFinished: (tools: readonly ScannedTool[]) => void;
}

export function createScanner({ onScanned, onFinished }: ScannerParts): Scanner {
  const queue: ScannedTool[] = [];
  let running: Promise<void> | undefined;

  async function scanQueue(): Promise<void> {
    const done: ScannedTool[] = [];
    let end = performance.now() + SLICE_MS;
    for (let tool = queue.shift(); tool; tool = queue.shift()) {
      const steps = scanSteps(tool.definition);
      let step = steps.next();
      for (; !step.done; step = steps.next()) {
        if (performance.now() < end) continue;
        await new Promise(setImmediate);
        end = performance.now() + SLICE_MS;
      }
      onScanned(tool, step.value);
      done.push(tool);
    }
    running = undefined;
    onFinished(done);
  }

  return {
    scanListing() {
      const end = performance.now() + LISTING_BUDGET_MS;
      const left = { ...ALWAYS };
      const isAlways = (definition: ToolDefinition): boolean => {
        if (--left.tools < 0 || left.length < 0) return false;
        left.length -= JSON.stringify(definition).length;
        return left.length >= 0;
      };
      return (tool) => {
        const { definition } = tool;
        if (isShort(definition) && (isAlways(definition) || performance.now() < end))
          return scanDefinition(definition);
        queue.push(tool);
        // Not before the listing is in the catalog, which receives the result.
        running ??= new Promise<void>((resolve) => setImmediate(resolve)).then(scanQueue);
        return PENDING;
      };
    },
    idle: async () => running,
  };
}
